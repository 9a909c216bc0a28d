"""The package as other programs use it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fathom_lab
from fathom_lab.errors import LabError
from fathom_lab.experiment import Plan
from fathom_lab.rows import Verdict
from fathom_lab.runner import Step

README = Path(__file__).parents[1] / "README.md"
EXPERIMENT = """
question = "Which is faster?"
baseline = "old"
measures = ["wall"]
plan = {{ rounds = 6, warmup_rounds = 0 }}
smoke = {{ rounds = 1 }}
{more}

[[contender]]
name = "old"
driver = "command"
command = ["true"]

[[contender]]
name = "new"
driver = "command"
command = ["{new}"]
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return written(tmp_path)


def written(folder: Path, more: str = "", new: str = "true") -> Path:
    file = folder / "sort.toml"
    file.write_text(EXPERIMENT.format(more=more, new=new))
    return file


def test_the_example_of_the_readme_runs(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "lab" / "experiments").mkdir(parents=True)
    file.rename(tmp_path / "lab" / "experiments" / file.name)
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    exec(example, {})
    answer, row = capsys.readouterr().out.splitlines()
    assert answer and re.fullmatch(r"new: wall \d+\.\d{3} \(\d+\.\d{3} to \d+\.\d{3}\), [a-z ]+", row)


def test_a_run_keeps_every_launch_and_its_settings(file: Path) -> None:
    steps: list[Step] = []
    folder = fathom_lab.run(fathom_lab.load(file), into="elsewhere", seed=7, on_progress=steps.append)
    assert folder.path.parent == Path("elsewhere") and folder.settings("sort").complete
    assert folder.settings("sort").seed == folder.environment()["seed"] == 7
    assert len(steps) == len(folder.launches("sort")) == 6 * 3
    assert fathom_lab.analyze(folder.path) == fathom_lab.analyze(folder)


def test_the_smoke_size_is_the_short_one(file: Path) -> None:
    (analysis,) = fathom_lab.analyze(fathom_lab.run(fathom_lab.load(file, smoke=True)))
    assert analysis.rounds == 1 and [row.verdict for row in analysis.rows] == [Verdict.UNKNOWN]


def test_an_experiment_can_be_changed_when_it_is_loaded(file: Path, tmp_path: Path) -> None:
    changed = fathom_lab.load(written(tmp_path, more="parameters = { size = [1, 2] }"), only=["new"], rounds=9,
                              budget=60, duet=True, parameters={"size": ["3"]})
    assert (changed.plan.rounds, changed.parameters) == (9, {"size": (3,)})
    assert (changed.plan.budget, changed.plan.duet) == (60, True)
    for wrong, message in (({"only": ["newer"]}, "there is no contender newer"), ({"rounds": 0}, "rounds must be"),
                           ({"parameters": {"sise": ["3"]}}, "sort has no parameter sise: size")):
        with pytest.raises(LabError, match=message):
            fathom_lab.load(file, **wrong)


def test_the_build_runs_in_the_root(file: Path, tmp_path: Path) -> None:
    experiment = fathom_lab.load(written(tmp_path, more='build = [["touch", "built"]]'), smoke=True)
    (tmp_path / "project").mkdir()
    fathom_lab.run(experiment, root="project", build=False)
    assert not (tmp_path / "project" / "built").exists()
    fathom_lab.run(experiment, root="project")
    assert (tmp_path / "project" / "built").exists()


def test_a_contender_that_fails_is_a_result(file: Path, tmp_path: Path) -> None:
    folder = fathom_lab.run(fathom_lab.load(written(tmp_path, new="false"), smoke=True))
    (analysis,) = fathom_lab.analyze(folder)
    assert [(one.contender, one.reason) for one in analysis.failures] == [("new", "it exited with 1")]


def test_what_cannot_run_is_one_sentence_and_leaves_no_folder(file: Path, tmp_path: Path) -> None:
    with pytest.raises(LabError, match="which.toml cannot be read: No such file"):
        fathom_lab.load("which.toml")
    broken = written(tmp_path, more='build = [["{rot}"]]')
    with pytest.raises(LabError, match="sort: build: unknown placeholder {rot}"):
        fathom_lab.run(fathom_lab.load(broken))
    assert not Path("runs").exists()
    with pytest.raises(LabError, match="runs is not the folder of a run"):
        fathom_lab.analyze("runs")


def test_a_plan_made_by_a_program_is_checked_as_one_in_a_file_is() -> None:
    with pytest.raises(LabError, match="rounds must be at least 1 and at most 10,000, not 0"):
        Plan(rounds=0)
