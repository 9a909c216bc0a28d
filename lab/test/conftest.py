"""Environment settings of the caller that tests must not inherit."""

from __future__ import annotations

import os

import pytest


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Removes the terminal's size and colours, and hides surrounding git repositories and configurations."""
    terminal = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")
    for name in [name for name in os.environ if name in terminal or name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path_factory.getbasetemp()))
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
