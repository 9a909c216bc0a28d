"""`fathom-lab gate`."""

from __future__ import annotations

import contextlib
import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fathom_lab.cli import arguments, output, rounds
from fathom_lab.cli.arguments import Size
from fathom_lab.errors import CannotBuild

if TYPE_CHECKING:
    from fathom_lab.rows import Analysis
    from fathom_lab.run_folder import RunFolder


@click.command(epilog="Exit codes: 0 pass, 1 regression, 2 invalid usage, 3 the machine is too noisy or the baseline "
                     "cannot be built or run, 4 undecided with --strict, 130 interrupted.")
@click.argument("experiment", metavar="EXPERIMENT")
@arguments.size_options
@click.option("--against", metavar="REV", help="Compare the working tree with this git revision, as `ab REV .` does "
              "(default: compare the experiment's contenders with its baseline).")
@click.option("--contender", "contenders", multiple=True, metavar="NAME",
              help="With --against: compare this contender of the experiment (default: the baseline). Repeatable.")
@click.option("--tolerance", type=float, metavar="FRACTION", callback=lambda *given: arguments.fraction(given[2]),
              help="Largest difference that does not matter; 0.03 means 3 % (default: the experiment's).")
@click.option("--strict", is_flag=True, help="Also fail if the result is undecided.")
@click.option("--history", type=arguments.NEW_FILE, metavar="FILE",
              help="Append the outcome to this file (JSON lines), and show earlier outcomes on this machine.")
@click.option("--markdown", type=arguments.NEW_FILE, metavar="FILE.md",
              callback=lambda *given: arguments.writable(given[2]),
              help="Also write the result to FILE.md, as a comment for a pull request.")
def gate(experiment: str, size: Size, against: str | None, contenders: tuple[str, ...], tolerance: float | None,
         strict: bool, history: Path | None, markdown: Path | None) -> None:
    """Fail if a change is certainly slower, for CI. A result that looks worse is measured a second time."""
    from fathom_lab import gate as gates
    from fathom_lab import revisions, session

    if contenders and against is None:
        raise click.UsageError("--contender requires --against REV.")
    file = session.find(experiment)
    one = size.load(file)
    labels = (against or "", revisions.CHECKOUT)
    compared = [one] if against is None else rounds.compared(one, contenders, labels)
    tolerance = tolerance or one.plan.tolerance
    for each in compared:
        gates.check(each, tolerance)
    with contextlib.ExitStack() as stack:
        stack.enter_context(session.interruptible())
        if against is None:
            folder = rounds.planned([file], [one], size)
            stack.enter_context(rounds.folder_printed(folder))
            if not size.no_build:
                rounds.build(folder)
        else:
            try:
                folder = stack.enter_context(rounds.side_by_side(file, one, compared, labels, size))
            except CannotBuild as error:
                if error.revision != against:
                    raise
                click.echo(f"Error: {error}", err=True)
                output.end(gates.exit_code(gates.Outcome.UNUSABLE, strict))
        code = _gate(folder, tolerance, strict, history, markdown)
    output.end(code)


def _gate(folder: RunFolder, tolerance: float, strict: bool, history: Path | None, page: Path | None) -> int:
    """Returns the worst exit code of the folder's experiments."""
    from fathom_lab import gate as gates

    facts = folder.environment()

    def judge(name: str) -> gates.GateResult:
        return gates.gate_command(
            _analyzed(folder, name, tolerance),
            lambda: _analyzed(_confirmation(folder, name), name, tolerance),
            environment=facts,
            tolerance=tolerance,
            strict=strict,
            history=history,
            command=facts["command"],
            say=click.echo,
        )

    results = [judge(name) for name in folder.names()]
    if page is not None:
        from fathom_lab.gate import markdown

        output.write(page, markdown.text(results, facts))
    click.echo(folder.path)
    return gates.worst(one.exit_code for one in results)


def _analyzed(folder: RunFolder, name: str, tolerance: float) -> Analysis:
    from fathom_lab import gate as gates
    from fathom_lab import progress, runner, session

    session.remember_programs(folder, name)
    # The gate judges missing contenders.
    with contextlib.suppress(runner.NothingToCompare), progress.shown() as on_progress:
        session.run(folder, name, on_progress=on_progress, undecided=lambda found: gates.undecided(found, tolerance))
    return session.analysis(folder, name)


def _confirmation(folder: RunFolder, name: str) -> RunFolder:
    """Creates a second run of the same experiment, in another order."""
    from fathom_lab.run_folder import RunFolder

    settings = folder.settings(name)
    second = RunFolder.create(folder.path.parent, folder.environment())
    second.update_environment({"experiments": []})
    click.echo(f"second run, for confirmation: {second.path}")
    second.add(folder.experiment(name), dataclasses.replace(settings, seed=settings.seed + 1, complete=False))
    return second
