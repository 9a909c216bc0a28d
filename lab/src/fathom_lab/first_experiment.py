"""Writes a first experiment from command lines."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

from fathom_lab import experiment, session
from fathom_lab.errors import LabError
from fathom_lab.experiment import AGAIN

_LONGEST = 40  # characters of a contender's name
# Quoted parts of a command line in which the shell replaces nothing.
_QUOTED = r"""'[^']*'|"(?:\\.|[^"\\$`])*"|\\."""
_FILE = """\
# {made}
question = {question}
baseline = {baseline}
measures = ["wall", "cpu", "peak_memory"]  # the first one answers the question
{build}
[plan]
rounds = 20  # 10 are enough for large differences

[smoke]  # with --smoke: only checks that everything works
rounds = 2

[defaults]
driver = "command"
{folder}# check = "^done"  # what standard output must match: a program that skips the work cannot win
{contenders}"""


def write(commands: Sequence[str], name: str | None = None) -> Path:
    """Writes lab/experiments/NAME.toml in the project around the current folder and returns its path. Raises LabError
    if there is one, and for commands that cannot be parsed."""
    words = [_words(command) for command in commands]
    if len(set(commands)) < len(commands):
        raise LabError("two of the commands are the same; the lab compares the first with itself in any case")
    names = _names(words)
    chosen = name or re.sub(r"[^\w.]+", "-", "-vs-".join(names)).strip("-.")
    if not re.fullmatch(r"\w[\w.-]*", chosen):
        raise LabError(f"{chosen!r} cannot be the name of an experiment; use letters, digits, and -")
    root = session.project(Path("lab"))
    file = root / "lab" / "experiments" / f"{chosen}.toml"
    text = _text(commands, names, os.path.relpath(Path.cwd(), root))
    experiment.parse_text(text, file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        data = text.encode()
        with open(file, "xb") as opened:
            opened.write(data)
    except FileExistsError:
        raise LabError(f"{_shown(file)} already exists; choose another name with --name") from None
    except (OSError, UnicodeEncodeError) as error:
        raise LabError(f"{_shown(file)} cannot be written: {error}") from error
    return _shown(file)


def _shown(file: Path) -> Path:
    return Path(os.path.relpath(file))


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise LabError(f"{command!r} is not a command line: {error}") from error
    if not words:
        raise LabError("a command is empty")
    return words


def _names(commands: Sequence[Sequence[str]]) -> list[str]:
    """The program's name, and, where several have the same one, the arguments that not all of them have."""
    programs = [Path(words[0]).name for words in commands]
    common = set.intersection(*(set(words[1:]) for words in commands))
    names: list[str] = []
    for program, words in zip(programs, commands):
        own = [word for word in words[1:] if word not in common] if programs.count(program) > 1 else []
        name = " ".join([program, *own])[:_LONGEST].replace(",", " ")
        name = f"{name} {len(names) + 1}" if name in names or name == AGAIN else name
        names.append(name)
    return names


def _text(commands: Sequence[str], names: Sequence[str], folder: str) -> str:
    question = f"Is {' or '.join(names[1:])} faster than {names[0]}?" if names[1:] else f"Is {names[0]} still as fast?"
    made = shlex.join(["fathom-lab", "init", *commands])
    build = '# build = [["make"]]  # run in the project\'s folder before the first round, for each revision\n'
    return _FILE.format(
        made=f"Made by: {''.join(letter if letter.isprintable() else '?' for letter in made)}",
        question=_quoted(question),
        baseline=_quoted(names[0]),
        build=build,
        folder=f"folder = {_quoted(_literal(folder))}\n" if folder != "." else "",
        contenders="".join(f"\n[[contender]]\nname = {_quoted(name)}\n{_command(command)}\n"
                           for name, command in zip(names, commands)),
    )


def _command(command: str) -> str:
    bare = re.sub(_QUOTED, "", command)
    if re.search(r"[|&;<>()$`*?~#\n]|^\s*\w+=", bare):
        return f"command = {_quoted(_literal(command))}\nshell = true  # the shell's start counts, too"
    return f"command = [{', '.join(_quoted(_literal(word)) for word in shlex.split(command))}]"


def _literal(text: str) -> str:
    """Braces would be placeholders."""
    return text.replace("{", "{{").replace("}", "}}")


def _quoted(text: str) -> str:
    """A string of TOML: that of JSON, except for one character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
