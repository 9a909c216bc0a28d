"""Reports of a run: HTML pages, Markdown for pull requests, and tables in documents."""
