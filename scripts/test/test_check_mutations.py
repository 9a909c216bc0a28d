"""Tests of scripts/check-mutations: how it runs programs with planted bugs."""

import importlib.machinery
import importlib.util
import os
import pathlib
import select

PATIENCE = 300  # seconds after which a process counts as hung
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def check_mutations():
    loader = importlib.machinery.SourceFileLoader("check_mutations", str(ROOT / "scripts" / "check-mutations"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_mutations", loader))
    loader.exec_module(module)
    return module


def test_a_program_that_ends_is_reported_with_its_output(tmp_path):
    assert check_mutations().run(["sh", "-c", "echo said; exit 3"], str(tmp_path), PATIENCE) == (3, "said\n", False)


def test_a_program_that_hangs_ends_with_the_processes_that_it_has_started(tmp_path):
    read, write = os.pipe()
    result = check_mutations().run(["sh", "-c", "sleep 1000 & wait"], str(tmp_path), 0.5, pass_fds=(write,))
    os.close(write)
    assert result == (-1, "", True)
    assert select.select([read], [], [], PATIENCE)[0], "nobody has the pipe any more"
    os.close(read)
