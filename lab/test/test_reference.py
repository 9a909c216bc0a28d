from __future__ import annotations

import os
from pathlib import Path

from fathom_lab import reference

DOCUMENT = Path(__file__).parents[1] / "EXPERIMENTS.md"


def test_the_document_lists_every_key_of_every_table() -> None:
    """FATHOM_UPDATE_GOLDEN=1 writes it."""
    if os.environ.get("FATHOM_UPDATE_GOLDEN"):
        DOCUMENT.write_text(reference.text(), encoding="utf-8")
    assert DOCUMENT.read_text(encoding="utf-8") == reference.text()
