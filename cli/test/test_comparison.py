"""docs/COMPARISON.md has a command, a request or a test for each row; these tests run the first two."""

import pathlib
import re
import shlex
import subprocess

import pytest

from serving import Serving

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "COMPARISON.md"
CELLS = sorted(set(re.findall(r"(?m)^\|[^|]*\| `([^`]*)` \|", DOCUMENT.read_text(encoding="utf-8"))))
REQUESTS = [cell for cell in CELLS if cell.startswith(("GET ", "POST "))]
SERVERS = [cell for cell in CELLS if "fathom serve" in cell]
COMMANDS = [cell for cell in CELLS if cell.startswith("fathom ") and cell not in SERVERS]
TESTS = set(CELLS) - {*REQUESTS, *SERVERS, *COMMANDS}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.txt").write_text("hello")
    (tmp_path / "sub" / "b.o").hardlink_to(tmp_path / "sub" / "a.txt")
    (tmp_path / "sub" / "copy.txt").write_text("hello")
    (tmp_path / "link").symlink_to("nowhere")
    return tmp_path


def run(command, folder):
    script = 'fathom() { "$FATHOM" "$@"; }\n' + command
    return subprocess.run(["bash", "-e", "-c", script], cwd=folder, capture_output=True, text=True, check=False)


def test_the_document_has_commands_and_requests():
    assert len(COMMANDS) > 20 and len(REQUESTS) > 5 and len(SERVERS) > 2


@pytest.mark.parametrize("command", COMMANDS)
def test_works(command, folder):
    result = run(command, folder)
    assert result.returncode == 0, result.stderr
    assert result.stderr == "" or any(flag in command for flag in ("--progress", "--explain", "--plan"))
    assert result.stdout or "-o saved" in command


@pytest.mark.parametrize("command", SERVERS)
def test_serves(command, folder):
    *before, last = command.split(" && ")
    for step in before:
        assert run(step, folder).returncode == 0
    with Serving(*shlex.split(last)[2:], cwd=folder) as server:
        assert server.stop() == 0


@pytest.mark.parametrize("request_line", REQUESTS)
def test_is_answered(request_line, folder):
    method, target = request_line.split(" ")
    with Serving(folder) as server:
        server.complete()
        if target == "/api/1/events":
            with server.events() as events:
                assert events.event()["state"] == "complete"
            return
        reply = server.ask(target, method=method)
        assert reply.status == {"GET": 200, "POST": 202}[method], reply.body
        assert reply.json()["generation"] > 0


@pytest.mark.parametrize("name", sorted(TESTS))
def test_exists(name):
    assert (DOCUMENT.parents[1] / name).is_file()
