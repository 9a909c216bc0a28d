"""Turns the comments of C++ headers into those that Doxygen reads.

Headers explain themselves in plain comments: one at the top, about the file and the class that it is named after; one
above each declaration, or behind it. Doxygen reads only comments with a mark, and takes characters such as < and @ for
commands.
"""

import re
from collections.abc import Iterator

COMMENT = re.compile(r"( *)//(?!/)(.*)")
BEHIND = re.compile(r"( *[^ /].*?[;,}\w] +)// (.*)")
# What opens a scope of declarations; any other brace opens code, whose comments are not about the interface.
SCOPE = re.compile(r"(?:template <.*?> )?(?:requires .*? )?(?:inline |typedef )*"
                   r"(?:namespace|class|struct|enum|union|extern)\b(?!.*\) (?:const |noexcept |override )*$)")
ASIDE = re.compile(r" ?(?:NOLINT|clang-format|namespace )")


def escaped(text: str) -> str:
    """Text without commands for Doxygen, except in backticks."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\@<>&#%*])", r"\\\1", part) for part in parts)


def marked(lines: list[str]) -> Iterator[str]:
    """The lines of a comment, without their slashes, as Doxygen's Markdown. Indented paragraphs are code."""
    code = False
    begins = True  # a paragraph
    for line in lines:
        if not code and begins and re.match(r" {3,}[^ -]", line):
            yield "@code{.cpp}"
            code = True
        elif code and re.match(r" {0,2}[^ ]", line):
            yield "@endcode"
            code = False
        begins = not line.strip()
        yield line[3:] if code else escaped(line[1:])
    if code:
        yield "@endcode"


class Scopes:
    """Follows the braces, to tell declarations from code."""

    def __init__(self) -> None:
        self._declares = [True]
        self._statement = ""

    def read(self, line: str) -> None:
        line = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//.*', "", line)
        if line.startswith("#"):
            return
        for piece in re.split(r"([{};]|(?:public|private|protected):)", line):
            if piece == "{":
                self._declares.append(self._declares[-1] and bool(SCOPE.match(self._statement.strip())))
            elif piece == "}" and len(self._declares) > 1:
                self._declares.pop()
            if piece in ("{", "}", ";") or piece.endswith(":"):
                self._statement = ""
            else:
                self._statement += f" {piece.strip()}"

    def declares(self) -> bool:
        return self._declares[-1]


def of_file(lines: list[str], source: str) -> Iterator[str]:
    """The comment at the top: about the class that it names, if there is one, and about the file."""
    name = (re.match(r" (\w+): ", lines[0]) or [""] * 2)[1]
    namespace = re.search(r"(?m)^namespace ([\w:]+) \{", source)
    has_class = re.search(rf"(?m)^(class|struct)(?: alignas\(.*?\))? {name}\b[^;]*\{{", source) if name else None
    yield from ("/**", "@file", "", *marked(lines), "*/")
    if has_class and namespace:
        yield from ("/**", f"@{has_class[1]} {namespace[1]}::{name}", "", *marked(lines), "*/")


def as_line_comments(source: str) -> str:
    """The header, if it is in C, with comments that begin with // in each line."""
    def lines(comment: re.Match[str]) -> str:
        column = comment.start() - source.rfind("\n", 0, comment.start()) - 1
        said = [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in f"*{comment[1]}".rstrip().split("\n")]
        return f"\n{' ' * column}".join(f"// {line}".rstrip() for line in said if line or said[-1] is not line)

    return re.sub(r"(?s)/\*(.*?)\*/", lines, source)


def for_doxygen(source: str) -> str:
    """The header, with its comments about declarations marked. Other comments are removed."""
    source = as_line_comments(source)
    return "\n".join(_lines(source.splitlines(), source)) + "\n"


def _lines(lines: list[str], source: str) -> Iterator[str]:
    scopes = Scopes()
    at = comment_end(lines, 0)
    if at > 0:
        yield from of_file([line[2:] for line in lines[:at]], source)
    while at < len(lines):
        end = comment_end(lines, at)
        if end > at:
            if scopes.declares() and end < len(lines) and re.match(r" *[^ }#/]", lines[end]):
                yield from ("/**", *marked([line.lstrip()[2:] for line in lines[at:end]]), "*/")
            at = end
            continue
        line = lines[at]
        scopes.read(line)
        at += 1
        behind = BEHIND.fullmatch(line)
        if not behind or ASIDE.match(behind[2]) or not scopes.declares():
            yield line
            continue
        said = [f" {behind[2]}"]
        while at < len(lines) and (more := COMMENT.fullmatch(lines[at])) and len(more[1]) == len(behind[1]):
            said.append(more[2])
            at += 1
        yield f"{behind[1]}/**< {' '.join(marked(said)).strip()} */"


def comment_end(lines: list[str], begin: int) -> int:
    """Where the comment ends that begins at a line; the line itself if none does."""
    end = begin
    while end < len(lines) and (comment := COMMENT.fullmatch(lines[end])) and not ASIDE.match(comment[2]):
        end += 1
    return end
