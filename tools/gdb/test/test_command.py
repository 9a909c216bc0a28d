"""The command itself: what it leaves unchanged, and its messages."""

from __future__ import annotations

import os
import shutil
import subprocess
import textwrap
from pathlib import Path

import pytest

from conftest import LEAKS, leaks_of, run_command


def script(path: Path, text: str) -> Path:
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_program_keeps_its_input_output_and_arguments(build, leaks):
    words = ["", "two words", "'single'", '"double"', "$HOME", "back\\slash", "*", "a\nb", "é", "<", "--", "-o"]
    run = leaks([build("echo.c"), *words], input="to its input\n")
    assert run.out == "".join(f"[{word}]" for word in words) + "to its input\n"
    assert run.err == "error"
    assert run.process()["ended"]["code"] == 9


def test_the_program_keeps_its_environment(leaks):
    environment = dict(os.environ, SHELL="/bin/other", COLUMNS="33", LINES="7")
    run = leaks([shutil.which("env")], env=environment)
    told = dict(line.split("=", 1) for line in run.out.splitlines() if "=" in line)
    assert {name: told.get(name) for name in ("SHELL", "COLUMNS", "LINES")} == \
        {"SHELL": "/bin/other", "COLUMNS": "33", "LINES": "7"}


def test_the_report_goes_to_standard_error_and_starts_with_a_summary(build):
    done = run_command("--", build("calls.c"))
    assert done.stdout == ""
    assert done.stderr.splitlines()[0] == "fathom leaks: 1,734 bytes in 10 blocks never freed"


@pytest.mark.parametrize("width", [40, 200])
def test_the_text_fits(build, width):
    done = run_command("--", build("objects.cc"), env=dict(os.environ, COLUMNS=str(width)))
    assert done.stderr.startswith("fathom leaks: 573 bytes in 10 blocks")
    assert max(len(line) for line in done.stderr.splitlines()) <= width
    assert len(done.stderr.splitlines()) <= (60 if width == 40 else 45)


def test_stacks_of_a_stripped_program_show_offsets(build, leaks, tmp_path):
    whole = build("calls.c")
    stripped = tmp_path / "stripped"
    subprocess.run(["strip", "-o", stripped, whole], check=True)
    run = leaks([stripped])
    assert run.report["leaked"] == {"bytes": 1734, "blocks": 10}
    assert any(str(stripped) in note and "no symbols" in note for note in run.report["notes"])
    first = run.process()["leaks"][0]["stack"][0]
    assert first["function"] is None
    named = subprocess.run(["addr2line", "-f", "-e", whole, hex(first["offset"] - 1)], capture_output=True, text=True,
                           check=True)
    assert named.stdout.splitlines()[0] == "leak_aligned_alloc"


def test_stacks_without_debug_information_show_functions_with_a_note(build, leaks):
    run = leaks([build("calls.c", "-g0")])
    assert ("malloc", "leak_malloc") in leaks_of(run.process())
    assert any("no debug information" in note for note in run.report["notes"])


@pytest.mark.parametrize("arguments, sentence", [
    (["--"], "no command to run"),
    (["--", "./nowhere"], "program './nowhere' not found"),
    (["--gdb", "/nowhere/gdb", "--", "true"], "install the package gdb"),
    (["-o", "/nowhere/report", "--", "true"], "cannot write /nowhere/report: No such file"),
    (["--sample", "0", "--", "true"], "argument --sample: '0' is not a positive integer"),
    (["--depth", "many", "--", "true"], "argument --depth: 'many' is not a positive integer"),
    (["-o", "/dev/full", "--", "true"], "cannot write /dev/full: No space left"),
    (["-o", "/dev", "--", "true"], "cannot write /dev: it is a directory"),
    (["--trace", "/dev/null", "--", "true"], "must be a regular file"),
])
def test_errors_have_a_message_and_exit_code_2(arguments, sentence):
    done = run_command(*arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


def test_the_trace_and_the_report_need_two_files(tmp_path):
    file = tmp_path / "file"
    file.write_text("kept")
    done = run_command("--trace", file, "-o", f"{tmp_path}/./file", "--", "true")
    assert (done.returncode, "cannot both be" in done.stderr) == (2, True)
    assert file.read_text() == "kept"


def test_the_report_can_go_to_standard_output(build, tmp_path):
    done = run_command("-o", "-", "--", build("endings.c"), "return", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "fathom leaks: 40 bytes in 1 block never freed" in done.stdout.splitlines()
    assert list(tmp_path.iterdir()) == []


def test_the_trace_cannot_go_to_standard_output(tmp_path):
    (tmp_path / "-").write_text("kept")
    done = run_command("--trace", "-", "--", "true", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "fathom leaks: cannot keep the trace in -: it must be a regular file\n"
    assert (tmp_path / "-").read_text() == "kept"


def test_the_report_can_go_to_a_named_pipe(build, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        done = run_command("-o", pipe, "--", build("endings.c"), "return")
        told, _ = reader.communicate(timeout=60)
    assert (done.returncode, told.splitlines()[0]) == (1, "fathom leaks: 40 bytes in 1 block never freed")


@pytest.mark.parametrize("columns", ["wide", "0", "-3", ""])
def test_an_invalid_width_is_ignored(build, columns):
    done = run_command("--", build("endings.c"), "return", env=dict(os.environ, COLUMNS=columns))
    assert (done.returncode, done.stderr.splitlines()[0]) == (1, "fathom leaks: 40 bytes in 1 block never freed")


def test_a_script_is_rejected_with_a_hint(tmp_path):
    done = run_command("--", script(tmp_path / "program", "#!/bin/sh\nexit 0\n"))
    assert (done.returncode, "run its interpreter" in done.stderr) == (2, True)


def test_a_gdb_without_python_is_reported(tmp_path):
    gdb = script(tmp_path / "gdb", "#!/bin/sh\necho 'Python scripting is not supported in this copy of GDB.' >&2\n")
    done = run_command("--gdb", gdb, "--", "true")
    assert (done.returncode, "does not support Python" in done.stderr) == (2, True)


def test_a_refused_ptrace_is_reported(build):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed; under it no other process can trace the program")
    done = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", LEAKS, "--", build("echo.c")],
                          capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False, timeout=120)
    assert (done.returncode, "the kernel refuses ptrace" in done.stderr) == (2, True), done.stderr


def test_it_runs_from_an_installation(build, tmp_path):
    share = tmp_path / "share" / "fathom" / "gdb"
    shutil.copytree(LEAKS.parent / "fathom_leaks", share / "fathom_leaks")
    (tmp_path / "bin").mkdir()
    command = shutil.copy(LEAKS, tmp_path / "bin" / "fathom-leaks")
    done = subprocess.run([command, "--", build("endings.c"), "return"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "40 bytes in 1 block" in done.stderr


def test_the_command_in_the_build_tree_runs_it(build):
    if "FATHOM" not in os.environ:
        pytest.skip("FATHOM does not name the command")
    done = subprocess.run([os.environ["FATHOM"], "leaks", "--", build("endings.c"), "return"], capture_output=True,
                          text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr.splitlines()[0]) == (1, "fathom leaks: 40 bytes in 1 block never freed")
