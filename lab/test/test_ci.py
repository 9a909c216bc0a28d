"""The examples for CI: their syntax, their options, and what their scripts do."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from fathom_lab.cli import main
from fathom_lab.gate import markdown

yaml = pytest.importorskip("yaml", reason="python3-yaml is not installed")
FOLDER = Path(__file__).parents[1] / "ci"
FILES = sorted(FOLDER.glob("*.yml"))


def read(name: str) -> dict[str, Any]:
    table: dict[str, Any] = yaml.safe_load((FOLDER / name).read_text())
    return table


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


def steps() -> dict[str, str]:
    """The scripts of the job for GitHub, by name."""
    return {step.get("name", ""): step["run"] for step in read("github.yml")["jobs"]["gate"]["steps"] if "run" in step}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_commands_exist_with_their_options(file: Path) -> None:
    lines = re.findall(r"^\s*(fathom-lab .*?)(?: \|\| .*)?$", "\n".join(strings(read(file.name))), re.MULTILINE)
    assert lines
    for line in lines:
        name, *arguments = shlex.split(line)[1:]
        command = main.commands[name]
        command.make_parser(click.Context(command)).parse_args(arguments)  # raises an error for an unknown option


def scripted(folder: Path, script: str, programs: dict[str, str], **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a script as GitHub does, with fakes of programs."""
    for name, text in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, text=True, capture_output=True,
                          env={"PATH": f"{folder}:{os.environ['PATH']}", **variables}, check=False)


@pytest.mark.parametrize("code, expected", [(0, 0), (1, 1), (2, 2), (3, 0), (4, 4)])
def test_only_a_noisy_machine_does_not_fail_the_job(tmp_path: Path, code: int, expected: int) -> None:
    fake = f'[ "$4" = origin/main ] && echo result >"$6"; exit {code}'
    done = scripted(tmp_path, steps()["Compare with the target branch"], {"fathom-lab": fake},
                    GITHUB_BASE_REF="main", GITHUB_STEP_SUMMARY="summary.md")
    assert done.returncode == expected
    assert (tmp_path / "summary.md").read_text() == "result\n"
    assert ("::warning::" in done.stdout) == (code == 3)
    assert read("gitlab.yml")["performance"]["allow_failure"] == {"exit_codes": 3}


@pytest.mark.parametrize("earlier, call", [
    ("", "pr comment 7 --repo me/it --body-file gate.md"),
    ("12\n34", "api --method PATCH repos/me/it/issues/comments/12 --field body=@gate.md --silent"),
])
def test_an_earlier_comment_is_replaced(tmp_path: Path, earlier: str, call: str) -> None:
    fake = f'case "$*" in *--paginate*) printf %s {shlex.quote(earlier)};; *) echo "$@";; esac'
    done = scripted(tmp_path, steps()["Write the comment, or replace it"], {"gh": fake}, NUMBER="7",
                    GITHUB_REPOSITORY="me/it")
    assert (done.returncode, done.stdout) == (0, f"{call}\n"), done.stderr
    assert f'startswith("{markdown.MARK}")' in steps()["Write the comment, or replace it"]
