"""The files that fathom leaks writes, and what its text may do to a terminal."""

from __future__ import annotations

import base64
import json
import os
import shutil
import stat
import subprocess
import sys

import pytest

import schemas
from conftest import LEAKS, PROGRAMS, run_command

NOBODY = 65534
CONTROLS = "\x1b[31mred\x1b]0;title\x07\r\n\x9b1m"


@pytest.fixture
def shared(tmp_path):
    """A sticky directory that everybody may write to, and in which another user has names."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to be two users")
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@pytest.mark.parametrize("option", ["-o", "--trace", "--map"])
@pytest.mark.parametrize("kind", ["file", "link", "link to nothing"])
def test_a_file_or_link_that_another_user_has_planted_is_refused(shared, tmp_path, option, kind):
    planted, goal = shared / "planted", tmp_path / "goal"
    if kind == "file":
        planted.write_text("theirs", encoding="ascii")
    else:
        planted.symlink_to(goal)
    if kind == "link":
        goal.write_text("precious", encoding="ascii")
    os.chown(planted, NOBODY, NOBODY, follow_symlinks=False)
    done = run_command(option, planted, "--", "true")
    assert done.returncode == 2
    assert "another user has put a file or link there" in done.stderr
    assert goal.exists() == (kind == "link")
    assert kind == "link to nothing" or planted.read_text(encoding="ascii") == {"file": "theirs",
                                                                               "link": "precious"}[kind]


def test_an_own_link_in_such_a_directory_is_followed(shared, tmp_path, build):
    link, goal = shared / "link", tmp_path / "goal"
    link.symlink_to(goal)
    assert run_command("-o", link, "--", build("bad_frees.c"), "none").returncode in (0, 1)
    assert link.is_symlink()
    assert stat.S_ISREG(goal.stat().st_mode) and goal.read_text(encoding="utf-8").startswith("fathom leaks: ")


def is_harmless(text):
    return all(each == "\n" or each.isprintable() for each in text)


def test_names_from_a_trace_do_not_control_the_terminal(build, tmp_path):
    trace = tmp_path / "trace"
    run_command("--trace", trace, "--", build("objects.cc"))
    lines = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]

    def with_controls(value):
        if isinstance(value, list):
            return [value[0], *(with_controls(each) for each in value[1:])] if value else value
        return value + CONTROLS if isinstance(value, str) and "/" in value else value
    trace.write_text("".join(json.dumps(with_controls(line)) + "\n" for line in lines), encoding="utf-8")
    done = subprocess.run([sys.executable, LEAKS, "--from", trace], capture_output=True, text=True, check=False,
                          timeout=120)
    assert is_harmless(done.stdout + done.stderr)
    assert "\\x1b[31mred" in done.stdout + done.stderr


@pytest.mark.parametrize("words", [
    ["-o", f"/no{CONTROLS}/file", "--", "true"], ["--from", f"/no{CONTROLS}"], ["--depth", CONTROLS, "--", "true"],
    [f"--{CONTROLS}", "--", "true"], ["--", f"/no{CONTROLS}"]], ids=["output", "trace", "number", "option", "command"])
def test_a_message_about_an_argument_does_not_control_the_terminal(words):
    done = run_command(*words)
    assert done.returncode == 2
    assert is_harmless(done.stdout + done.stderr)


@pytest.mark.parametrize("name, arguments, options", [
    ("bad_frees.c", ["realloc"], []), ("bad_frees.c", ["stack"], []), ("starts.c", ["system", "vfork", "fork"], []),
    ("forks.c", [], []), ("objects.cc", [], ["--all"]), ("endings.c", ["exec"], []),
    ("many.c", ["100"], ["--sample", "10"]), ("many.c", ["100"], ["--sample-bytes", "70"]),
    ("marks.c", [], ["--start-at", "phase_begins", "--stop-at", "phase_nine"]), ("many.c", ["10", b"\xff"], []),
], ids=str)
def test_json_matches_its_schema(build, leaks, name, arguments, options):
    report = leaks([build(name), *arguments], *options).report
    schemas.assert_described(report, "fathom.leaks/1")
    report["processes"][0]["started"] = "unknown"
    assert not schemas.is_valid(report)


def test_json_of_a_program_without_symbols_matches_its_schema(build, leaks):
    report = leaks([build("many.c", "-s"), "10"]).report
    assert None in {frame["function"] for leak in report["processes"][0]["leaks"] for frame in leak["stack"]}
    schemas.assert_described(report, "fathom.leaks/1")


def test_a_program_is_followed_whose_path_and_source_are_not_utf8(leaks, tmp_path):
    folder = tmp_path / os.fsdecode(b"odd\xff")
    folder.mkdir()
    source, program = shutil.copy(PROGRAMS / "many.c", folder), folder / "many"
    subprocess.run(["gcc", "-g", "-O0", "-fno-builtin", source, "-o", program], check=True)
    report = leaks([program, "10"]).report
    process, = report["processes"]
    leak, = process["leaks"]
    assert names_in(process, "program") == (str(program).replace("\udcff", "\ufffd"), os.fsencode(program))
    assert not report["notes"]
    stack = [(frame["function"], names_in(frame, "module")[1], names_in(frame, "file")[1]) for frame in leak["stack"]]
    assert stack == [(name, os.fsencode(program), os.fsencode(source)) for name in ("allocate", "main")]
    word, none = report["command_b64"]
    assert (base64.b64decode(word), none) == (os.fsencode(program), None)
    schemas.assert_described(report, "fathom.leaks/1")


def names_in(table, name):
    """What is shown, and the bytes."""
    return table[name], base64.b64decode(table[f"{name}_b64"])


def test_text_shows_the_bytes_of_a_name_that_is_not_utf8(tmp_path):
    program = tmp_path / os.fsdecode(b"odd\xff")
    shutil.copy("/bin/true", program)
    done = run_command("--", program)
    assert "odd\\xff" in done.stderr and "udcff" not in done.stderr


def test_a_file_that_cannot_be_written_keeps_its_content(tmp_path):
    """As on a full disk, less fits than is to be written."""
    file = tmp_path / "old"
    file.write_text("old", encoding="ascii")
    file.chmod(0o640)
    source = """
import resource, signal, sys
from fathom_leaks import output
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
try:
    output.write(sys.argv[1], "x" * int(sys.argv[2]))
except output.CannotRun as error:
    sys.exit(str(error))
"""

    def write(size):
        return subprocess.run([sys.executable, "-c", source, file, str(size)], check=False, capture_output=True,
                              text=True, env={**os.environ, "PYTHONPATH": str(LEAKS.parent)})
    refused = write(10_000)
    assert (refused.returncode, refused.stderr) == (1, f"cannot write {file}: File too large\n")
    assert file.read_text(encoding="ascii") == "old" and list(tmp_path.iterdir()) == [file]
    assert write(60).returncode == 0
    assert file.read_text(encoding="ascii") == "x" * 60 and stat.S_IMODE(file.stat().st_mode) == 0o640


def write_as(user, path, text):
    source = "import os, sys; from fathom_leaks import output; os.setgroups([]); os.setgid(int(sys.argv[1])); " \
             "os.setuid(int(sys.argv[1])); output.write(sys.argv[2], sys.argv[3])"
    return subprocess.run([sys.executable, "-c", source, str(user), path.name, text], cwd=path.parent, check=False,
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(LEAKS.parent)})


def test_a_file_keeps_its_owner(shared):
    file = shared / "report"
    file.write_text("old", encoding="ascii")
    file.chmod(0o600)
    os.chown(file, NOBODY, NOBODY)
    shared.chmod(0o755)
    assert write_as(0, file, "new").returncode == 0
    found = file.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (NOBODY, NOBODY, 0o600)
    assert file.read_text(encoding="ascii") == "new"


def test_a_file_that_cannot_be_replaced_is_written_to(shared):
    """In a sticky directory, only the owner of a file may give its name to another one."""
    file = shared / "report"
    file.write_text("old text", encoding="ascii")
    file.chmod(0o666)
    done = write_as(NOBODY, file, "new")
    assert done.returncode == 0, done.stderr
    assert file.read_text(encoding="ascii") == "new" and list(shared.iterdir()) == [file]
