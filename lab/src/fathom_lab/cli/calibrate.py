"""`fathom-lab calibrate`."""

from __future__ import annotations

import click

from fathom_lab.cli import arguments, output

_MOST_COMPARISONS = 100_000


@click.command(epilog="Exit codes: 0 consistent with the promised rate, 1 too many false alarms, 2 it could not run, "
                     "130 interrupted.")
@click.option("--comparisons", type=click.IntRange(1, _MOST_COMPARISONS), default=100, show_default=True, metavar="N",
              help="Number of comparisons of a program with itself.")
@click.option("--rounds", type=click.IntRange(1, arguments.MOST_ROUNDS), default=20, show_default=True, metavar="N",
              help="Rounds in each comparison.")
@click.option("--seconds", type=arguments.Seconds(), default=600.0, show_default=True,
              metavar="SECONDS", help="Start no comparison after this time.")
def calibrate(comparisons: int, rounds: int, seconds: float) -> None:
    """Measure the rate of false alarms on this machine."""
    from fathom_lab import calibrate as calibration
    from fathom_lab import progress, session

    with session.interruptible(), progress.counted("comparing a program with itself") as on_progress:
        found = calibration.calibrate(comparisons, rounds, seconds, on_progress=on_progress)
    click.echo(found.sentence())
    output.end(0 if found.holds() else output.FAILED)
