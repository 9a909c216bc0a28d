"""A long scan reports its progress on request, and prints partial results when interrupted."""

import json
import re
import signal
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, catches, environment, needs_proc, scan, sentence_of, until


def start(*arguments):
    """A scan limited to one request a second, so that it runs until it is interrupted. It has begun, as it answers."""
    process = subprocess.Popen([FATHOM, "scan", "--max-ops", "1", *map(str, arguments)],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    until(lambda: catches(process, signal.SIGUSR1))
    process.send_signal(signal.SIGUSR1)
    process.stderr.readline()
    return process


def interrupt(process):
    process.send_signal(signal.SIGINT)
    results, told = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    return results, told


@needs_proc
@pytest.mark.parametrize("progress", ["auto", "never"])
def test_a_signal_requests_one_line(tree, progress):
    process = start("--progress", progress, tree)
    for _ in range(2):
        process.send_signal(signal.SIGUSR1)
        assert re.match(rb"\d+ entr(y|ies)  \d[^\n]*\n$", process.stderr.readline())
    _, told = interrupt(process)
    assert told == b"fathom: interrupted; the results so far follow\n"


@needs_proc
def test_an_interrupt_is_prompt_at_any_rate_limit(tree):
    results, _ = interrupt(start("--format", "json", tree))
    assert json.loads(results)["accuracy"]["interrupted"] is True


def test_the_rate_limit_does_not_change_the_results(tree):
    def totals(*arguments):
        return json.loads(scan("--format", "json", *arguments, str(tree)).stdout)["totals"]
    assert totals("--max-ops", "5000", "--nice") == totals()


@pytest.mark.parametrize("number", ["0", "-1", "x", ""])
def test_a_rate_limit_is_a_number(small, number):
    assert "'--max-ops' takes a number from 1 to " in sentence_of(scan("--max-ops", number, str(small)))
