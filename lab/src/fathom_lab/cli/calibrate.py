"""`fathom-lab calibrate`."""

from __future__ import annotations

import click

from fathom_lab.cli import arguments, output

_MOST_COMPARISONS = 100_000


@click.command(epilog="Exit codes: 0 consistent with the promised rate, 1 too many false alarms, 2 it could not run, "
                     "130 interrupted.")
@click.option("--comparisons", type=click.IntRange(1, _MOST_COMPARISONS), metavar="N",
              help="Number of comparisons of a program with itself (default: 100; of each kind with --simulate: 2000).")
@click.option("--rounds", type=click.IntRange(1, arguments.MOST_ROUNDS), metavar="N",
              help="Rounds in each comparison (default: 20; with --simulate the most: 500).")
@click.option("--seconds", type=arguments.Seconds(), default=600.0, show_default=True,
              metavar="SECONDS", help="Start no comparison after this time.")
@click.option("--simulate", is_flag=True,
              help="Instead, print how often, and after how many rounds, the lab is right on simulated machines "
              "(minutes; the figures are the same each time).")
def calibrate(comparisons: int | None, rounds: int | None, seconds: float, simulate: bool) -> None:
    """Measure the rate of false alarms on this machine."""
    from fathom_lab import calibrate as calibration
    from fathom_lab import progress, session

    if simulate:
        from fathom_lab import simulate as simulation

        with session.interruptible(), progress.counted("kinds of noise") as on_progress:
            click.echo(simulation.table(simulation.simulate(comparisons or 2000, rounds or 500, on_progress)))
        return
    comparisons, rounds = comparisons or 100, rounds or 20
    with session.interruptible(), progress.counted("comparing a program with itself") as on_progress:
        found = calibration.calibrate(comparisons, rounds, seconds, on_progress=on_progress)
    click.echo(found.sentence())
    if found.interrupted:
        raise KeyboardInterrupt
    output.end(0 if found.holds() else output.FAILED)
