"""Compares two git revisions: the same contender of both, built in separate checkouts."""

from __future__ import annotations

import contextlib
import dataclasses
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from fathom_lab.errors import LabError
from fathom_lab.experiment import Contender, Experiment

CHECKOUT = "."  # the working tree, with uncommitted changes


@contextlib.contextmanager
def checkouts(repository: Path, revisions: Sequence[str], cache: Path, keep: bool = False) -> Iterator[list[Path]]:
    """Provides a folder for each revision while the block lasts. Raises LabError for a revision that does not exist.

    The paths of the checkouts are equally long: the length of a program's path shifts its stack, and with it its
    speed. The path of the working tree, `.`, may differ in length, which affects only contenders whose command
    contains {root}.
    """
    commits = [CHECKOUT if one == CHECKOUT else commit(repository, one) for one in revisions]
    made: list[Path] = []
    try:
        for number, one in enumerate(commits):
            if one != CHECKOUT:
                made.append(_new(cache.absolute() / f"checkout-{number}"))
                git(repository, "worktree", "add", "--force", "--detach", str(made[-1]), one)
        left = iter(made)
        yield [repository if one == CHECKOUT else next(left) for one in commits]
    finally:
        if not keep:
            _remove(repository, made, cache)


def _new(folder: Path) -> Path:
    if folder.exists():
        raise LabError(f"{folder} already exists; remove it with git worktree remove, or choose another --cache")
    return folder


def check(repository: Path, revisions: Sequence[str]) -> None:
    """Raises LabError for a revision that does not exist."""
    git(repository, "rev-parse", "--git-dir", otherwise=f"{repository} is not a git repository")
    for one in revisions:
        if one != CHECKOUT:
            commit(repository, one)


def commit(repository: Path, revision: str) -> str:
    """The full hash of a revision."""
    named = ("--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return git(repository, "rev-parse", *named, otherwise=f"{revision} is not a revision of {repository}")


def compared(experiment: Experiment, contender: str, labels: Sequence[str]) -> Experiment:
    """The experiment that compares a contender of the first revision, as the baseline, with that of the second."""
    if labels[0] == labels[1]:
        raise LabError(f"both revisions are {labels[0]}: specify two different ones, or `.` for the working tree")
    chosen = experiment.contender(contender)
    both = tuple(attrs.evolve(chosen, name=f"{contender}@{label}") for label in labels)
    return dataclasses.replace(
        experiment,
        question=f"Is {contender} of {labels[1]} faster than that of {labels[0]}? ({experiment.question})",
        baseline=both[0].name,
        contenders=both,
        skip=tuple(one for old in experiment.skip for one in _skips(old, contender, both)),
        goals=(),
        seed_table=None,
    )


def _skips(skip: Mapping[str, Any], contender: str, both: Sequence[Contender]) -> list[Mapping[str, Any]]:
    if "contender" not in skip:
        return [skip]
    return [{**skip, "contender": one.name} for one in both] if skip["contender"] == contender else []


def _remove(repository: Path, folders: Sequence[Path], cache: Path) -> None:
    """Removes only our own worktrees: `git worktree prune` would also drop those on disks that are temporarily absent.
    """
    for folder in folders:
        with contextlib.suppress(LabError):  # not created yet
            git(repository, "worktree", "remove", "--force", "--force", str(folder))
    with contextlib.suppress(OSError):  # not empty
        cache.rmdir()


def git(repository: Path, *arguments: str, otherwise: str = "") -> str:
    """Runs git and returns its output. Raises LabError with `otherwise` and git's own message."""
    try:
        done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, text=True,
                              errors="replace", stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise LabError(f"cannot start git: {error.strerror}") from error
    if done.returncode:
        words = " ".join(done.stderr.removeprefix("fatal: ").split())
        raise LabError(": ".join(filter(None, (otherwise or f"git {arguments[0]} failed in {repository}", words))))
    return done.stdout.strip()
