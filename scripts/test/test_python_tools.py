"""Tests of scripts/python_tools.py: when it installs the programs of a list."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import python_tools  # noqa: E402


@pytest.fixture(name="checkout")
def checkout_fixture(tmp_path):
    checkout = tmp_path / "checkout"
    (checkout / "scripts").mkdir(parents=True)
    (checkout / "scripts/tools.txt").write_text("one\n")
    (checkout / "build/tools").mkdir(parents=True)
    return checkout


def times_installed(checkout, monkeypatch):
    """Asks for a program twice."""
    installed = []
    monkeypatch.setattr(python_tools, "ROOT", checkout)
    monkeypatch.setattr(python_tools, "_install_with_uv", lambda _, home: installed.append(home))
    for _ in range(2):
        assert python_tools.tool("pip", "tools") == checkout / "build/tools/bin/pip"
    return len(installed)


def test_programs_are_installed_once(checkout, monkeypatch):
    assert times_installed(checkout, monkeypatch) == 1
    assert times_installed(checkout, monkeypatch) == 0


def test_programs_are_installed_again_when_the_list_has_changed(checkout, monkeypatch):
    times_installed(checkout, monkeypatch)
    (checkout / "scripts/tools.txt").write_text("two\n")
    assert times_installed(checkout, monkeypatch) == 1


def test_programs_are_installed_again_when_the_sources_were_moved(checkout, monkeypatch):
    times_installed(checkout, monkeypatch)
    assert times_installed(checkout.rename(checkout.parent / "elsewhere"), monkeypatch) == 1
