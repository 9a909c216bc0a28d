from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from fathom_lab import progress
from fathom_lab.runner import Step


def test_the_first_frame_shows_the_total(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setenv("TERM", "xterm")  # a dumb terminal shows no progress
    monkeypatch.setattr(progress, "Console", lambda stderr: Console(file=screen, force_terminal=True, width=120))
    with progress.shown() as on_progress:
        on_progress(Step("which", 0, "old", (), 0, 9))
    with progress.counted("comparing") as on_count:
        on_count(0, 7)
    counts = set(re.findall(r"\d+/[\w.]+", screen.getvalue()))
    assert counts == {"0/9", "0/7"}
