"""The documents name files, folders and headings that exist.

In backticks, a word is a path if it ends like a source file or in a slash, or begins with a folder of the project. It
may begin in any folder, because sentences leave out what the reader knows: `http/gzip.cc` in a section about web/src.
A path with a placeholder, as in `runs/DATE/`, is not checked. The links of site/pages are those of the site,
whose build checks them.
"""

import importlib.machinery
import importlib.util
import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_OURS = {"build", "generated", "runs", "node_modules", ".git", ".cache", "__pycache__"}
SOURCE = (".cc", ".h", ".c", ".go", ".py", ".md", ".toml", ".cmake", ".mjs", ".ts", ".css", ".sh")
PATH = re.compile(r"[\w.-]+(?:/[\w.+-]+)*/?")
PLACEHOLDER = re.compile(r"(?:^|/)(?:NAME\.|[A-Z]+(?:-[A-Z]+)*(?:/|$))")


def entries():
    """Every file, and every folder with a slash at its end, with a slash before it."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = set(folders) - NOT_OURS
        start = f"/{pathlib.Path(folder).relative_to(ROOT)}/".replace("/./", "/")
        yield from (start + name for name in names)
        yield from (f"{start}{name}/" for name in folders)


ENTRIES = list(entries())
FOLDERS = {entry.strip("/") for entry in ENTRIES if re.fullmatch("/[^/]+/", entry)}
DOCUMENTS = sorted(entry[1:] for entry in ENTRIES if entry.endswith(".md") and not entry.startswith("/site/"))


def is_path(word):
    first = word.split("/")[0]
    return (PATH.fullmatch(word) and first not in NOT_OURS and not PLACEHOLDER.search(word)
            and (word.endswith((*SOURCE, "/")) or ("/" in word and first in FOLDERS)))


def exists(word):
    return any(entry.rstrip("/").endswith("/" + word.rstrip("/")) for entry in ENTRIES
               if entry.endswith("/") or not word.endswith("/"))


def prose(text):
    return re.sub(r"(?ms)^```.*?^```$", "", text)


def missing_paths(text):
    words = [code.split()[0] for code in re.findall(r"`([^`\n]+)`", prose(text)) if code.strip()]
    return [word for word in words if is_path(word) and not exists(word)]


def anchors(text):
    """As GitHub forms them."""
    headings = re.findall(r"(?m)^#+ (.*)$", prose(text))
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def missing_links(text, folder):
    def leads_somewhere(link):
        path, _, anchor = link.partition("#")
        if path and not (folder / path).exists():
            return False
        return not anchor or anchor in anchors((folder / path).read_text(encoding="utf-8") if path else text)

    links = re.findall(r"\]\((?!\w+:)([^)\s]+)\)", prose(text))
    return [link for link in links if not leads_somewhere(link)]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_names_and_links_exist(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    assert (missing_paths(text), missing_links(text, (ROOT / document).parent)) == ([], [])


def test_wrong_names_and_links_are_found():
    text = """
`base/`, `base/include/fathom/base/atomic.h`, `atomic.h -x`, `scripts/check format`, `--flag`, `/proc/self`, `a/b`
`fs/NAME`
`bases/`, `atomics.h`, `scripts/checks format`, `http/atomic.h`, `atomic.h/`
[1](README.md) [2](https://example.com/x) [3](#one-heading) [4](READ.md) [5](README.md#nothing) [6](#other)
# One heading
```
`fenced/`
```
"""
    assert missing_paths(text) == ["bases/", "atomics.h", "scripts/checks", "http/atomic.h", "atomic.h/"]
    assert missing_links(text, ROOT) == ["READ.md", "README.md#nothing", "#other"]


def folder_table():
    """The folders of ARCHITECTURE.md, and what each may use."""
    section = (ROOT / "docs/ARCHITECTURE.md").read_text(encoding="utf-8").split("\n## Folders\n")[1].split("\n## ")[0]
    return {folder: use for folders, use in re.findall(r"(?m)^\| (`.*?) \|.*\| ?(.*?) \|$", section)
            for folder in re.findall(r"`([^`]+)/`", folders)}


def test_architecture_lists_every_folder():
    listed = {folder.split("/")[0] for folder in folder_table()}
    assert listed == {folder for folder in FOLDERS if not folder.startswith(".")}


def test_architecture_has_the_arrows_that_are_enforced():
    loader = importlib.machinery.SourceFileLoader("check_includes", str(ROOT / "scripts/check-includes"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_includes", loader))
    loader.exec_module(module)
    above = []
    for part, may_use in module.MAY_USE.items():
        use = folder_table()[part]
        listed = above if use == "everything above" else re.findall(r"`(\w+)`", use)
        assert sorted(listed) == sorted(may_use), part
        above.append(part)


def test_every_place_for_figures_of_the_lab_has_some():
    text = (ROOT / "docs/BENCHMARKING.md").read_text(encoding="utf-8")
    empty = re.findall(r"<!-- lab (\S+) -->\s*<!-- /lab -->", text)
    assert not empty, f"no run has filled these tables of docs/BENCHMARKING.md: {', '.join(empty)}"
