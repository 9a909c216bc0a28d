"""docs/BROWSE.md shows the screens of tui/test/golden.

FATHOM_UPDATE_GOLDEN=1 writes them into the document.
"""

import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[2]
DOCUMENT = ROOT / "docs/BROWSE.md"
SCREEN = re.compile(r"<!-- screen (?P<file>\S+)(?: (?P<lines>\d+))? -->\n```\n(?P<text>.*?)```\n", re.S)


def screen(match):
    """The golden screen, or its first lines and its last three."""
    text = (ROOT / "tui/test/golden" / match["file"]).read_text(encoding="utf-8")
    lines = text.split("---- styles\n")[0].splitlines()
    if match["lines"]:
        lines = [*lines[:int(match["lines"])], " ...", *lines[-3:]]
    return "".join(line + "\n" for line in lines)


def test_the_document_shows_the_screens_of_the_tests():
    text = DOCUMENT.read_text(encoding="utf-8")
    assert len(SCREEN.findall(text)) >= 5
    wanted = SCREEN.sub(lambda match: match[0].replace(f"```\n{match['text']}```", f"```\n{screen(match)}```"), text)
    if os.environ.get("FATHOM_UPDATE_GOLDEN") == "1":
        DOCUMENT.write_text(wanted, encoding="utf-8")
    elif text != wanted:
        pytest.fail("docs/BROWSE.md shows other screens; FATHOM_UPDATE_GOLDEN=1 rewrites them", pytrace=False)
