"""The command `fathom-lab`, a module for each command. They import the lab's modules when they are used, so that help
does not wait for scipy."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from typing import Any

import click

from fathom_lab import __version__
from fathom_lab.cli import (
    ab,
    calibrate,
    doctor,
    gate,
    history,
    import_results,
    init,
    list_experiments,
    output,
    report,
    run,
    show,
)
from fathom_lab.errors import LabError


class _Sentence(click.ClickException):
    exit_code = output.WRONG


@contextlib.contextmanager
def _printing() -> Iterator[None]:
    """Turns output that cannot be written into a sentence. Nothing begins if there is no standard output."""
    if sys.stdout is None:
        raise _Sentence("cannot write to standard output: it is closed")
    try:
        yield
    except OSError as error:
        if error.filename is not None:
            raise
        sys.stdout = io.StringIO()  # Python flushes it once more at its end
        if isinstance(error, BrokenPipeError):  # the reader has seen enough
            raise click.exceptions.Exit(output.WRONG) from None
        raise _Sentence(f"cannot write to standard output: {error.strerror}") from error


class _Commands(click.Group):
    """Turns errors that a user can fix into one sentence, and Ctrl-C into its exit code."""

    def list_commands(self, context: click.Context) -> list[str]:
        """In the order in which users need them, not alphabetically."""
        return list(self.commands)

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        with _printing():  # the help
            return super().make_context(*arguments, **options)

    def invoke(self, context: click.Context) -> Any:
        try:
            with _printing():
                return super().invoke(context)
        except LabError as error:
            raise _Sentence(str(error)) from error
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            context.exit(output.INTERRUPTED)


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
             epilog=output.EXIT_CODES)
@click.version_option(__version__, prog_name="fathom-lab")
def main() -> None:
    """Compare programs and benchmarks in one run, and say what can be concluded.

    Each round runs every contender once, in random order, so that a slow minute slows all of them equally. All raw
    samples of a run are kept in a folder: first run, then show or report.
    """


for _command in (run.run, list_experiments.list_experiments, show.show, report.report, init.init, ab.ab, gate.gate,
                 history.history, import_results.import_results, calibrate.calibrate, doctor.doctor):
    main.add_command(_command)
