import dataclasses
import errno
import os

import pytest

from fathom_lab.errors import LabError
from fathom_lab.report import document
from fathom_lab.report.document import Run
from fathom_lab.rows import GoalState, Interval
from made_analysis import made_analysis, made_experiment, made_row


def text(*lines: str) -> str:
    return "\n".join(lines) + "\n"


ONE = made_analysis([made_row(ratio=0.5)], of=made_experiment(name="one"))
PLACE = ("<!-- lab one -->", "old", "<!-- /lab -->")


def test_text_between_the_marks_is_replaced():
    after, names = document.filled(text("before", *PLACE, "after"), [Run([ONE], {})])
    assert names == ["one"]
    assert "old" not in after
    assert after.startswith("before\n<!-- lab one -->\n") and after.endswith("<!-- /lab -->\nafter\n")
    assert "| contender |" in after and ONE.answer in after


def test_a_document_without_a_place_for_the_run_is_refused(tmp_path):
    file = tmp_path / "document.md"
    file.write_text(text("<!-- lab other -->", "old", "<!-- /lab -->"))
    with pytest.raises(LabError, match="has no place for one: it has places for other"):
        document.write(file, [Run([ONE], {})])
    file.write_text(text(*PLACE, "<!-- lab other -->", "old", "<!-- /lab -->"))
    assert document.write(file, [Run([ONE], {})]) == (["one"], ["other"])


def test_the_command_is_shown_as_given():
    after, _ = document.filled(text(*PLACE), [Run([ONE], {"command": "fathom-lab run one.toml --smoke --set n=1,2"})])
    assert "`fathom-lab run one.toml --smoke --set n=1,2`" in after


def test_writing_it_again_changes_nothing():
    once, _ = document.filled(text(*PLACE), [Run([ONE], {})])
    assert document.filled(once, [Run([ONE], {})])[0] == once


def test_places_of_other_experiments_stay_as_they_are():
    before = text("<!-- lab other -->", "old", "<!-- /lab -->", *PLACE)
    after, names = document.filled(before, [Run([ONE], {})])
    assert names == ["one"]
    assert after.startswith(text("<!-- lab other -->", "old", "<!-- /lab -->"))


def test_a_mark_without_its_end_is_refused_and_the_document_kept(tmp_path):
    file = tmp_path / "document.md"
    file.write_text(text("<!-- lab one -->", "dear to somebody", *PLACE))
    before = file.read_text()
    with pytest.raises(LabError, match="has no matching <!-- /lab -->"):
        document.write(file, [Run([ONE], {})])
    assert file.read_text() == before


# The table of goals


GOALS = ("<!-- lab goals -->", "old", "<!-- /lab -->")


def with_goals(*goals, name="one", **table):
    return made_experiment(name=name, goal=list(goals), **table)


def decided(of, state, figure=0.5, reason=""):
    """The analysis with every goal decided this way."""
    analysis = made_analysis([made_row()], of=of)
    found = [dataclasses.replace(one, state=state, figure=figure, interval=Interval(0.4, 0.6, 0.95), reason=reason)
             for one in analysis.goals]
    return dataclasses.replace(analysis, goals=found)


def rows(table):
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


RATIO = {"contender": "ring", "at_most": 0.75, "of": "mutex"}
BEFORE = {"host": "vm"}


def test_goals_of_several_runs_are_in_one_table_and_those_that_were_not_measured_stay():
    one, two, three = (with_goals(RATIO, name=name) for name in ("one", "two", "three"))
    runs = [Run([decided(one, GoalState.MET)], BEFORE), Run([decided(two, GoalState.MISSED, 0.9)], {"host": "other"})]
    after, names = document.filled(text(*GOALS), runs, [one, two, three])
    assert names == ["goals"]
    assert rows(after) == [
        ["one", "time of ring at most 0.75 x mutex", "0.500", "0.400 to 0.600", "met"],
        ["two", "time of ring at most 0.75 x mutex", "0.900", "0.400 to 0.600", "missed"],
        ["three", "time of ring at most 0.75 x mutex", "", "", "not measured"],
    ]
    assert "3 goals: 1 met, 1 missed and 1 not measured." in after
    assert "Measured: vm." in after and "Measured: other." in after


def test_goals_without_new_results_keep_their_lines_notes_and_origin():
    one, two = (with_goals(RATIO, name=name) for name in ("ring_one", "two"))
    first = [Run([decided(one, GoalState.OPEN, reason="ring failed")], BEFORE),
             Run([decided(two, GoalState.MET)], BEFORE)]
    before, _ = document.filled(text(*GOALS), first, [one, two])
    after, _ = document.filled(before, [Run([decided(two, GoalState.MISSED, 0.9)], {"host": "other"})], [one, two])
    assert rows(after) == [
        ["ring\\_one", "time of ring at most 0.75 x mutex", "0.500", "0.400 to 0.600", "open (1)"],
        ["two", "time of ring at most 0.75 x mutex", "0.900", "0.400 to 0.600", "missed"],
    ]
    assert "1. Ring failed." in after
    assert "Measured: vm.\nMeasured: other." in after


def test_a_table_of_new_results_alone_names_their_origin_alone():
    one = with_goals(RATIO)
    before, _ = document.filled(text(*GOALS), [Run([decided(one, GoalState.MET)], BEFORE)], [one])
    after, _ = document.filled(before, [Run([decided(one, GoalState.MET)], {"host": "other"})], [one])
    assert "Measured: other." in after and "Measured: vm." not in after


def test_the_last_run_that_has_a_goal_counts():
    one = with_goals(RATIO)
    runs = [Run([decided(one, GoalState.MET)], {}), Run([decided(one, GoalState.MISSED)], {}),
            Run([made_analysis()], {})]
    assert rows(document.goals(runs, [one]))[0][-1] == "missed"


def test_a_goal_that_was_changed_since_is_not_measured():
    """A goal whose wording alone changed counts as measured."""
    measured = decided(with_goals(RATIO), GoalState.MET)
    stricter = with_goals({**RATIO, "at_most": 0.5})
    reworded = with_goals({**RATIO, "says": "fast", "conditions": "idle"})
    assert rows(document.goals([Run([measured], {})], [stricter]))[0][-1] == "not measured"
    assert rows(document.goals([Run([measured], {})], [reworded]))[0] == [
        "one", "fast", "0.500", "0.400 to 0.600", "met (1)"]


def test_reasons_and_conditions_are_notes_below_the_table_and_a_name_appears_once():
    one = with_goals({**RATIO, "conditions": "two processors"}, RATIO)
    table = document.goals([Run([decided(one, GoalState.OPEN, reason="ring failed")], {})], [one])
    assert [line[-1] for line in rows(table)] == ["open (1, 2)", "open (2)"]
    assert [line[0] for line in rows(table)] == ["one", ""]
    assert "1. Counts with two processors." in table and "2. Ring failed." in table


def test_each_point_of_a_goal_has_a_line():
    one = with_goals(RATIO, parameters={"threads": [1, 2]})
    assert [line[1] for line in rows(document.goals([], [one]))] == [
        f"time of ring at most 0.75 x mutex at threads {count}" for count in (1, 2)]


def test_another_tree_counts_for_the_goal_and_is_noted():
    one = with_goals(RATIO, parameters={"tree": ["/usr"]})
    table = document.goals([Run([decided(one.at("tree", ["/srv"]), GoalState.MET)], {})], [one])
    assert rows(table)[0][1:] == ["time of ring at most 0.75 x mutex", "0.500", "0.400 to 0.600", "met (1)"]
    assert "1. Measured at tree /srv." in table


def test_other_points_of_a_small_run_are_not_measured():
    one = with_goals(RATIO, parameters={"threads": [1, 2]}, smoke={"rounds": 6, "parameters": {"threads": [2]}})
    table = document.goals([Run([decided(one.in_smoke_size(), GoalState.MET)], {})], [one])
    assert [line[-1] for line in rows(table)] == ["not measured", "met"]


def test_a_document_with_a_place_for_goals_alone_is_enough(tmp_path):
    file = tmp_path / "document.md"
    file.write_text(text(*GOALS))
    assert document.write(file, [Run([ONE], {})], [with_goals(RATIO)]) == (["goals"], [])


def test_a_document_that_cannot_be_written_is_kept(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    file = tmp_path / "document.md"
    file.write_text(text(*PLACE, "dear to somebody"))
    before = file.read_text()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LabError, match="cannot be updated"):
        document.write(file, [Run([ONE], {})])
    assert file.read_text() == before and list(tmp_path.iterdir()) == [file]
