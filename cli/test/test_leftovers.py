"""Tests leave nothing on the machine that runs them."""

import os

from conftest import remove_what_was_moved


def test_what_tests_have_moved_is_removed_and_nothing_else(tmp_path):
    quarantine = tmp_path / "quarantine"
    for name in "mine", "other":
        (quarantine / name / str(tmp_path)[1:] / name / "file").mkdir(parents=True)
    remove_what_was_moved(tmp_path / "mine", quarantine)
    assert os.listdir(quarantine) == ["other"]
    remove_what_was_moved(tmp_path / "other", quarantine)
    assert not quarantine.exists()
