"""`fathom browse` from end to end, on an emulated terminal."""

import json
import os
import random
import re
import signal
import subprocess
import termios

import pytest

from browsing import BACKSPACE, DOWN, ENTER, ESCAPE, LEFT, RIGHT, Browsing
from conftest import FATHOM, environment, run, sentence_of

KIB = 1024
TAKES_SCREEN = b"\x1b[?1049h"


@pytest.fixture(name="tree")
def small_tree(tmp_path):
    """big/ with 300 KiB, mid/ with hard links, a file; the first rows by size in this order."""
    top = tmp_path / "top"
    (top / "big" / "deep").mkdir(parents=True)
    (top / "mid").mkdir()
    (top / "big" / "deep" / "data.bin").write_bytes(b"x" * 300 * KIB)
    (top / "big" / "note.txt").write_bytes(b"x" * 8 * KIB)
    (top / "mid" / "one").write_bytes(b"x" * 100 * KIB)
    os.link(top / "mid" / "one", top / "mid" / "two")
    (top / "small.log").write_bytes(b"x" * 20 * KIB)
    (top / "odd\n\x1b[2Jname").write_bytes(b"x" * 4 * KIB)
    return top


def scanned(browsing):
    """Waits for the end of the scan: the sums are exact then."""
    browsing.wait_until(lambda: "entries" in browsing.lines[0] and "\u2265" not in browsing.lines[0] and
                        "scanning" not in browsing.text, "the end of the scan")
    browsing.wait_for_row("big/")


def listing(top):
    return subprocess.run(["find", top, "-printf", "%P %s %T@ %C@ %i %n %m\\n"], capture_output=True, check=True).stdout


def test_moves_opens_marks_and_quits(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press("j")
        browsing.wait_for_row("mid/")
        browsing.press(RIGHT)
        browsing.wait_for_row("one")
        browsing.press("  ")
        browsing.wait_for("Marked: 2 items, 2 entries, frees 100 KiB")
        browsing.press(LEFT)
        browsing.wait_for_row("mid/")
        browsing.press("d")
        browsing.wait_for("Plan: 2 items, 2 entries, frees 100 KiB")
        browsing.press("q")
        browsing.wait_for("Quit?")
        browsing.press(ENTER)
        browsing.wait_until(lambda: "Quit?" not in browsing.text, "the question is gone")
        browsing.press("qy")
        assert browsing.end() == 0


def test_one_of_two_names_frees_nothing(tree):
    with Browsing(str(tree / "mid")) as browsing:
        browsing.wait_for_row("one")
        browsing.press("d")
        browsing.wait_for("Plan: 1 item, 1 entry, frees 0 B (100 KiB stay, shared)")


def test_shows_hostile_names_as_the_other_commands_do(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.wait_for(r"odd\n\x1b[2Jname")


def test_hostile_names_in_a_reason_do_not_control_the_terminal(tmp_path):
    evil = tmp_path / "top/evil\x1b]0;title\x07"
    for name in ("objects", "refs"):
        (evil / name).mkdir(parents=True)
    (evil / "HEAD").write_bytes(b"")
    (evil / "big").write_bytes(b"x" * 100 * KIB)
    with Browsing(str(tmp_path / "top"), columns=200, env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        browsing.wait_for_row("evil")
        browsing.press(ENTER)
        browsing.wait_for_row("big")
        browsing.press("dPA")
        browsing.wait_for("Move the plan to the quarantine?")
        browsing.press("y")
        browsing.wait_for("is inside the git repository")
        assert b"\x1b]0;title" not in browsing.written
        assert r"evil\x1b]0;title\x07" in browsing.lines[-1]
        assert (evil / "big").exists()


def test_filters_here_and_in_the_whole_tree(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press("/log" + ENTER)
        browsing.wait_for_row("small.log")
        browsing.press(ESCAPE)
        browsing.wait_for("mid/")
        browsing.press("//data")
        browsing.wait_for("1 found")
        browsing.press(ENTER + ENTER)
        browsing.wait_until(lambda: "big/deep" in browsing.lines[0], "the directory of the file")
        browsing.wait_for_row("data.bin")


def test_selects_by_a_condition(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press(":kind = file and size > 10K" + ENTER)
        browsing.wait_for_row("small.log")
        assert "mid/" not in browsing.text
        browsing.press("::links > 1 and nam = x" + ENTER)
        browsing.wait_for("column 15")
        browsing.press("\x15:kind = file and links > 1" + ENTER)
        browsing.wait_for("2 found")


@pytest.mark.parametrize("view", ["2 Largest", "3 Types", "4 Ages", "5 Owners"])
def test_has_views(tree, view):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press(view[0])
        browsing.wait_for(f"[{view}]")
        browsing.wait_until(lambda: browsing.selected() != "", "a row")


def test_has_a_map_beside_the_list_on_wide_screens(tree):
    with Browsing(str(tree), columns=160, rows=30) as browsing:
        scanned(browsing)
        browsing.press("T")
        browsing.wait_for("\u2502 Map")
        assert "\u2502big" in browsing.text and "\u2502small.log" in browsing.text
        browsing.resize(140, 30)
        browsing.wait_until(lambda: "Map" not in browsing.text and browsing.selected(), "the list alone")


def test_escape_is_a_key_soon_and_never_quits(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        for _ in range(3):
            browsing.press("?")
            browsing.wait_for("  Keys")
            browsing.press(ESCAPE)
            browsing.wait_for_row("big/")
        browsing.press(ESCAPE + ESCAPE)
        browsing.press("j")
        browsing.wait_for_row("mid/")


def test_q_prints_the_directory_for_cd(tree):
    reading, writing = os.pipe()
    with Browsing(str(tree), stdout=writing) as browsing:
        os.close(writing)
        scanned(browsing)
        browsing.press(ENTER)
        browsing.wait_for_row("deep/")
        browsing.press("Q")
        assert browsing.end() == 0
    with os.fdopen(reading, "rb") as output:
        assert output.read() == os.fsencode(tree / "big") + b"\n"


@pytest.mark.parametrize("keys, printed", [("", "big"), ("j", "")])
def test_q_in_the_list_of_roots_prints_the_root_or_where_the_file_is(tree, keys, printed):
    reading, writing = os.pipe()
    with Browsing(str(tree / "big"), str(tree / "small.log"), stdout=writing) as browsing:
        os.close(writing)
        browsing.wait_for_row("big/")
        browsing.press(keys + "Q")
        assert browsing.end() == 0
    with os.fdopen(reading, "rb") as output:
        assert output.read() == os.fsencode(f"{tree}/{printed}\n")


def test_follows_the_size_of_the_terminal(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.resize(39, 24)
        browsing.wait_for("Fathom needs 40x10")
        browsing.resize(132, 43)
        browsing.wait_for("Owner     Name")
        browsing.resize(60, 10)
        browsing.wait_until(lambda: "Modified" not in browsing.text and browsing.selected(), "fewer columns")


def test_everything_can_be_done_on_the_smallest_terminal(tree, tmp_path):
    with Browsing(str(tree), columns=40, rows=10, env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        browsing.wait_until(lambda: "big/" in browsing.text and "\u2265" not in browsing.lines[0] and
                            "scanning" not in browsing.text, "the end of the scan")
        browsing.press("?G")
        browsing.wait_for("U, and y or delete.")
        browsing.press("xdP")
        browsing.wait_for("A apply  x take out  W write  ? keys")
        browsing.agree("A")
        browsing.wait_for("Moved 1 item")
        assert not (tree / "big").exists()
        browsing.press("U")
        browsing.wait_for("Move back")
        browsing.press("y")
        browsing.wait_for("1 item moved back")
        browsing.wait_for("big/")
        browsing.press("q")
        assert browsing.end() == 0


def test_uses_ascii_alone_in_another_locale(tree):
    with Browsing(str(tree), env={"LANG": "C"}) as browsing:
        browsing.wait_for_row("big/")
        browsing.press("dq")
        browsing.wait_for("+---")
        assert browsing.text.isascii()


def test_no_color_keeps_the_selected_row(tree):
    with Browsing(str(tree), env={"NO_COLOR": "1"}) as browsing:
        scanned(browsing)
        assert b"\x1b[34m" not in browsing.written and b"\x1b[36m" not in browsing.written
        assert browsing.screen.buffer[3][10].reverse


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGSEGV, signal.SIGABRT])
def test_restores_the_terminal_at_every_end(tree, number):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        raw = browsing.settings()[3]
        assert not raw & (termios.ICANON | termios.ECHO)
        os.kill(browsing.pid, number)
        code = browsing.end()
        # A sanitizer reports the fault, and exits with code 1.
        assert code in (130, -number) or (number == signal.SIGSEGV and code == 1)
        assert browsing.settings()[3] & termios.ICANON and browsing.settings()[3] & termios.ECHO
        assert b"\x1b[?1049l" in browsing.written and browsing.written.rfind(b"\x1b[?1049h") < browsing.written.rfind(
            b"\x1b[?1049l")


def test_the_mouse_selects_opens_and_shows_views(tree):
    with Browsing("--mouse", str(tree)) as browsing:
        scanned(browsing)
        browsing.press("\x1b[<0;30;5M\x1b[<0;30;5m")
        browsing.wait_for_row("mid/")
        browsing.press("\x1b[<0;30;5M\x1b[<0;30;5m")
        browsing.wait_for_row("one")
        browsing.press("\x1b[<65;30;5M")
        browsing.wait_for_row("two")
        browsing.press("\x1b[<0;13;2M")
        browsing.wait_for("[2 Largest]")


def test_the_mouse_selects_and_opens_in_the_map(tree):
    with Browsing("--mouse", str(tree), columns=160, rows=30) as browsing:
        scanned(browsing)
        browsing.press("Tj")
        browsing.wait_for_row("mid/")
        browsing.press("\x1b[<0;110;10M\x1b[<0;110;10m")  # the largest box is at the left
        browsing.wait_for_row("big/")
        browsing.press("\x1b[<0;110;10M\x1b[<0;110;10m")
        browsing.wait_for_row("deep/")


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGABRT])
def test_the_mouse_is_off_after_every_end_and_by_default(tree, number):
    on, off = b"\x1b[?1006h", b"\x1b[?1006l"
    with Browsing("--mouse", str(tree)) as browsing:
        scanned(browsing)
        assert browsing.written.count(on) == 1
        if number is None:
            browsing.press("q")
        else:
            os.kill(browsing.pid, number)
        browsing.end()
        assert browsing.written.rfind(off) > browsing.written.rfind(on)
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press("q")
        browsing.end()
        assert on not in browsing.written


def test_stops_and_continues_with_its_job(tree):
    with Browsing(str(tree), script='"$0" "$@"; echo it has stopped; read line; fg') as browsing:
        scanned(browsing)
        browsing.press("\x1a")
        browsing.wait_for("it has stopped")
        browsing.screen.reset()
        browsing.resize(100, 30)
        browsing.press("\n")
        browsing.wait_for_row("big/")
        browsing.wait_until(lambda: "? keys" in browsing.lines[29], "all of the larger screen")
        browsing.press("q")
        assert browsing.end() == 0


def test_does_not_stop_where_no_shell_would_continue_it(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press("\x1a")
        browsing.wait_until(lambda: browsing.written.count(TAKES_SCREEN) == 2, "the terminal is taken again")
        browsing.press("j")
        browsing.wait_for_row("mid/")


def test_does_not_stop_while_a_shell_waits_for_its_output(tree):
    with Browsing(str(tree), script='at=$(exec /bin/sh -mc \'"$0" "$@" | cat\' "$0" "$@"); echo "it was at $at"',
                  columns=200) as browsing:
        scanned(browsing)
        browsing.press("\x1aj")
        browsing.wait_for_row("mid/")
        browsing.press("Q")
        browsing.wait_for(f"it was at {tree}")
        assert browsing.end() == 0


def test_the_shell_starts_in_the_shown_directory(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press("\rb")
        browsing.wait_for("level 1")
        browsing.press("echo at $PWD, level $FATHOM_LEVEL\n")
        browsing.wait_for(f"at {tree / 'big'}"[:70])
        browsing.press("exit\n")
        browsing.wait_for_row("deep/")


def test_follows_the_size_of_the_terminal_while_the_shell_runs(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press("b")
        browsing.wait_for("level 1")
        browsing.resize(100, 30)
        browsing.press("exit\n")
        browsing.wait_until(lambda: "? keys" in browsing.lines[29], "all of the larger screen")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_ends_after_the_shell_if_it_was_told_to(tree, number):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press("b")
        browsing.wait_for("level 1")
        os.kill(browsing.pid, number)
        browsing.press("exit\n")
        assert browsing.end() == 130


def test_signals_of_keys_in_the_shell_are_not_for_the_browser(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press("b")
        browsing.wait_for("level 1")
        os.kill(browsing.pid, signal.SIGINT)
        os.kill(browsing.pid, signal.SIGTSTP)
        browsing.press("exit\n")
        browsing.wait_until(lambda: browsing.written.count(TAKES_SCREEN) == 2, "the terminal is taken again")
        browsing.press("j")
        browsing.wait_for_row("mid/")


def test_scans_a_directory_again(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press("jd" + "k" + ENTER)
        browsing.wait_for_row("deep/")
        (tree / "big" / "new.bin").write_bytes(b"x" * 900 * KIB)
        (tree / "big" / "note.txt").unlink()
        browsing.press("r")
        browsing.wait_for("new.bin")
        assert "note.txt" not in browsing.text
        browsing.wait_for("Plan: 1 item, 3 entries, frees 10")
        browsing.press(LEFT)
        browsing.wait_for_row("big/")


@pytest.fixture(name="slow")
def many_directories(tmp_path):
    """Reading one directory takes several operations, so that a limit makes the scan long."""
    for number in range(300):
        (tmp_path / f"dir{number:03}").mkdir()
        (tmp_path / f"dir{number:03}" / "file").write_bytes(b"x" * KIB)
    return tmp_path


def test_is_live_while_the_scan_runs_and_keeps_what_was_found(slow):
    with Browsing("--max-ops", "150", "-j", "1", str(slow)) as browsing:
        browsing.wait_until(lambda: browsing.selected().endswith("/"), "the first directories")
        browsing.wait_for("scanning")
        assert "\u2265" in browsing.lines[0]
        browsing.press("njj d")
        browsing.wait_for("Plan: 1 item")
        name = browsing.selected().split()[-1]
        count = browsing.lines[0]
        browsing.wait_until(lambda: browsing.lines[0] != count, "a later snapshot")
        assert browsing.selected().split()[-1] == name
        browsing.press("\x03")
        browsing.wait_for("the scan was ended early")
        browsing.wait_until(lambda: "scanning" not in browsing.text, "the end")
        assert "\u2265" in browsing.lines[0] and "Plan: 1 item" in browsing.text
        browsing.press("\x03")
        browsing.wait_for("Quit?")
        browsing.press("\x03")
        assert browsing.end() == 0


def test_copies_the_path_through_the_terminal(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        browsing.press("y")
        browsing.wait_for("clipboard")
        assert b"\x1b]52;c;" in browsing.written


def test_writes_the_paths_of_the_plan_and_replaces_no_file(tree, tmp_path):
    with Browsing(str(tree), cwd=tmp_path) as browsing:
        scanned(browsing)
        for _ in range(2):
            browsing.press(" jW")
            browsing.wait_for("Write the marks to:")
            browsing.press("\x15list" + ENTER)
            browsing.wait_until(lambda: "wrote" in browsing.text or "File exists" in browsing.text, "an answer")
            browsing.press("j")
        assert (tmp_path / "list").read_bytes() == os.fsencode(tree / "big") + b"\0"
        assert (tmp_path / "list").exists()


@pytest.mark.parametrize("slash", ["", "/"])
def test_the_home_directory_is_shortened(tree, slash):
    with Browsing(str(tree / "big"), env={"HOME": f"{tree}{slash}"}) as browsing:
        browsing.wait_until(lambda: "~/big" in browsing.lines[0], "the short path")


def test_says_where_it_wrote_the_paths(tree, tmp_path):
    with Browsing(str(tree), cwd=tmp_path, columns=200) as browsing:
        scanned(browsing)
        browsing.press("dW")
        browsing.wait_for("Write the plan to:")
        browsing.press("\x15list" + ENTER)
        browsing.wait_for(f"wrote 1 path for xargs -0 to {tmp_path}/list")


def test_writes_the_plan_of_a_saved_scan(tree, tmp_path):
    assert run("snapshot", "--store", str(tmp_path / "store"), str(tree)).returncode == 0
    with Browsing("--store", str(tmp_path / "store"), "--from", "@latest", cwd=tmp_path, columns=200) as browsing:
        scanned(browsing)
        browsing.press("dPA")
        browsing.wait_for("plans cannot be applied here: W writes the plan to a file")
        browsing.press("W")
        browsing.wait_for("NAME.plan for fathom apply; else paths")
        browsing.press(ENTER)
        browsing.wait_for(f"wrote 1 item to {tmp_path}/fathom.plan")
    applied = run("apply", "fathom.plan", "--quarantine", str(tmp_path / "away"), "--execute", cwd=tmp_path)
    assert applied.returncode == 0 and not (tree / "big").exists()


def test_a_plan_is_applied_after_a_question_and_moved_back(tree, tmp_path):
    before = listing(tree / "big/deep")
    state = tmp_path / "state"
    with Browsing(str(tree), env={"XDG_STATE_HOME": str(state)}) as browsing:
        scanned(browsing)
        browsing.press("dP")
        browsing.wait_for("A apply")
        browsing.press("A")
        browsing.wait_for("Move the plan to the quarantine?")
        browsing.press(ENTER)
        browsing.wait_until(lambda: "Move the plan to the quarantine?" not in browsing.text, "the question is gone")
        assert (tree / "big").exists()
        browsing.agree("A")
        browsing.wait_for("Moved 1 item to the quarantine; U moves it back")
        browsing.wait_for_row("mid/")
        assert not (tree / "big").exists()
        browsing.press("U")
        browsing.wait_for("Move back")
        browsing.press("y")
        browsing.wait_for("1 item moved back")
        browsing.wait_for("big/")
        browsing.press("q")
        assert browsing.end() == 0
    assert listing(tree / "big/deep") == before
    [journal] = (state / "fathom/plans").glob("*.journal")
    undone = run("undo", journal)
    assert b"Nothing to move back." in undone.stdout


def test_what_was_applied_earlier_is_moved_back_as_well(tree, tmp_path):
    with Browsing(str(tree), env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        scanned(browsing)
        for name in ("big", "mid"):
            browsing.wait_for_row(name + "/")
            browsing.press("dP")
            browsing.wait_for("A apply")
            browsing.agree("A")
            browsing.wait_until(lambda name=name: name + "/" not in browsing.text, "what is left")
        browsing.press("U")
        browsing.wait_for("Move back what was applied last?")
        browsing.press("y")
        browsing.wait_for("1 item moved back; U moves back what was applied before")
        assert (tree / "mid/one").exists() and not (tree / "big").exists()
        browsing.wait_for("mid/")
        browsing.press("U")
        browsing.wait_for("Move back what was applied before that?")
        browsing.press("y")
        browsing.wait_for("1 item moved back")
        browsing.wait_for("big/")
        assert (tree / "big/note.txt").exists()
        browsing.press("U")
        browsing.wait_for("there is nothing to move back")
        browsing.press("q")
        assert browsing.end() == 0


def type_delete(browsing):
    """As a person types: each letter is shown before the next key."""
    for end in range(1, len("delete") + 1):
        browsing.press("delete"[end - 1])
        browsing.wait_until(lambda end=end: f"Type delete: {'delete'[:end]}" in browsing.lines[-1].split("  ")[0],
                            "the letter")
    browsing.press(ENTER)


def test_a_plan_is_deleted_for_good_after_the_word_delete(tree, tmp_path):
    with Browsing(str(tree), env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        scanned(browsing)
        browsing.press("dPA")
        browsing.wait_for("D delete")
        browsing.press("D")
        browsing.wait_for("Delete the plan for good?")
        browsing.wait_for("This is final: U cannot undo it.")
        assert re.search(r"This frees 3\d\d KiB\.", browsing.text)
        browsing.press("y")
        browsing.wait_for("Type delete: y")
        browsing.press(ENTER)
        browsing.wait_for("nothing was deleted: only the word delete agrees")
        assert (tree / "big").exists()
        browsing.press("A")
        browsing.wait_for("D delete")
        browsing.press("D")
        browsing.wait_for("Delete the plan for good?")
        type_delete(browsing)
        browsing.wait_for("Deleted 1 item for good; freed 3")
        browsing.wait_for_row("mid/")
        assert not (tree / "big").exists()
        browsing.press("U")
        browsing.wait_for("there is nothing to move back: what was deleted is gone for good")
        browsing.press("q")
        assert browsing.end() == 0
        assert "fathom undo" not in browsing.written.decode()
    [plan] = (tmp_path / "state/fathom/plans").glob("*[!l]")
    assert json.loads(plan.read_text().splitlines()[1])["do"] == "delete"
    assert f"{plan}.journal" in map(str, (tmp_path / "state/fathom/plans").iterdir())


def test_pasted_text_deletes_nothing(tree, tmp_path):
    with Browsing(str(tree), env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        scanned(browsing)
        browsing.press("dPADdelete" + ENTER)
        browsing.wait_for("D delete")
        browsing.press("Ddelete" + ENTER)
        browsing.wait_for("Delete the plan for good?")
        browsing.press("delete" + ENTER)
        browsing.wait_until(lambda: browsing.lines[-1].startswith(" Type delete: d"), "what is left of it")
        browsing.press(ESCAPE)
        browsing.wait_until(lambda: "Delete the plan for good?" not in browsing.text, "the question is gone")
        browsing.wait_for("Plan: 1 item")
        assert (tree / "big").exists() and not (tmp_path / "state").exists()


@pytest.mark.parametrize("keys, question, key, answered", [
    ("dPA", "D delete", "D", "Delete the plan for good?"),
    ("dPAD", "Delete the plan for good?", "x", " Type delete: x"),
])
def test_text_that_is_pasted_slowly_answers_no_question(tree, tmp_path, keys, question, key, answered):
    with Browsing(str(tree), env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        scanned(browsing)
        assert b"\x1b[?2004h" in browsing.written
        for one in keys:
            browsing.press(one)
            browsing.wait_until({"A": lambda: "D delete" in browsing.text}.get(one, lambda: True), "the question")
        browsing.wait_for(question)
        for pasted in ("\x1b[200~", "D", "delete", ENTER, "y", "\x1b[201~"):
            browsing.press(pasted)
        # Keys that come together with the end of what is pasted are dropped, too.
        browsing.wait_until(lambda: browsing.press(key) or answered in browsing.text, "an answer that was typed")
        assert (tree / "big").exists() and not (tmp_path / "state").exists()


def test_nothing_is_deleted_of_which_options_leave_out_a_part(tree, tmp_path):
    with Browsing("--exclude", "note.txt", str(tree), env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        scanned(browsing)
        browsing.press("dPA")
        browsing.wait_for("D delete")
        browsing.press("D")
        browsing.wait_for("nothing can be deleted")
        assert (tree / "big").exists()


def test_what_is_never_touched_is_not_deleted(tree, tmp_path):
    for name in ("objects", "refs"):
        (tree / "big/.git" / name).mkdir(parents=True)
    (tree / "big/.git/HEAD").write_bytes(b"")
    with Browsing(str(tree), columns=200, env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        scanned(browsing)
        browsing.press("dPA")
        browsing.wait_for("D delete")
        browsing.press("D")
        browsing.wait_for("Delete the plan for good?")
        type_delete(browsing)
        browsing.wait_for("Nothing was deleted completely; P shows why: ")
        assert (tree / "big/.git/HEAD").exists() and (tree / "big/note.txt").exists()


def test_keys_before_a_question_is_shown_do_not_answer_it(tree, tmp_path):
    with Browsing(str(tree), env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        scanned(browsing)
        browsing.press("dPAy")
        browsing.wait_for("Move the plan to the quarantine?")
        browsing.press("n")
        browsing.wait_until(lambda: "Move the plan to the quarantine?" not in browsing.text, "the question is gone")
        assert (tree / "big").exists()
        browsing.agree("A")
        browsing.wait_for("Moved 1 item")
        browsing.press("Uy")
        browsing.wait_for("Move back")
        browsing.press("y")
        browsing.wait_for("1 item moved back")


def test_what_has_changed_since_the_scan_is_not_moved(tree, tmp_path):
    with Browsing(str(tree), env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        scanned(browsing)
        browsing.press("djdjd")
        browsing.wait_for("Plan: 3 items")
        (tree / "big").rename(tmp_path / "elsewhere")
        (tree / "big").mkdir()
        (tree / "mid/three").write_bytes(b"new")
        browsing.agree("PA")
        browsing.wait_for("Moved 1 item; U moves it back. 2 were not: P shows why")
        assert (tree / "big").exists() and (tree / "mid/three").exists()
        assert not (tree / "small.log").exists()
        browsing.press("P")
        browsing.wait_for("Plan: 2 items")
        browsing.wait_for("left out: it has changed since the scan")
        browsing.press(ESCAPE + "qy")
        assert browsing.end() == 0
        [journal] = (tmp_path / "state/fathom/plans").glob("*.journal")
        assert f"fathom: to move things back: fathom undo {journal} --execute" in browsing.written.decode()


def test_a_root_stays_and_does_not_keep_other_items_from_moving(tree, tmp_path):
    with Browsing(str(tree / "big"), str(tree / "mid"), env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        browsing.wait_for_row("big")
        browsing.press("djl")
        browsing.wait_for_row("one")
        browsing.agree("dPA")
        browsing.wait_for("Moved 1 item; U moves it back. 1 was not: P shows why")
        assert (tree / "big/note.txt").exists() and not (tree / "mid/one").exists()
        browsing.press("P")
        browsing.wait_for("left out: it is a root of the scan")


def test_the_plan_stays_if_nothing_can_be_kept_for_undoing(tree, tmp_path):
    (tmp_path / "state").write_bytes(b"not a directory")
    with Browsing(str(tree), env={"XDG_STATE_HOME": str(tmp_path / "state")}) as browsing:
        scanned(browsing)
        browsing.agree("dPA")
        browsing.wait_for("Nothing was moved; P shows why")
        browsing.press("g")  # the message goes
        browsing.wait_for("Plan: 1 item")
        assert (tree / "big").exists()


def test_a_part_of_a_plan_goes_to_the_trash(tree, tmp_path):
    env = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_DATA_HOME": str(tmp_path / "data")}
    with Browsing(str(tree), env=env) as browsing:
        scanned(browsing)
        browsing.press("djD")
        browsing.wait_for("for the trash of the desktop")
        browsing.press("PA")
        browsing.wait_for("of it to the trash: 1 item")
        browsing.press("y")
        browsing.wait_for("Moved 2 items, 1 of them to the trash; U moves them back")
        assert not (tree / "big").exists() and not (tree / "mid").exists()
        assert (tmp_path / "data/Trash/files/mid/one").exists()
        browsing.agree("U")
        browsing.wait_for("2 items moved back")
        assert (tree / "mid/one").exists() and (tree / "big").exists()
        browsing.press("q")
        assert browsing.end() == 0


def test_the_plan_moves_the_entry_of_the_root_that_was_chosen(tmp_path):
    (tmp_path / "data/old").mkdir(parents=True)
    (tmp_path / "data-old").mkdir()
    (tmp_path / "data/old/x").write_bytes(b"x" * 1000)
    (tmp_path / "data-old/x").write_bytes(b"x" * 400 * KIB)
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    with Browsing(str(tmp_path / "data"), str(tmp_path / "data-old"), env=state) as browsing:
        browsing.wait_for_row("data-old")
        browsing.press(RIGHT)
        browsing.wait_for_row(" x")
        browsing.press("dP")
        browsing.wait_for("A apply")
        browsing.agree("A")
        browsing.wait_for("Moved 1 item")
        assert (tmp_path / "data/old/x").exists() and not (tmp_path / "data-old/x").exists()
        browsing.wait_for("(empty)")
        browsing.agree("U")
        browsing.wait_for("1 item moved back")
        browsing.wait_for_row(" x")
        browsing.press("qy")
        assert browsing.end() == 0
    assert (tmp_path / "data-old/x").exists()


def test_read_only_has_no_shell(tree):
    with Browsing("--read-only", str(tree)) as browsing:
        scanned(browsing)
        browsing.press("b")
        browsing.wait_for("read-only: no shell")


def test_read_only_deletes_nothing(tree):
    with Browsing("--read-only", str(tree)) as browsing:
        scanned(browsing)
        browsing.press("dPA")
        browsing.wait_for("read-only: W writes the plan to a file")
        browsing.press("D")
        browsing.wait_until(lambda: "Delete the plan" not in browsing.text and "read-only" not in browsing.text,
                            "the key that does nothing")


def test_shows_saved_scans(tree, tmp_path):
    export = tmp_path / "export"
    assert run("scan", "--format", "ncdu", "-o", str(export), str(tree)).returncode == 0
    store = str(tmp_path / "store")
    assert run("snapshot", "--store", store, str(tree)).returncode == 0
    for source in (["--from", str(export)], ["--store", store, "--from", "@latest"]):
        with Browsing(*source) as browsing:
            browsing.wait_for_row("big/")
            browsing.wait_for("saved 20")
            browsing.press("r")
            browsing.wait_for("cannot be repeated")
            browsing.press("b")
            browsing.wait_for("no shell")
            browsing.press("q")
            assert browsing.end() == 0


def test_needs_a_terminal(tree):
    refused = subprocess.run(["setsid", FATHOM, "browse", str(tree)], stdin=subprocess.DEVNULL, capture_output=True,
                             env=environment({"TERM": "xterm"}), check=False)
    assert refused.returncode == 1
    assert b"fathom browse needs a terminal, except with --plain" in refused.stderr


def test_the_mouse_needs_a_screen(tree):
    assert "options '--plain' and '--mouse' exclude each other" in (
        sentence_of(run("browse", "--plain", "--mouse", str(tree))))


def test_refuses_an_unknown_terminal_and_a_missing_path(tree):
    with Browsing(str(tree), env={"TERM": "no-such-terminal"}) as browsing:
        browsing.wait_for("no-such-terminal")
        assert browsing.end() == 1
    with Browsing(str(tree / "missing")) as browsing:
        browsing.wait_for("No such file or directory")
        assert browsing.end() == 2


def test_moving_is_cheap_and_waiting_is_free(tree):
    with Browsing(str(tree)) as browsing:
        scanned(browsing)
        while browsing.read(0.3):
            pass
        before = len(browsing.written)
        assert not browsing.read(0.5) and len(browsing.written) == before
        browsing.press(DOWN)
        browsing.wait_for_row("mid/")
        assert len(browsing.written) - before < 500


# Not the keys that write a file, start a shell or leave: W, b, q, Q, Ctrl-Z.
KEYS = [*"jjjkkkllhhgG12345678snCMtaeumcowxVv*dDXIUAPiy r?/:<.z", DOWN, LEFT, RIGHT, ENTER, ESCAPE, BACKSPACE, "\t",
        "\x12", "\x04", "\x15", "\x1b[5~", "\x1b[6~", "\x1b[3~", "\x1b[15~", "\xff"]


@pytest.mark.parametrize("seed", range(3))
def test_random_keys_change_nothing_on_disk_if_browse_is_read_only(tree, seed):
    chance = random.Random(seed)
    before = listing(tree)
    with Browsing("--read-only", str(tree)) as browsing:
        scanned(browsing)
        for _ in range(60):
            browsing.press("".join(chance.choice(KEYS) for _ in range(20)))
            if chance.random() < 0.2:
                browsing.resize(chance.randint(40, 200), chance.randint(5, 60))
            while browsing.read(0.002):
                pass
        browsing.resize(80, 24)
        # Leaves whatever is open, and then the program.
        for _ in range(8):
            browsing.press(ESCAPE)
            browsing.read(0.05)
        browsing.press("q")
        browsing.read(0.2)
        browsing.press("y")
        assert browsing.end() == 0
    assert listing(tree) == before
