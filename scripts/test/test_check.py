"""Tests of scripts/check and scripts/steps.py."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import threading

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import steps  # noqa: E402
from steps import Failed, Skipped, Step, run_all  # noqa: E402

PATIENCE = 60


@pytest.fixture(autouse=True)
def no_common_table(monkeypatch):
    monkeypatch.delenv("FATHOM_STEPS", raising=False)


def check(*arguments):
    return subprocess.run([ROOT / "scripts" / "check", *arguments], capture_output=True, text=True, check=False,
                          timeout=PATIENCE)


def module_of_check():
    loader = importlib.machinery.SourceFileLoader("check", str(ROOT / "scripts" / "check"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check", loader))
    loader.exec_module(module)
    return module


def passes(run):
    run.say("all is well")


def fails(run):
    run.say("this is the reason")
    raise Failed("it does not hold")


def breaks(_run):
    raise RuntimeError("a bug in the step")


def verdict_of(name, output):
    return re.search(rf"(?m)^{name} +\d+ s  (.*)$", output)[1]


def test_an_unknown_step_is_a_usage_error():
    ran = check("format", "nonsense")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("usage: scripts/check [--fix] [STEP...], with steps from: page go attacks format ")


def test_a_step_runs_alone_if_named():
    ran = check("includes")
    assert ran.returncode == 0
    assert re.findall(r"(?m)^(\w+) +\d+ s  (\w+)$", ran.stdout) == [("includes", "passed")]


@pytest.mark.parametrize("arguments, named, left_out, fix", [
    ([], "tidy", "go-faults", False),
    (["go-faults"], "go-faults", "tidy", False),
    (["--fix", "web"], "web", "tidy", True),
])
def test_the_arguments_choose_the_steps(monkeypatch, arguments, named, left_out, fix):
    module = module_of_check()
    given = []
    monkeypatch.setattr(module, "run_all", lambda steps, logs, fix: given.extend([[step.name for step in steps], fix]))
    module.main(arguments)
    assert (named in given[0], left_out in given[0], given[1]) == (True, False, fix)


def test_contributing_lists_the_same_steps():
    described = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("| check | holds when |\n|---|---|\n")[1]
    rows = re.findall(r"^\| `([\w-]+)` \| (.*) \|$", described.split("\n\n")[0], re.MULTILINE)
    assert rows == re.findall(r"(?m)^  ([\w-]+) +(.*)$", check("--help").stdout.split("when they pass:\n\n")[1])
    assert len(rows) > 10


def test_a_failing_step_fails_the_check_and_is_named_at_the_end(tmp_path, capfd):
    assert run_all([Step("bad", "", fails), Step("good", "", passes)], tmp_path, fix=False) == 1
    output, errors = capfd.readouterr()
    assert errors == "check: failed: bad (to repeat: scripts/check bad)\n"
    assert "== the last lines of bad (all output: build/check-bad.log)\nthis is the reason\n" in output
    assert (verdict_of("bad", output), verdict_of("good", output)) == ("FAILED", "passed")
    assert (tmp_path / "check-bad.log").read_text() == "this is the reason\nit does not hold\n"


@pytest.mark.parametrize("alone", [False, True])
def test_a_failing_command_fails_its_step(tmp_path, capfd, alone):
    step = Step("bad", "", lambda run: run.command("sh", "-c", "echo heard; exit 3"), alone=alone)
    assert run_all([step], tmp_path, fix=False) == 1
    output, _ = capfd.readouterr()
    assert "== bad\nheard\nexit code 3: sh -c 'echo heard; exit 3'\n== bad: FAILED after " in output


def test_a_step_that_raises_fails_and_the_others_run(tmp_path, capfd):
    assert run_all([Step("bad", "", breaks), Step("good", "", passes)], tmp_path, fix=False) == 1
    output, _ = capfd.readouterr()
    assert "RuntimeError: a bug in the step" in output
    assert verdict_of("good", output) == "passed"


def test_one_failing_program_fails_the_step(tmp_path, capfd):
    def both(run):
        run.each([pathlib.Path("one"), pathlib.Path("two")], lambda program: (program.name == "one", program.name))

    assert run_all([Step("many", "", both)], tmp_path, fix=False) == 1
    assert "== many\none\ntwo\n1 of 2 programs failed\n" in capfd.readouterr().out


def test_a_step_without_programs_fails(tmp_path):
    assert run_all([Step("none", "", lambda run: run.each([], lambda _: (True, "")))], tmp_path, fix=False) == 1


def test_a_step_without_its_program_is_skipped_with_the_reason(tmp_path, capfd):
    assert run_all([Step("odd", "", fails, needs=("no-such-program",))], tmp_path, fix=False) == 0
    assert verdict_of("odd", capfd.readouterr().out) == "skipped: no-such-program is not installed"


class Recorded:
    """A run that remembers its commands instead of executing them."""

    def __init__(self):
        self.commands = []

    def say(self, text):
        pass

    def build(self, preset):
        self.commands.append(("build", preset))

    def command(self, *command):
        self.commands.append(command)


@pytest.mark.parametrize("installed, chosen, preset", [
    (["clang++-14", "c++"], None, "tsan-clang"),
    (["c++"], None, "tsan"),
    (["clang++-14", "g++"], "g++", "tsan"),
])
def test_a_sanitizer_is_that_of_clang_if_it_is_installed_and_no_compiler_is_chosen(monkeypatch, installed, chosen,
                                                                                   preset):
    def way_to_run(_run, compiler, *_):
        if compiler not in installed:
            raise Skipped(f"{compiler} is not installed")
        return ("env",)

    monkeypatch.delenv("CXX", raising=False)
    if chosen:
        monkeypatch.setenv("CXX", chosen)
    module = module_of_check()
    monkeypatch.setattr(module, "way_to_run", way_to_run)
    run = Recorded()
    module.check_tsan(run)
    assert run.commands[0] == ("build", preset)
    assert run.commands[1][:4] == ("env", "ctest", "--preset", preset)


def test_a_sanitizer_without_its_compiler_is_skipped():
    with pytest.raises(Skipped, match="no-such-compiler is not installed"):
        module_of_check().way_to_run(Recorded(), "no-such-compiler", "thread", "", ())


def raises_skipped(_run):
    raise Skipped("it rains")


@pytest.mark.parametrize("step", [
    raises_skipped,
    lambda run: run.command("echo", "skipped: it rains"),
    lambda run: run.command("false", lacks=(1, "it rains")),
])
def test_a_step_can_skip_itself(tmp_path, capfd, step):
    assert run_all([Step("odd", "", step)], tmp_path, fix=False) == 0
    assert verdict_of("odd", capfd.readouterr().out) == "skipped: it rains"


def two_that_wait_for_each_other(alone, seconds):
    both = threading.Barrier(2)

    def wait(_run):
        both.wait(seconds)

    return [Step(name, "", wait, alone=alone) for name in ("one", "two")]


def test_steps_run_in_parallel(tmp_path, monkeypatch):
    monkeypatch.setattr(steps, "JOBS", 2)
    assert run_all(two_that_wait_for_each_other(False, PATIENCE), tmp_path, fix=False) == 0


def test_a_step_that_runs_alone_is_alone(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(steps, "JOBS", 2)
    assert run_all(two_that_wait_for_each_other(True, 0.2), tmp_path, fix=False) == 1
    assert "BrokenBarrierError" in capfd.readouterr().out


def test_steps_run_in_the_order_of_the_table(tmp_path):
    begun = []

    def step(name, alone):
        return Step(name, "", lambda run: begun.append(name), alone=alone)

    table = [step("one", True), step("two", False), step("three", True), step("four", False)]
    assert run_all(table, tmp_path, fix=False) == 0
    assert begun == ["one", "two", "three", "four"]


def test_results_go_to_the_table_of_the_caller(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("FATHOM_STEPS", os.fspath(tmp_path / "steps"))
    (tmp_path / "steps").write_text("set-up\t3\tpassed\n")
    run_all([Step("good", "", passes), Step("bad", "", fails)], tmp_path, fix=False)
    assert re.fullmatch("set-up\t3\tpassed\ngood\t\\d+\tpassed\nbad\t\\d+\tFAILED\n", (tmp_path / "steps").read_text())
    assert re.search(r"(?m)^good +\d", capfd.readouterr().out) is None


def test_output_beyond_the_locale_does_not_end_the_check(tmp_path):
    program = ("import pathlib, sys; sys.path.insert(0, 'scripts'); import steps\n"
               "one = steps.Step('one', '', lambda run: run.say('\u2014'))\n"
               f"sys.exit(steps.run_all([one], pathlib.Path({os.fspath(tmp_path)!r}), False))")
    ran = subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=os.environ | {"PYTHONIOENCODING": "latin-1"},
                         capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert (ran.returncode, verdict_of("one", ran.stdout)) == (0, "passed")


def test_fix_is_passed_to_steps(tmp_path):
    told = []
    run_all([Step("one", "", lambda run: told.append(run.fix))], tmp_path, fix=True)
    assert told == [True]
