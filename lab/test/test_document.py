import pytest

from fathom_lab.errors import LabError
from fathom_lab.report import document
from made_analysis import made_analysis, made_experiment, made_row


def text(*lines: str) -> str:
    return "\n".join(lines) + "\n"


ONE = made_analysis([made_row(ratio=0.5)], of=made_experiment(name="one"))
PLACE = ("<!-- lab one -->", "old", "<!-- /lab -->")


def test_what_stands_between_the_marks_is_written_anew():
    after, names = document.filled(text("before", *PLACE, "after"), [ONE], {})
    assert names == ["one"]
    assert "old" not in after
    assert after.startswith("before\n<!-- lab one -->\n") and after.endswith("<!-- /lab -->\nafter\n")
    assert "| contender |" in after and ONE.answer in after


def test_a_document_without_a_place_for_the_run_is_refused(tmp_path):
    file = tmp_path / "document.md"
    file.write_text(text("<!-- lab other -->", "old", "<!-- /lab -->"))
    with pytest.raises(LabError, match="has no place for one: there are places for other"):
        document.write(file, [ONE], {})
    file.write_text(text(*PLACE, "<!-- lab other -->", "old", "<!-- /lab -->"))
    assert document.write(file, [ONE], {}) == (["one"], ["other"])


def test_the_command_stands_there_as_it_was_given():
    after, _ = document.filled(text(*PLACE), [ONE], {"command": "fathom-lab run one.toml --smoke --set n=1,2"})
    assert "`fathom-lab run one.toml --smoke --set n=1,2`" in after


def test_writing_it_again_changes_nothing():
    once, _ = document.filled(text(*PLACE), [ONE], {})
    assert document.filled(once, [ONE], {})[0] == once


def test_places_of_other_experiments_stay_as_they_are():
    before = text("<!-- lab other -->", "old", "<!-- /lab -->", *PLACE)
    after, names = document.filled(before, [ONE], {})
    assert names == ["one"]
    assert after.startswith(text("<!-- lab other -->", "old", "<!-- /lab -->"))


def test_a_mark_without_its_end_is_refused_and_the_document_kept(tmp_path):
    file = tmp_path / "document.md"
    file.write_text(text("<!-- lab one -->", "dear to somebody", *PLACE))
    before = file.read_text()
    with pytest.raises(LabError, match="has no <!-- /lab -->"):
        document.write(file, [ONE], {})
    assert file.read_text() == before
