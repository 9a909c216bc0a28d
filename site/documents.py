"""Makes pages of the site from the Markdown documents of the repository.

A document keeps its text. Its links lead to pages where there is one; links to source files and folders lead into the
repository if its address is known, and otherwise become their paths.
"""

import os
import pathlib
import re
import shutil

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPOSITORY = os.environ.get("FATHOM_REPOSITORY", "").rstrip("/")
DOCUMENTS = ("docs/*.md", "docs/decisions/*.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "go/README.md",
             "lab/*.md", "packaging/README.md")
# Files that are published under their names, because documents show them or link to them.
FILES = ("docs/*.png", "docs/*.json")
# Other pages that stand for a file.
STAND_FOR = {"README.md": "usage.md"}
FENCE = re.compile(r"(?ms)^( *```.*?^ *```$)")
# Documents that mention everything: a search shows them last.
FOUND_LAST = ("CHANGELOG.md", "docs/SEEDS.md")
# Code in a line, or a link, or a document that a sentence names without a link. Code may continue on the next line.
CODE = r"`(?:[^`\n]|\n(?!\s*\n))+`"
LINK = re.compile(rf"(?P<code>{CODE})|(?P<picture>!?)\[(?P<text>(?:[^\[\]`]|{CODE})*)\]\((?P<target>[^)\s]+)\)"
                  r"|(?<![\w/\[])(?P<named>docs/[\w-]+\.md)")


class Broken(Exception):
    """A document that the site cannot show; the message says what to change."""


def place(path: str) -> str:
    """The place of a document or a file in the site, such as serve.md for docs/SERVE.md."""
    if path in STAND_FOR:
        return STAND_FOR[path]
    folder, name = os.path.split(path.removeprefix("docs/"))
    return os.path.join(folder, (name.replace("README", "index") if folder else name).lower())


def matching(patterns: tuple[str, ...]) -> list[str]:
    return [str(path.relative_to(ROOT)) for pattern in patterns for path in sorted(ROOT.glob(pattern))]


def with_links(text: str, document: str, page: str) -> str:
    """The text of a document, with links that hold on a page of the site."""
    published = {*matching(DOCUMENTS), *matching(FILES), *STAND_FOR}

    def to_page(path: str, anchor: str) -> str:
        return os.path.relpath(place(path), os.path.dirname(page) or ".") + anchor

    def link(found: re.Match[str]) -> str:
        if found["code"]:
            return found.group()
        if found["named"]:
            named = found["named"]
            return f"[{title(named)}]({to_page(named, '')})" if named in published else named
        text, target = found["text"], found["target"]
        if re.match(r"\w+:|#", target):
            return found.group()
        path, hash_sign, anchor = target.partition("#")
        path = os.path.normpath(os.path.join(os.path.dirname(document), path))
        if path in published:
            if text in (path, os.path.basename(path)) and path.endswith(".md"):
                text = title(path)
            return f"{found['picture']}[{text}]({to_page(path, hash_sign + anchor)})"
        if path.endswith(".md") or found["picture"]:
            raise Broken(f"{document} links to {path}, which is not a page; add it to site/documents.py")
        return to_source(text, path)

    parts = FENCE.split(text)
    return "".join(part if FENCE.fullmatch(part) else LINK.sub(link, part) for part in parts)


def title(document: str) -> str:
    """The heading of a document: on the site, its file name means nothing."""
    heading = re.search(r"(?m)^# (.*)$", (ROOT / document).read_text(encoding="utf-8"))
    return heading[1] if heading else document


def to_source(text: str, path: str) -> str:
    """A link into the repository, or the path if the address of the repository is not known."""
    if REPOSITORY:
        return f"[{text}]({REPOSITORY}/blob/HEAD/{path})"
    return f"`{path}`" if text.strip("`/") in (path, os.path.basename(path)) else f"{text} (`{path}`)"


def readme_parts() -> dict[str, str]:
    """The README in parts: START until the first heading, each section by its heading, each recipe by its title."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    # The reference has the lists of options.
    text = re.sub(r"(?s)<details><summary>Every option.*?</details>\n\n", "", text)
    start, *sections = re.split(r"(?m)^## ", re.sub(r"\A# .*\n", "", text))
    parts = {"START": start} | {section.partition("\n")[0]: section.partition("\n")[2] for section in sections}
    recipes = re.split(r"(?m)^\*\*(.*)\*\*: ", parts["Recipes"])
    return parts | {title: text[:1].upper() + text[1:] for title, text in zip(recipes[1::2], recipes[2::2])}


def own_page(text: str, page: str) -> str:
    """A page of site/pages, in which <!-- README: PART --> stands for a part of the README, and <!-- FILE: PATH --> for
    a source file."""
    parts = readme_parts()

    def part(found: re.Match[str]) -> str:
        if found[1] not in parts:
            raise Broken(f"site/pages/{page} shows {found[1]!r}, which README.md does not have; "
                         f"it has {', '.join(parts)}")
        return with_links(parts[found[1]].strip(), "README.md", page)

    def file(found: re.Match[str]) -> str:
        return f"```{found[1]}\n{(ROOT / found[2]).read_text(encoding='utf-8').rstrip()}\n```"

    return re.sub(r"<!-- FILE: (\w+) (.*?) -->", file, re.sub(r"<!-- README: (.*?) -->", part, text))


def write_pages(into: pathlib.Path) -> None:
    """Writes the pages of the documents and of site/pages, and the files that they show."""
    own = ROOT / "site" / "pages"
    pages = {place(path): with_links((ROOT / path).read_text(encoding="utf-8"), path, place(path))
             for path in matching(DOCUMENTS)}
    for path in FOUND_LAST:
        pages[place(path)] = f"---\nsearch:\n  boost: 0.1\n---\n{pages[place(path)]}"
    for file in own.rglob("*.md"):
        name = str(file.relative_to(own))
        if name in pages:
            raise Broken(f"site/pages/{name} has the place of another document; rename it")
        pages[name] = own_page(file.read_text(encoding="utf-8"), name)
    for name, text in pages.items():
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        (into / name).write_text(text, encoding="utf-8")
    for path in matching(FILES):
        shutil.copy(ROOT / path, into / place(path))
    shutil.copy(own / "site.css", into)
