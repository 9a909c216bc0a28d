"""The views of `fathom browse` that search through the whole scan: from end to end, on an emulated terminal."""

import os
import re
import time

import pytest

from browsing import ENTER, Browsing
from conftest import run

KIB = 1024
OLD = time.time() - 100 * 24 * 3600


@pytest.fixture(name="project")
def cargo_project(tmp_path):
    """A project of Cargo, whose target/ can be built again; nothing was changed for 100 days."""
    top = tmp_path / "top"
    (top / "shop/target/debug").mkdir(parents=True)
    (top / "shop/Cargo.toml").write_text("[package]\n")
    (top / "shop/target/CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    (top / "shop/target/.rustc_info.json").write_text("{}")
    (top / "shop/target/debug/shop").write_bytes(b"x" * 300 * KIB)
    (top / "letter.txt").write_bytes(b"x" * 500 * KIB)
    for folder, _, files in os.walk(top, topdown=False):
        for name in [*files, "."]:
            os.utime(os.path.join(folder, name), (OLD, OLD))
    return top


def test_cleans_with_six_keys_and_moves_back(project, tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with Browsing(str(project), env=state) as browsing:
        browsing.wait_for("letter.txt")
        browsing.press("6")
        browsing.wait_for("cargo-target")
        browsing.wait_for("safe: a command makes it again (1)")
        browsing.press("X")
        browsing.wait_for("marked 1 safe item")
        browsing.press("dP")
        browsing.wait_for("Plan: 1 item")
        browsing.press("A")
        browsing.wait_for("Move the plan to the quarantine?")
        browsing.press("y")
        browsing.wait_for("Moved 1 item to the quarantine")
        browsing.wait_for("(nothing was found)")
        assert not (project / "shop/target").exists()
        assert (project / "letter.txt").exists()
        browsing.agree("U")
        browsing.wait_for("1 item moved back")
        assert (project / "shop/target/debug/shop").exists()
        browsing.press("q")
        assert browsing.end() == 0


def test_a_plan_is_refused_if_the_evidence_of_its_rule_is_gone(project, tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with Browsing(str(project), env=state) as browsing:
        browsing.wait_for("letter.txt")
        browsing.press("6")
        browsing.wait_for("cargo-target")
        browsing.press("XdP")
        browsing.wait_for("Plan: 1 item")
        (project / "shop/target/.rustc_info.json").unlink()
        browsing.agree("A")
        browsing.wait_for("Nothing was moved; P shows why")
        assert (project / "shop/target/debug/shop").exists()


def test_the_tree_shows_what_rules_say(project):
    with Browsing(str(project), columns=132) as browsing:
        browsing.wait_for("letter.txt")
        browsing.press("X")
        browsing.wait_for("marked 1 safe item")
        browsing.press("G")
        browsing.wait_for_row("shop/")
        browsing.press(ENTER)
        browsing.wait_for("target/   safe: cargo-target")
        browsing.press("i")
        browsing.wait_for("Made again  by cargo build")


def test_a_saved_scan_has_no_evidence(project, tmp_path):
    export = tmp_path / "export"
    assert run("scan", "--format", "ncdu", "-o", str(export), str(project)).returncode == 0
    with Browsing("--from", str(export)) as browsing:
        browsing.wait_for("letter.txt")
        browsing.press("6")
        browsing.wait_for("(a saved scan may be of another machine)")


@pytest.fixture(name="copies")
def equal_files(tmp_path):
    """Three equal files, two of them in one directory; another one of the same size."""
    top = tmp_path / "top"
    (top / "photos").mkdir(parents=True)
    (top / "backup").mkdir()
    for path in ["photos/one.raw", "photos/two.raw", "backup/one.raw"]:
        (top / path).write_bytes(b"x" * 200 * KIB)
    (top / "other.raw").write_bytes(b"y" * 200 * KIB)
    return top


def test_plans_copies_of_a_file_but_not_the_last_one_silently(copies, tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with Browsing(str(copies), env=state) as browsing:
        browsing.wait_for("photos/")
        browsing.press("8")
        browsing.wait_for("each 200 KiB")
        assert "other.raw" not in browsing.text
        browsing.press("d")
        browsing.wait_for("Plan: 2 items, 2 entries, frees 400 KiB")
        browsing.press(ENTER + "jd")
        browsing.wait_for("this is the last copy")
        browsing.wait_for("Plan: 2 items")
        browsing.agree("PA")
        browsing.wait_for("Moved 2 items to the quarantine")
        browsing.wait_for("(nothing was found)")
        browsing.press("q")
        assert browsing.end() == 0
    assert len([*copies.glob("*/*.raw")]) == 1


def test_leaving_ends_a_search(copies):
    for number in range(40):
        (copies / f"large{number}").write_bytes(b"z" * 4 * 1024 * KIB)
    with Browsing(str(copies)) as browsing:
        browsing.wait_for("large0")
        browsing.press("8q")
        assert browsing.end() == 0


def test_shows_what_grew_since_the_newest_snapshot(copies, tmp_path):
    store = str(tmp_path / "store")
    with Browsing("--store", store, str(copies)) as browsing:
        browsing.wait_for("photos/")
        browsing.press("7")
        advice = "`fathom snapshot` keeps the first one"
        browsing.wait_until(lambda: advice in " ".join(browsing.text.split()), advice)
        assert run("snapshot", "--store", store, str(copies)).returncode == 0
        (copies / "photos/new.raw").write_bytes(b"n" * 300 * KIB)
        (copies / "other.raw").unlink()
        browsing.press("1r")
        browsing.wait_until(lambda: "other.raw" not in browsing.text, "the new scan")
        browsing.press("7r")
        browsing.wait_for("new: photos/new.raw")
        browsing.wait_for("gone: other.raw")
        browsing.wait_until(lambda: re.search(r"\+100 KiB since (today|yesterday)", browsing.text),
                            "the change, of yesterday if midnight has passed meanwhile")
        browsing.wait_for("-200 KiB")
        browsing.press(ENTER)
        browsing.wait_until(lambda: "photos" in browsing.lines[0], "the directory of the file")
        browsing.wait_for_row("new.raw")


def test_says_that_only_a_directory_above_has_a_snapshot(copies, tmp_path):
    store = str(tmp_path / "store")
    assert run("snapshot", "--store", store, str(copies)).returncode == 0
    with Browsing("--store", store, str(copies / "photos")) as browsing:
        browsing.wait_for("one.raw")
        browsing.press("7")
        browsing.wait_for("is kept; `fathom diff @latest now")


def test_says_that_a_snapshot_cannot_be_read(copies, tmp_path):
    store = tmp_path / "store"
    assert run("snapshot", "--store", str(store), str(copies)).returncode == 0
    [meta] = store.glob("*/meta.json")
    meta.write_text("")
    with Browsing("--store", str(store), str(copies)) as browsing:
        browsing.wait_for("photos/")
        browsing.press("7")
        reason = "1 snapshot cannot be read, and `fathom log` says why"
        browsing.wait_until(lambda: reason in " ".join(browsing.text.split()), reason)


def test_a_scan_of_selected_entries_is_neither_judged_nor_compared(project):
    with Browsing("--min-size", "1k", str(project)) as browsing:
        browsing.wait_for("letter.txt")
        browsing.press("6")
        browsing.wait_for("rules need a scan without")
        browsing.press("7")
        browsing.wait_for("only a scan without")


def test_a_scan_that_was_ended_early_is_not_judged(tmp_path):
    for number in range(300):
        (tmp_path / f"dir{number:03}").mkdir()
        (tmp_path / f"dir{number:03}" / "file").write_bytes(b"x" * KIB)
    with Browsing("--max-ops", "150", "-j", "1", str(tmp_path)) as browsing:
        browsing.wait_for("scanning")
        browsing.press("6")
        browsing.wait_for("(waits for the end of the scan)")
        browsing.press("\x03")
        browsing.wait_for("the scan was ended early; this needs all of it")
