"""A hook of MkDocs: in `nav`, an entry with * stands for all pages of that name that no other entry has."""

import fnmatch
import pathlib
from typing import Any


def on_config(config: dict[str, Any]) -> dict[str, Any]:
    root = pathlib.Path(config["docs_dir"])
    pages = sorted(str(page.relative_to(root)) for page in root.rglob("*.md"))
    named = set(_entries(config["nav"]))
    left = [page for page in pages if page not in named]
    config["nav"] = _expanded(config["nav"], left)
    return config


def _entries(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [entry for item in (nav.values() if isinstance(nav, dict) else nav) for entry in _entries(item)]


def _expanded(nav: list[Any], left: list[str]) -> list[Any]:
    """Takes the pages of each pattern from those that are left. `*` does not match a slash."""
    result: list[Any] = []
    for item in nav:
        if isinstance(item, str) and "*" in item:
            taken = [page for page in left if fnmatch.fnmatch(page, item) and page.count("/") == item.count("/")]
            left[:] = [page for page in left if page not in taken]
            result += taken
        elif isinstance(item, dict):
            result += [{title: _expanded(inside, left) if isinstance(inside, list) else inside}
                       for title, inside in item.items()]
        else:
            result.append(item)
    return result
