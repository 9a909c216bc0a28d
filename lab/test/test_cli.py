from __future__ import annotations

import hashlib
import itertools
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import fathom_lab
from fathom_lab import gate, session
from fathom_lab.cli import main
from fathom_lab.errors import LabError
from fathom_lab.gate import GateResult, Outcome
from fathom_lab.records import Launch
from fathom_lab.rows import Analysis
from fathom_lab.run_folder import RunFolder

EXPERIMENT = """
question = "Which is faster?"
baseline = "old"
measures = ["wall"]
{more}

[plan]
rounds = 7
warmup_rounds = 0

[smoke]
rounds = 2

[defaults]
driver = "command"

[[contender]]
name = "old"
command = {old}

[[contender]]
name = "new"
command = {new}
"""


def write(folder: Path, name: str = "which", more: str = "", old: str = '["true"]', new: str = '["true"]') -> Path:
    file = folder / f"{name}.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(EXPERIMENT.format(more=more, old=old, new=new))
    return file


def lab(*arguments: object) -> Result:
    try:
        runner = CliRunner(mix_stderr=False)  # before click 8.2
    except TypeError:
        runner = CliRunner()
    return runner.invoke(main, [str(one) for one in arguments])


def only_folder() -> RunFolder:
    (path,) = Path("runs").iterdir()
    return RunFolder(path)


def rounds(folder: RunFolder, name: str = "which") -> list[int]:
    return [number for number, _ in itertools.groupby(one.round for one in folder.launches(name))]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A separate project, wherever TMPDIR is."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def started(*arguments: object, **variables: str) -> subprocess.Popen[str]:
    """A separate process, which can receive signals that the tests themselves ignore."""
    source = str(Path(fathom_lab.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-m", "fathom_lab", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": source, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def test_a_run_says_what_can_be_concluded_and_keeps_everything(here: Path) -> None:
    file = write(here)
    result = lab("run", file, "--seed", 5)
    assert result.exit_code == 0, result.output
    folder = only_folder()
    assert rounds(folder) == list(range(7))
    assert folder.settings("which").seed == folder.environment()["seed"] == 5
    assert folder.toml("which") == file.read_bytes()
    assert folder.environment()["load_after"]
    assert result.stdout.splitlines()[-1] == str(folder.path)
    assert result.stderr == ""  # progress is shown only on terminals
    assert "which: 7 rounds" in result.stdout and "old again (A/A)" in result.stdout


def test_the_recorded_command_has_the_variables_that_change_go(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOMAXPROCS", "1")
    monkeypatch.setenv("GOGC", "")
    lab("run", write(here), "--smoke")
    assert only_folder().environment()["command"].startswith("GOMAXPROCS=1 fathom-lab")


def test_the_size_can_be_chosen(here: Path) -> None:
    file = write(here)
    assert lab("run", file, "--smoke", "--into", "small").exit_code == 0
    assert lab("run", file, "--rounds", "1", "--into", "chosen").exit_code == 0
    sizes = [rounds(RunFolder(next(Path(name).iterdir()))) for name in ("small", "chosen")]
    assert sizes == [[0, 1], [0]]


def test_a_contender_that_fails_is_named_and_the_exit_code_says_so(here: Path) -> None:
    result = lab("run", write(here, new='["false"]'))
    assert result.exit_code == 1
    assert "new failed in 3 of 3 launches, and was not started again: it exited with 1" in result.stdout
    assert lab("show", only_folder().path).exit_code == 1


def test_a_contender_that_fails_in_every_round_of_warm_up_is_named(here: Path) -> None:
    file = write(here, old='["false"]', new='["false"]')
    file.write_text(file.read_text().replace("warmup_rounds = 0", "warmup_rounds = 5"))
    result = lab("run", file)
    assert result.exit_code == 1
    assert "old failed in 3 of 3 launches, and was not started again: it exited with 1" in result.stdout


def test_a_program_that_is_gone_is_missing_by_name(here: Path) -> None:
    write(here, new='["./gone"]')
    file = write(here, "which", old='["true"]', new='["./gone"]')
    result = lab("run", file)
    assert result.exit_code == 2
    assert f"nothing to compare with old: new: the program ./gone does not exist in {here}" in result.stderr


def test_a_program_that_disappears_meanwhile_is_a_failure_by_name(here: Path) -> None:
    program = here / "program"
    program.write_text("#!/bin/sh\nrm -f \"$0\"\n")
    program.chmod(0o755)
    result = lab("run", write(here, new='["./program"]'))
    assert result.exit_code == 1
    assert "new failed in 3 of 4 launches, and was not started again: the program ./program does not exist" in " ".join(
        result.stdout.split())


def test_an_unknown_placeholder_is_refused_before_anything_is_created(here: Path) -> None:
    result = lab("run", write(here, new='["true", "{thraeds}"]'))
    assert result.exit_code == 2
    assert "which: new: unknown placeholder {thraeds}" in result.stderr
    assert not Path("runs").exists()


def test_an_unknown_placeholder_of_the_last_build_is_refused_before_the_first(here: Path) -> None:
    write(here, "a", more='build = [["touch", "built"]]')
    write(here, "b", more='build = [["sh", "-c", "{ true; }"]]')
    result = lab("run", here / "a.toml", here / "b.toml")
    assert result.exit_code == 2
    assert "b: build: " in result.stderr
    assert not Path("built").exists() and not Path("runs").exists()


def test_several_experiments_run_one_after_the_other_into_one_folder(here: Path) -> None:
    result = lab("run", write(here, "a"), write(here, "b"), "--rounds", 2)
    folder = only_folder()
    assert result.exit_code == 0 and folder.names() == ["a", "b"]
    assert max(one.began for one in folder.launches("a")) < min(one.began for one in folder.launches("b"))


def test_a_contender_that_cannot_run_does_not_stop_the_other_experiments(here: Path) -> None:
    result = lab("run", write(here, "a", old='["./gone"]'), write(here, "b"), "--rounds", 1)
    assert result.exit_code == 0
    assert "skipped: a: the baseline old cannot run" in result.stderr
    assert rounds(only_folder(), "b") == [0]


def test_a_disk_that_fills_up_is_an_error_and_the_rounds_before_are_shown(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = RunFolder.append

    def full(folder: RunFolder, name: str, launches: list[Launch]) -> None:
        if name == "a" and launches[0].round == 2:
            raise LabError("the disk is full")
        append(folder, name, launches)

    monkeypatch.setattr(RunFolder, "append", full)
    result = lab("run", write(here, "a"), write(here, "b"))
    assert result.exit_code == 2 and "skipped: the disk is full" in result.stderr
    assert "a: 2 rounds, interrupted" in result.stdout and "b: 7 rounds" in result.stdout


def test_all_experiments_of_the_project_can_be_run_and_listed(here: Path) -> None:
    (here / "runs-elsewhere").mkdir()
    write(here / "lab" / "experiments", "a")
    write(here / "lab" / "experiments", "b", more='about = "{root}"', new='["test", "-e", "{root}/.git"]')
    listed = lab("list")
    assert listed.exit_code == 0 and [line.split()[0] for line in listed.stdout.splitlines()] == ["a", "b"]
    assert "Which is faster?" in listed.stdout
    assert lab("run", "--all", "--rounds", 1).exit_code == 0
    assert only_folder().names() == ["a", "b"]
    assert lab("run", "b", "--rounds", 1, "--into", "by-name").exit_code == 0


def test_an_unknown_experiment_is_answered_with_the_known_ones(here: Path) -> None:
    write(here / "lab" / "experiments", "a")
    result = lab("run", "z")
    assert result.exit_code == 2 and "there is no experiment z: there are a" in result.stderr


def test_contenders_can_be_chosen(here: Path) -> None:
    file = write(here)
    assert lab("run", file, "--only", "new", "--rounds", 1).exit_code == 0
    assert {one.contender for one in only_folder().launches("which")} == {"old", "new", "again"}
    result = lab("run", file, "--only", "newest")
    assert result.exit_code == 2 and "there is no contender newest" in result.stderr


def test_parameters_can_be_given_other_values(here: Path) -> None:
    file = write(here, new='["test", "{size}", "-gt", "1"]')
    file.write_text(file.read_text() + "[parameters]\nsize = [1]\n")
    assert lab("run", file, "--set", "size=2,3").exit_code == 0
    assert only_folder().experiment("which").parameters == {"size": (2, 3)}
    for wrong, why in (("size=two", "size must be a number"), ("sise=2", "no parameter sise"), ("size", "NAME=VALUE")):
        result = lab("run", file, "--set", wrong)
        assert result.exit_code == 2
        assert why in result.stderr


@pytest.mark.parametrize("arguments", [
    [], ["which.toml", "--all"], ["which.toml", "--rounds", "0"], ["which.toml", "--pin", "x"],
    ["which.toml", "--pin", "4000"], ["which.toml", "--launch-timeout", "0"], ["--resume", "nowhere"],
    ["which.toml", "--resume", "."], ["--resume", ".", "--seed", "1"], ["nowhere.toml"], ["which.toml", "--force"],
    ["which.toml", "--report", "nowhere/page.html"],
])
def test_usage_errors_exit_with_2_and_create_nothing(here: Path, arguments: list[str]) -> None:
    write(here)
    assert lab("run", *arguments).exit_code == 2
    assert not Path("runs").exists()


@pytest.mark.parametrize("option, value, reason", [
    ("--rounds", 10_001, "is not in the range 1<=x<=10000"),
    ("--rounds", 10**30, "is not in the range 1<=x<=10000"),
    ("--rounds", 0, "is not in the range 1<=x<=10000"),
    ("--launch-timeout", 604_801, "is not in the range 0<x<=604800.0"),
    ("--launch-timeout", "inf", "is not in the range 0<x<=604800.0"),
    ("--launch-timeout", "nan", "nan is not a number of seconds"),
    ("--seed", 2**63, f"is not in the range 0<=x<={2**63 - 1}"),
    ("--nice", 20, "is not in the range -20<=x<=19"),
    ("--pin", "0-99999999999999", "the available processors are"),
    ("--pin", "99999999999999", "the available processors are"),
])
def test_an_absurd_number_is_refused_with_the_option_and_its_range(
    here: Path, option: str, value: object, reason: str
) -> None:
    result = lab("run", write(here), option, value)
    assert result.exit_code == 2
    assert option in result.stderr and reason in " ".join(result.stderr.split()), result.stderr
    assert not Path("runs").exists()


@pytest.mark.parametrize("option, value", [
    ("--comparisons", 100_001), ("--comparisons", 0), ("--rounds", 10_001),
    ("--seconds", 604_801), ("--seconds", "nan"),
])
def test_an_absurd_calibration_is_refused(option: str, value: object) -> None:
    result = lab("calibrate", option, value)
    assert result.exit_code == 2 and option in result.stderr


def test_too_many_values_of_a_parameter_are_refused(here: Path) -> None:
    file = write(here, more="[parameters]\nthreads = [1]", new='["true", "{threads}"]')
    result = lab("run", file, "--set", "threads=" + ",".join(map(str, range(10_001))))
    assert result.exit_code == 2
    assert "the parameters have 10001 combinations; at most 10000 can be measured" in result.stderr
    assert not Path("runs").exists()


def test_pinned_contenders_see_the_chosen_processor_only(here: Path) -> None:
    cpu = min(os.sched_getaffinity(0))
    check = f'["sh", "-c", "test $(nproc) = 1 && grep -q \'^Cpus_allowed_list:\\\\s*{cpu}$\' /proc/self/status"]'
    result = lab("run", write(here, new=check), "--pin", cpu, "--rounds", 2)
    assert result.exit_code == 0, result.output


def test_build_commands_run_once_from_the_project_before_the_rounds(here: Path) -> None:
    (here / "CMakeLists.txt").touch()
    more = 'build = [["sh", "-c", "echo built | tee -a built"]]'
    files = [write(here / "deep" / "down", name, more, new='["test", "-e", "built"]') for name in ("a", "b")]
    assert lab("run", *files, "--rounds", 1).exit_code == 0
    assert (here / "built").read_text() == "built\n"
    assert (only_folder().path / "build.log").read_text().splitlines()[-1] == "built"
    assert lab("run", *files, "--rounds", 1, "--no-build", "--into", "again").exit_code == 0
    assert (here / "built").read_text() == "built\n"


def test_a_failed_build_ends_the_run_with_its_output(here: Path) -> None:
    more = 'build = [["sh", "-c", "echo no compiler; exit 3"]]'
    result = lab("run", write(here, more=more))
    assert result.exit_code == 2
    assert "failed in" in result.stderr and "exit code 3" in result.stderr and "no compiler" in result.stderr
    assert rounds(only_folder()) == []


# Both contenders run this. The eighth launch, in the third round, reports it and blocks forever.
STEP = """
echo >> count
if [ $(wc -l < count) = 8 ]; then
    echo $$ > ready
    read never < blocked
fi
"""


@pytest.fixture
def blocking(here: Path) -> Path:
    (here / "step").write_text(STEP)
    os.mkfifo(here / "ready")
    os.mkfifo(here / "blocked")
    return write(here, old='["sh", "step"]', new='["sh", "step"]')


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_whole_rounds_and_can_be_resumed(blocking: Path, which: signal.Signals) -> None:
    ready = os.open("ready", os.O_RDWR)  # so that the writer does not wait for a reader
    with started("run", blocking) as process:
        pid = int(os.read(ready, 100)) if select.select([ready], [], [], 60)[0] else 0
        process.send_signal(which)
        output, errors = process.communicate(timeout=60)
    os.close(ready)
    assert pid and not Path(f"/proc/{pid}").exists()
    folder = only_folder()
    assert process.returncode == 130, errors
    assert rounds(folder) == [0, 1] and len(folder.launches("which")) == 6
    assert "which: 2 rounds, interrupted" in output
    assert f"run --resume {folder.path}" in errors
    assert lab("run", "--resume", folder.path).exit_code == 0
    assert rounds(folder) == list(range(7)) and len(folder.launches("which")) == 21


def unfinished(here: Path) -> RunFolder:
    """A run with the first two of seven rounds."""
    assert lab("run", write(here)).exit_code == 0
    folder = only_folder()
    file = folder.path / "which.launches.jsonl"
    file.write_text("\n\n".join(file.read_text().split("\n\n")[:2]) + "\n\n")
    folder.change("which", complete=False)
    return folder


def test_a_run_cannot_be_resumed_if_the_experiment_has_changed(here: Path) -> None:
    folder = unfinished(here)
    write(here, more="about = 'something else'")
    result = lab("run", "--resume", folder.path)
    assert result.exit_code == 2 and "has changed since" in result.stderr
    assert rounds(folder) == [0, 1]


def test_a_run_that_is_resumed_elsewhere_says_so(here: Path) -> None:
    folder = unfinished(here)
    folder.update_environment({"kernel": "1.0"})
    result = lab("run", "--resume", folder.path)
    note = f"the kernel was 1.0 and is {os.uname().release}"
    assert result.exit_code == 0 and f"note: {note}" in result.stdout
    assert folder.environment()["notes"] == [note]
    assert rounds(folder) == list(range(7))


def test_a_run_that_is_resumed_with_another_program_says_so(here: Path) -> None:
    program = here / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    lab("run", write(here, new='["./program"]'))
    folder = only_folder()
    facts = folder.environment()["programs"]["which"]
    assert set(facts) == {"old", "new", "again"} and facts["new"]["path"] == str(program)
    assert facts["new"]["sha256"] == hashlib.sha256(b"#!/bin/sh\n").hexdigest()
    folder.change("which", complete=False)
    program.write_text("#!/bin/sh\n# rebuilt\n")
    refused = lab("run", "--resume", folder.path)
    assert refused.exit_code == 2 and "the program of new has changed since the run began" in refused.stderr
    assert folder.environment()["programs"]["which"] == facts
    result = lab("run", "--resume", folder.path, "--force")
    note = "which: the program of new has changed since the run began"
    assert f"note: {note}" in result.stdout and folder.environment()["notes"] == [note]


def test_a_complete_run_has_nothing_to_resume(here: Path) -> None:
    assert lab("run", write(here)).exit_code == 0
    before = only_folder().launches("which")
    result = lab("run", "--resume", only_folder().path)
    assert result.exit_code == 0 and "nothing to resume" in result.stdout
    assert only_folder().launches("which") == before


def test_conclusions_can_be_shown_as_json(here: Path) -> None:
    more = '[parameters]\nthreads = [1, 16]\n[[goal]]\ncontender = "new"\nat_most = 1000'
    lab("run", write(here, more=more), "--rounds", 6)
    folder = only_folder()
    result = lab("show", folder.path, "--json")
    told = json.loads(result.stdout)
    [analysis] = fathom_lab.analyze(folder)
    [one] = told["experiments"]
    assert result.exit_code == 0 and (told["unfinished"], told["environment"]) == ([], folder.environment())
    assert (one["experiment"], one["baseline"], one["rounds"], one["answer"]) == ("which", "old", 6, analysis.answer)
    for row, expected in zip(one["rows"], analysis.rows, strict=True):
        assert (row["point"], row["contender"], row["measure"]) == (
            dict(expected.point), expected.contender, expected.measure.name)
        assert (row["ratio"], row["values"]) == (expected.ratio, list(expected.values))
        assert (row["verdict"], row["unit"]) == (expected.verdict.value, "s")
    assert [(goal["state"], goal["goal"]["at_most"]) for goal in one["goals"]] == [("met", 1000)] * 2


def test_json_has_null_for_numbers_that_it_does_not_have(here: Path) -> None:
    lab("run", write(here), "--rounds", 1)
    [one] = json.loads(lab("show", only_folder().path, "--json").stdout)["experiments"]
    assert [(row["autocorrelation"], row["interval"]) for row in one["rows"]] == [(None, None)]


def test_json_says_which_contenders_failed_and_which_experiments_are_unfinished(here: Path) -> None:
    assert lab("run", write(here, new='["false"]')).exit_code == 1
    folder = only_folder()
    result = lab("show", folder.path, "--json")
    [failure] = json.loads(result.stdout)["experiments"][0]["failures"]
    assert result.exit_code == 1 and (failure["contender"], failure["launches"]) == ("new", 3)
    (folder.path / "which.launches.jsonl").write_text("")
    told = json.loads(lab("show", folder.path, "--json").stdout)
    assert (told["experiments"], told["unfinished"]) == ([], ["which"])


@pytest.mark.parametrize("width", [40, 80, 100, 200])
def test_a_table_fits_the_terminal(here: Path, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    more = '[parameters]\nthreads = [1, 16]\nfolder = ["/a/folder/with/a/long/name/and/more/below/it"]'
    lab("run", write(here, more=more), "--rounds", 6)
    monkeypatch.setenv("COLUMNS", str(width))
    lines = lab("show", only_folder().path).stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert any(line.split()[:1] == ["contender"] for line in lines) == (width == 200)
    assert sum(line.startswith("new") and "threads 16" in line for line in lines) == 1
    assert not any("…" in line for line in lines)


def test_colours_are_omitted_on_request(here: Path) -> None:
    lab("run", write(here, new='["false"]'), "--rounds", 1)
    texts = []
    for variables in ({"NO_COLOR": "1"}, {}):
        with started("show", only_folder().path, FORCE_COLOR="1", TERM="xterm", **variables) as process:
            texts.append(process.communicate()[0])
    assert ["\x1b[31m" in text for text in texts] == [False, True]


def test_reports_are_written(here: Path) -> None:
    lab("run", write(here))
    folder = only_folder().path
    page = lab("report", folder)
    assert page.exit_code == 0, page.output
    assert "Which is faster?" in (folder / "report.html").read_text()
    assert lab("report", folder, "-o", "page.html").exit_code == 0 and Path("page.html").exists()
    tables = lab("report", folder, "--markdown")
    assert tables.exit_code == 0 and "Which is faster?" in tables.stdout


def test_a_run_can_write_its_report_itself(here: Path) -> None:
    result = lab("run", write(here), "--rounds", 1, "--report", "page.html")
    assert result.exit_code == 0 and result.stdout.splitlines()[-1] == "page.html"
    assert "Which is faster?" in Path("page.html").read_text()


def test_help_needs_none_of_the_large_libraries() -> None:
    code = ("import sys; from fathom_lab.cli import main; main(['--help'], standalone_mode=False);"
            "print(sorted({'numpy', 'scipy', 'matplotlib', 'rich', 'jinja2'} & set(sys.modules)))")
    variables = {**os.environ, "PYTHONPATH": str(Path(fathom_lab.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("command", list(main.commands))
def test_every_command_has_help(command: str) -> None:
    result = lab(command, "--help")
    assert result.exit_code == 0 and result.stdout.startswith(f"Usage: main {command}")


RECORDED = """{"results": [
  {"command": "first", "times": [0.1, 0.11, 0.12, 0.1, 0.1, 0.13, 0.1], "exit_codes": [0, 0, 0, 0, 0, 0, 0]},
  {"command": "second", "times": [0.2, 0.21, 0.22, 0.2, 0.2, 0.23, 0.2], "exit_codes": [0, 0, 0, 0, 0, 0, 0]}]}
"""


def test_results_of_other_tools_can_be_shown_like_a_run(here: Path) -> None:
    (here / "hyperfine.json").write_text(RECORDED)
    result = lab("import", "hyperfine.json", "--baseline", "second")
    assert result.exit_code == 0, result.output
    assert "note: Contenders were measured one after the other" in result.stdout
    folder = only_folder()
    assert folder.experiment("imported").baseline == "second" and rounds(folder, "imported") == list(range(7))
    assert lab("show", folder.path).exit_code == 0 and lab("report", folder.path).exit_code == 0


def test_a_gate_stops_what_fails_by_name(here: Path) -> None:
    result = lab("gate", write(here, new='["false"]'))
    assert result.exit_code == 1
    assert "regress: new: failed in 3 of 3 launches: it exited with 1" in result.stdout


def test_a_gate_can_write_a_comment(here: Path) -> None:
    result = lab("gate", write(here, new='["false"]'), "--markdown", "gate.md")
    assert result.exit_code == 1
    text = Path("gate.md").read_text()
    assert "### ✗ which: regress" in text and "failed in 3 of 3 launches: it exited with 1" in text
    refused = lab("gate", here / "which.toml", "--markdown", "no/gate.md")
    assert refused.exit_code == 2 and "no is not a writable folder" in " ".join(refused.stderr.split())


def test_a_gate_confirms_in_a_second_run_of_its_own(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def confirming(first: Analysis, confirm: Callable[[], Analysis], **more: object) -> GateResult:
        assert [first.rounds, confirm().rounds] == [6, 6]
        return GateResult("which", [], Outcome.PASS, 0, 0.03)

    monkeypatch.setattr(gate, "gate_command", confirming)
    result = lab("gate", write(here), "--rounds", 6, "--seed", 5)
    assert result.exit_code == 0
    folders = [RunFolder(path) for path in sorted(Path("runs").iterdir())]
    assert [folder.settings("which").seed for folder in folders] == [5, 6]
    assert all(str(folder.path) in result.stdout for folder in folders)
    assert all(folder.settings("which").complete for folder in folders)


def test_only_one_process_can_resume_a_run(here: Path) -> None:
    folder = unfinished(here)
    with folder.locked():
        result = lab("run", "--resume", folder.path)
    assert result.exit_code == 2 and "another fathom-lab is writing to" in result.stderr
    assert rounds(folder) == [0, 1]


def test_notes_reach_later_readers_of_the_run(here: Path) -> None:
    (here / "doc.md").write_text("<!-- lab which -->\n<!-- /lab -->\n")
    folder = unfinished(here)
    folder.note(["the kernel was 1.0 and is 2.0"])
    assert "note: the kernel was 1.0" in lab("show", folder.path).stdout
    assert "Note: the kernel was 1.0" in lab("report", folder.path, "--markdown").stdout
    assert lab("report", folder.path, "--document", "doc.md").exit_code == 0
    assert "Note: the kernel was 1.0" in Path("doc.md").read_text()
    assert lab("report", folder.path).exit_code == 0
    assert "Note: the kernel was 1.0" in (folder.path / "report.html").read_text()


def test_a_document_without_a_place_for_the_run_is_an_error(here: Path) -> None:
    lab("run", write(here), "--rounds", 1)
    (here / "doc.md").write_text("<!-- lab other -->\n<!-- /lab -->\n")
    result = lab("report", only_folder().path, "--document", "doc.md")
    assert result.exit_code == 2 and "doc.md has no place for which: it has places for other" in result.stderr
    (here / "doc.md").write_text("<!-- lab which -->\n<!-- /lab -->\n<!-- lab other -->\n<!-- /lab -->\n")
    result = lab("report", only_folder().path, "--document", "doc.md")
    assert result.exit_code == 0 and "not changed: other, for which" in result.stderr


def test_goals_of_several_runs_go_into_one_table(here: Path) -> None:
    (here / "lab" / "experiments").mkdir(parents=True)
    goal = '[[goal]]\nat_most = "100 s"'
    files = [write(here / "lab" / "experiments", name, more=goal) for name in ("one", "two", "three")]
    for file in files[:2]:
        assert lab("run", file, "--rounds", 6, "--into", here / "runs").exit_code == 0
    (here / "doc.md").write_text("<!-- lab goals -->\n<!-- /lab -->\n")
    folders = sorted((here / "runs").iterdir())
    assert len(folders) == 2
    result = lab("report", *folders, "--document", "doc.md")
    assert result.exit_code == 0 and result.stdout.splitlines() == ["goals"]
    assert "3 goals: 2 met and 1 not measured." in (here / "doc.md").read_text()
    several = lab("report", *folders)
    assert several.exit_code == 2 and "Several folders require --document." in several.stderr


def test_all_experiments_outside_of_a_project_says_where_to_go(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "all_files", list)
    result = lab("run", "--all")
    assert result.exit_code == 2 and "change to the project's folder" in result.stderr


def test_a_misspelled_name_gets_a_suggestion(here: Path) -> None:
    write(here / "lab" / "experiments", "spsc")
    assert "did you mean spsc?" in lab("run", "spcs").stderr
    write(here, "gz")
    assert "did you mean the file ./gz.toml?" in lab("run", "gz").stderr


def test_a_plan_that_a_command_cannot_have_is_refused_by_name_and_leaves_no_folder(here: Path) -> None:
    file = write(here)
    file.write_text(file.read_text().replace("rounds = 7", "rounds = 7\nrepetitions = 3"))
    result = lab("run", file)
    assert result.exit_code == 2
    assert "which: old: a command is measured once per launch" in result.stderr
    assert "no round is finished" not in result.stdout and not Path("runs").exists()


def test_a_run_without_results_leaves_no_folder(here: Path) -> None:
    result = lab("run", write(here, old='["./gone"]'))
    assert result.exit_code == 2 and result.stdout == "" and list(Path("runs").iterdir()) == []


def test_a_run_that_cannot_be_resumed_keeps_its_folder(here: Path) -> None:
    program = here / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    lab("run", write(here, old='["./program"]'), "--rounds", 1)
    folder = only_folder()
    (folder.path / "which.launches.jsonl").write_text("")
    folder.change("which", complete=False)
    program.unlink()
    assert lab("run", "--resume", folder.path).exit_code == 2 and folder.path.is_dir()


def test_an_unknown_option_is_answered_with_the_known_ones(here: Path) -> None:
    result = lab("run", write(here, new='["true"]\nenv = {A = "1"}'))
    assert "which: new: unknown: env" in result.stderr and "environment, command" in result.stderr.replace("\n", " ")


@pytest.mark.parametrize("tolerance", ["3", "0", "1", "-0.1", "nan"])
def test_a_tolerance_is_a_fraction(here: Path, tolerance: str) -> None:
    result = lab("gate", write(here), "--tolerance", tolerance)
    assert result.exit_code == 2 and "0.03 for 3 %" in result.stderr and not Path("runs").exists()


def test_a_gate_judges_missing_contenders(here: Path) -> None:
    for number, (old, new, code) in enumerate((('["true"]', '["./gone"]', 1), ('["./gone"]', '["true"]', 3))):
        result = lab("gate", write(here, f"gate{number}", old=old, new=new))
        assert result.exit_code == code, result.output


def test_smoke_without_a_smoke_size_says_so(here: Path) -> None:
    file = write(here)
    assert "has no [smoke]" not in lab("run", file, "--smoke").stderr
    file.write_text(file.read_text().replace("[smoke]\nrounds = 2", ""))
    stderr = lab("run", file, "--smoke", "--rounds", 1).stderr
    assert "which.toml has no [smoke] section: --smoke runs the full plan" in stderr


def test_a_run_of_one_contender_says_that_there_is_only_the_baseline(here: Path) -> None:
    file = write(here)
    file.write_text(file.read_text().split('[[contender]]\nname = "new"')[0])
    assert "only the baseline" in lab("run", file, "--rounds", 1).stdout


def test_a_run_that_ended_because_all_failed_says_so(here: Path) -> None:
    result = lab("run", write(here, old='["false"]', new='["false"]'))
    assert "stopped after 3 of 7 rounds: all contenders failed" in result.stdout


def test_an_interrupt_during_the_build_still_prints_the_folder(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "build", interrupted)
    for command in ("run", "gate"):
        result = lab(command, write(here, more='build = [["true"]]'), "--into", command)
        (folder,) = Path(command).iterdir()
        assert result.exit_code == 130 and result.stdout.splitlines()[-1] == str(folder)
        assert f"fathom-lab run --resume {folder}" in result.stderr


def test_a_second_interrupt_while_results_are_shown_still_prints_the_folder(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(session, "run", interrupted)
    monkeypatch.setattr(session, "analyses", interrupted)
    result = lab("run", write(here))
    assert result.exit_code == 130 and result.stdout.splitlines()[-1] == str(only_folder().path)


def test_an_import_names_neither_this_machine_nor_a_command(here: Path) -> None:
    (here / "hyperfine.json").write_text(RECORDED)
    lab("import", "hyperfine.json")
    folder = only_folder()
    assert "commit" not in folder.environment() and "processor" not in folder.environment()
    markdown = lab("report", folder.path, "--markdown").stdout
    lab("report", folder.path)
    page = (folder.path / "report.html").read_text()
    for text in (markdown, page):
        assert "imported from hyperfine.json on 20" in text and "the machine is not known" in text
        assert "again:" not in text and "fathom-lab run" not in text and "random order" not in text
        assert "by round" not in text
    assert lab("show", folder.path).stdout.count("note: Contenders were measured one after the other") == 1


def test_a_document_shows_the_command_with_its_options_and_the_points(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(here, more="[parameters]\nsize = [1, 2]")
    (here / "doc.md").write_text("<!-- lab which -->\n<!-- /lab -->\n")
    monkeypatch.setattr(sys, "argv", ["fathom-lab", "run", file.name, "--smoke"])
    assert lab("run", file, "--smoke").exit_code == 0
    assert lab("report", only_folder().path, "--document", "doc.md").exit_code == 0
    assert "`fathom-lab run which.toml --smoke` at size 1, 2" in Path("doc.md").read_text()


def test_commands_are_listed_in_the_order_of_use() -> None:
    lines = lab("--help").stdout.splitlines()
    names = [line.split()[0] for line in lines[lines.index("Commands:") + 1 :] if line.strip()]
    assert names[:3] == ["run", "list", "show"]


def full_device() -> int:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    return os.open("/dev/full", os.O_WRONLY)


def pipe_without_reader() -> int:
    read, write = os.pipe()
    os.close(read)
    return write


@pytest.mark.parametrize("arguments", [["--help"], ["list", "--help"], ["doctor"]])
@pytest.mark.parametrize("output, reason", [
    (full_device, "No space left on device"), (None, "it is closed"), (pipe_without_reader, "")])
def test_output_that_cannot_be_written_is_an_error_that_is_not_a_verdict(
    arguments: list[str], output: Callable[[], int] | None, reason: str
) -> None:
    """1 would be a regression, for a gate."""
    source = str(Path(fathom_lab.__file__).parents[1])
    closed = ["bash", "-c", 'exec "$0" "$@" >&-'] if output is None else []
    descriptor = subprocess.DEVNULL if output is None else output()
    done = subprocess.run([*closed, sys.executable, "-m", "fathom_lab", *arguments], stdout=descriptor,
                          env={**os.environ, "PYTHONPATH": source}, stderr=subprocess.PIPE, text=True, check=False)
    if descriptor >= 0:
        os.close(descriptor)
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1:]
    assert last == ([f"Error: cannot write to standard output: {reason}"] if reason else [])
