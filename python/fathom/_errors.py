"""The exceptions of Fathom."""

import errno
import re


class Error(Exception):
    """Fathom cannot do what was asked; the text is one sentence that says why.

    Parts of a tree that cannot be read are not exceptions but rows of `Scan.errors`.
    """

    __module__ = "fathom"


class NotFound(Error, FileNotFoundError):
    """A path, a store or a snapshot does not exist."""

    __module__ = "fathom"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.errno = errno.ENOENT  # handlers of OSError look at it


class UsageError(Error, ValueError):
    """An argument is wrong."""

    __module__ = "fathom"

    def __init__(self, message: str) -> None:
        # The messages are those of the command, which spells options in its way.
        named = re.sub(r"'--([a-z-]+)'", lambda option: "'" + option[1].replace("-", "_") + "'", message)
        named = named.replace("option '", "argument '").replace("options '", "arguments '")
        # Examples, one a line.
        super().__init__(re.sub(r"\n  --([a-z-]+) (\S+)", _assignment, named))


def _assignment(example: re.Match[str]) -> str:
    return f"\n  {example[1].replace('-', '_')}={example[2]!r}"
