"""The folder of a run and its rounds, for the commands that measure."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom_lab.cli import output
from fathom_lab.cli.arguments import Size
from fathom_lab.errors import CannotBuild, LabError

if TYPE_CHECKING:
    from fathom_lab.experiment import Experiment
    from fathom_lab.run_folder import RunFolder, Settings

_GO_VARIABLES = ("GOMAXPROCS", "GOGC", "GOMEMLIMIT", "GODEBUG")


def planned(files: Sequence[Path], experiments: Sequence[Experiment], size: Size,
            profiles: Sequence[str] = ()) -> RunFolder:
    """Creates a folder with everything except the rounds."""
    from fathom_lab import session

    roots = sorted({session.project(file) for file in files})
    if len(roots) > 1:
        raise LabError(f"the experiments belong to different projects: {', '.join(map(str, roots))}; run them apart")
    settings = size.settings(roots[0])
    folder = _new_folder(experiments, size, settings)
    for file, one in zip(files, experiments):
        kept = dataclasses.replace(settings, source=str(file.absolute()), profiles=tuple(dict.fromkeys(profiles)))
        folder.add(one, kept, file.read_bytes())
    return folder


def compared(one: Experiment, contenders: Sequence[str], labels: tuple[str, str]) -> list[Experiment]:
    """One experiment for each contender; only the baseline if `contenders` is empty."""
    from fathom_lab import revisions

    found = [revisions.compared(one, name, labels) for name in contenders or (one.baseline,)]
    if len(found) == 1:
        return found
    return [dataclasses.replace(each, name=f"{one.name}-{number}") for number, each in enumerate(found, 1)]


@contextlib.contextmanager
def side_by_side(file: Path, one: Experiment, experiments: Sequence[Experiment], labels: tuple[str, str], size: Size,
                 cache: Path | None = None, keep: bool = False) -> Iterator[RunFolder]:
    """Creates a folder with everything except the rounds, and the two checkouts, which last as long as the block."""
    from fathom_lab import environment, revisions, session

    root = session.project(file)
    revisions.check(root, labels)
    settings = size.settings(root)
    folder = _new_folder([one], size, settings)
    with folder_printed(folder), revisions.checkouts(root, labels, cache or folder.path / "checkouts", keep) as roots:
        for label, checkout in zip(labels, roots):
            if one.build and not size.no_build:
                output.say(f"building {label}")
                _build_revision(one, label, checkout, folder.path / "build.log")
        commits = [environment.commit(path) for path in roots]
        folder.update_environment({"revisions": dict(zip(labels, commits))})
        for each in experiments:
            theirs = {contender.name: str(path) for contender, path in zip(each.contenders, roots)}
            folder.add(each, dataclasses.replace(settings, revisions=labels, roots=theirs), file.read_bytes())
        yield folder


def _build_revision(one: Experiment, label: str, checkout: Path, log: Path) -> None:
    from fathom_lab import session

    try:
        session.build([one], checkout, log)
    except LabError as error:
        raise CannotBuild(label, str(error)) from error


def _new_folder(experiments: Sequence[Experiment], size: Size, settings: Settings) -> RunFolder:
    from fathom_lab import counters, session

    folder = session.new_folder(size.into, experiments, settings, command=_command_line())
    if size.counters and (reason := counters.unavailable()):
        click.echo(f"note: the processor's counters are {reason}", err=True)
    return folder


def build(folder: RunFolder) -> None:
    """Builds what the incomplete experiments need."""
    from fathom_lab import session

    left = [folder.experiment(name) for name in unfinished(folder)]
    if any(one.build for one in left):
        output.say("building")
        session.build(left, Path(folder.settings(left[0].name).root), folder.path / "build.log")


def unfinished(folder: RunFolder) -> list[str]:
    """The experiments whose rounds are not complete."""
    return [name for name in folder.names() if not folder.settings(name).complete]


def run(folder: RunFolder, force: bool = False) -> int:
    """Runs the remaining rounds and shows the results. An experiment that cannot run does not stop the others."""
    from fathom_lab import profiles, progress, runner, session

    errors: dict[str, LabError] = {}
    profiled: list[str] = []
    left = unfinished(folder)
    try:
        with progress.shown() as on_progress:
            for name in left:
                try:
                    session.remember_programs(folder, name, force)
                    session.run(folder, name, on_progress=on_progress)
                    if kinds := folder.settings(name).profiles:
                        profiled += profiles.report_lines(profiles.record(folder, name, kinds))
                except LabError as error:
                    errors[name] = error
    except KeyboardInterrupt:
        output.show(folder, errors)
        raise
    code = output.show(folder, errors)
    for line in profiled:
        click.echo(line)
    for reason in errors.values():
        click.echo(f"skipped: {reason}", err=True)
    only_missing = all(isinstance(one, runner.NothingToCompare) for one in errors.values())
    return code if only_missing and len(errors) < max(len(left), 1) else output.WRONG


@contextlib.contextmanager
def folder_printed(folder: RunFolder) -> Iterator[None]:
    """Prints the folder on Ctrl-C, so that users can find the results of the rounds so far."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo(folder.path)
        names = folder.names()
        resumable = names and not any(folder.settings(name).revisions for name in names)
        resume = f"; to continue: fathom-lab run --resume {folder.path}" if resumable else ""
        click.echo(f"interrupted{resume}", err=True)
        output.end(output.INTERRUPTED)


def _command_line() -> str:
    """The command line of this run, with the variables that change what Go's contenders do."""
    variables = [f"{name}={shlex.quote(os.environ[name])}" for name in _GO_VARIABLES if os.environ.get(name)]
    return " ".join([*variables, shlex.join(["fathom-lab", *sys.argv[1:]])])
