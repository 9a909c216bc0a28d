"""What a run came to, for people: HTML to read, Markdown for a pull request."""
