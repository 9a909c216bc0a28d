"""`fathom browse --plain`: commands and answers in lines of text."""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios

import pytest

from conftest import FATHOM, PATIENCE, can_mount, environment, run, until

KIB = 1024


@pytest.fixture(name="tree")
def small_tree(tmp_path):
    """big/ with 300 KiB, two equal files of 100 KiB in mid/, and a small file with a hostile name."""
    top = tmp_path / "top"
    (top / "big" / "deep").mkdir(parents=True)
    (top / "mid").mkdir()
    (top / "big" / "deep" / "data.bin").write_bytes(b"x" * 300 * KIB)
    (top / "mid" / "one").write_bytes(b"y" * 100 * KIB)
    (top / "mid" / "two").write_bytes(b"y" * 100 * KIB)
    (top / "odd\n\x1b[2Jname").write_bytes(b"z" * 4 * KIB)
    return top


def answers(tree, *commands, options=(), env=None):
    """What is written after each command, without the prompt; the first is what comes by itself."""
    done = subprocess.run([FATHOM, "browse", "--plain", *options, str(tree)], capture_output=True, timeout=PATIENCE,
                          input="".join(command + "\n" for command in commands).encode(), check=False,
                          env=environment(env or {}))
    assert done.returncode == 0 and done.stderr == b""
    assert b"\x1b" not in done.stdout
    return [text.strip("\n") for text in ("\n" + done.stdout.decode()).split("\n> ")]


def size(*paths):
    """As on the screen. How much a directory itself takes depends on the filesystem."""
    entries = [entry for path in paths for entry in (path, *path.rglob("*"))]
    return f"{sum(entry.lstat().st_blocks for entry in entries) // 2} KiB"


def said_until(keyboard, *texts):
    """Reads until the texts have appeared, in this order. One read may return several of them."""
    said = b""
    for text in texts:
        while text not in said:
            assert select.select([keyboard], [], [], PATIENCE)[0], said
            said += os.read(keyboard, 1 << 16).replace(b"\r\n", b"\n")
        said = said.partition(text)[2]


def unread(pipe):
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def sleeps(pid):
    return pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(") ", 1)[1].startswith("S")


def until_the_prompt(browsing):
    said = b""
    while not said.endswith(b"\n> "):
        said += browsing.stdout.read(1)


def test_lists_opens_and_goes_up(tree):
    first, opened, up, _ = answers(tree, "cd 1", "up", "quit")
    assert first.startswith(f"scanning\n{tree}, ")
    big, mid = size(tree / "big"), size(tree / "mid")
    assert f"\n    1  {big}  big/, 2 entries\n    2  {mid}  mid/, 2 entries\n" in first
    assert r"odd\n\x1b[2Jname" in first
    assert opened == f"{tree}/big, {big}, 3 entries\n    1  {size(tree / 'big/deep')}  deep/, 1 entry"
    assert "mid/" in up


def test_lists_several_roots(tree):
    first, opened, up, _ = answers(tree / "big", "cd 1", "up", "quit", options=[str(tree / "mid")])
    big, both = size(tree / "big"), size(tree / "big", tree / "mid")
    assert first.startswith(f"scanning\nall roots, {both}, 6 entries\n    1  {big}  ")
    assert opened.startswith(f"{tree}/big, ")
    assert up.startswith("all roots, ")


def test_tells_more_about_a_row(tree):
    info = answers(tree, "info 2")[1]
    assert f"Path: {tree}/mid\nKind: directory\n" in info
    assert f"Frees: {size(tree / 'mid')} if deleted alone" in info


def test_finds_and_selects(tree):
    _, found, selected, wrong, *_ = answers(tree, "find data", "where size > 1G", "where siz > 1")
    assert "    1  300 KiB  big/deep/data.bin" in found
    assert "nothing is here" in selected
    assert wrong.startswith("column 1: there is no field 'siz'")


def test_has_the_views(tree):
    _, dups, types, wrong, *_ = answers(tree, "view dups", "view types", "view maps")
    assert "1  100 KiB  2 copies, each 100 KiB: mid/one, closed" in dups
    assert "KiB  .bin, 1 entry" in types
    assert wrong.startswith("view NAME: tree")


def test_says_what_it_does_not_understand(tree):
    _, unknown, number, text, nothing, more, *_ = answers(tree, "rm 1", "cd 9", "info x", "apply", "undo")
    assert unknown == "there is no command rm; help lists them"
    assert number == text == "name a row by its number, from 1 to 3"
    assert nothing == "the plan is empty"
    assert more == "there is nothing to move back"


def test_applies_a_plan_after_the_word_yes_and_moves_it_back(tree, tmp_path):
    big = size(tree / "big")
    state = {"XDG_STATE_HOME": str(tmp_path / "state")}
    planned, refused, applied, undone = answers(tree, "plan 1", "apply", "y", "apply", "yes", "undo", "yes", "quit",
                                                env=state)[1:5]
    assert f"the plan: 1 item, 3 entries, frees {big}" in planned
    assert "Move the plan to the quarantine?" in refused and refused.endswith("nothing was done")
    assert "Nothing is deleted, and undo moves it back." in refused
    assert "Moved 1 item to the quarantine; undo moves it back" in applied
    assert "big/" not in applied.split("Moved 1 item")[1]
    assert "1 item moved back" in undone and "big/, 2 entries" in undone
    assert (tree / "big/deep/data.bin").stat().st_size == 300 * KIB


def test_undo_goes_back_to_what_was_applied_before(tree, tmp_path):
    commands = ["plan 1", "apply", "yes"] * 2 + ["undo", "yes"] * 2 + ["undo", "quit"]
    *_, last, before, nothing, _ = answers(tree, *commands, env={"XDG_STATE_HOME": str(tmp_path / "state")})
    assert last.startswith("Move back what was applied last?\n")
    assert "1 item moved back; undo moves back what was applied before\n" in last and "big/" not in last
    assert before.startswith("Move back what was applied before that?\n") and "1 item moved back\n" in before
    assert nothing == "there is nothing to move back" and (tree / "big").exists() and (tree / "mid").exists()


def test_deletes_a_plan_for_good_after_the_word_delete(tree, tmp_path):
    commands = ["plan 1", "delete", "yes", "delete", "delete", "undo", "delete 1", "quit"]
    refused, deleted, undone, rows, _ = answers(tree, *commands, env={"XDG_STATE_HOME": str(tmp_path / "state")})[2:]
    assert "Delete the plan for good?\n1 item, 3 entries\nThis frees " in refused
    assert "\nThis is final: undo cannot undo it.\n" in refused and refused.endswith("nothing was done")
    assert "type delete to do it: Deleted 1 item for good; freed " in deleted and "big/" not in deleted
    assert undone == "there is nothing to move back: what was deleted is gone for good"
    assert rows == "delete names no rows: it deletes what is in the plan"
    assert not (tree / "big").exists() and (tree / "mid/one").exists()


@pytest.mark.parametrize("option", ["--read-only", "--from"])
def test_deletes_nothing_where_no_plan_may_be_applied(tree, tmp_path, option):
    options = [option] if option == "--read-only" else [option, str(export_of(tree, tmp_path / "export"))]
    command = [FATHOM, "browse", "--plain", *options, *([str(tree)] if option == "--read-only" else [])]
    done = subprocess.run(command, capture_output=True, input=b"plan 1\ndelete\ndelete\n", timeout=PATIENCE, check=True,
                          env=environment({}))
    assert done.stdout.count(b"plans cannot be applied here") == 2 and (tree / "big").exists()


@contextlib.contextmanager
def browsing_on_terminal(tree, tmp_path):
    """The keyboard of a terminal on which the tree is browsed; the end must be orderly."""
    keyboard, terminal = pty.openpty()
    with subprocess.Popen([FATHOM, "browse", "--plain", str(tree)], stdin=terminal, stdout=terminal, stderr=terminal,
                          env=environment({"XDG_STATE_HOME": str(tmp_path / "state")})) as browsing:
        os.close(terminal)
        said_until(keyboard, b"help lists the commands", b"> ")
        yield keyboard
        assert browsing.wait(PATIENCE) == 0
    os.close(keyboard)


def test_lines_pasted_into_a_terminal_do_not_answer_the_question_of_delete(tree, tmp_path):
    with browsing_on_terminal(tree, tmp_path) as keyboard:
        os.write(keyboard, b"plan 1\n")
        said_until(keyboard, b"the plan: 1 item", b"> ")
        os.write(keyboard, b"delete\ndelete\n")
        said_until(keyboard, b"type delete to do it: ")
        os.write(keyboard, b"no\n")
        said_until(keyboard, b"nothing was done", b"> ")
        assert (tree / "big").exists()
        os.write(keyboard, b"quit\nyes\n")


def test_a_word_without_enter_does_not_answer_the_question_of_delete(tree, tmp_path):
    with browsing_on_terminal(tree, tmp_path) as keyboard:
        os.write(keyboard, b"plan 1\ndelete\n")
        said_until(keyboard, b"type delete to do it: ")
        os.write(keyboard, b"delete\x04\x04")
        said_until(keyboard, b"nothing was done")
    assert (tree / "big").exists()


def test_shows_what_was_moved_in_several_roots(tree, tmp_path):
    applied, undone = answers(tree / "big", "cd 1", "plan 1", "up", "cd 2", "plan 1-2", "up", "apply", "yes", "undo",
                              "yes", "quit", options=[str(tree / "mid")],
                              env={"XDG_STATE_HOME": str(tmp_path / "state")})[7:9]
    assert "Moved 3 items" in applied and applied.count(" 0 entries") == 2
    assert "3 items moved back" in undone and undone.count(" 2 entries") == 2


def test_marks_rows_and_plans_what_is_marked(tree):
    marked, again, listed, planned, plan, dropped, *_ = answers(
        tree, "mark 1-2 3", "mark 3", "mark", "plan marks", "plan", "drop 1", "mark none", "quit", "yes")[1:]
    big, mid, both = size(tree / "big"), size(tree / "mid"), size(tree / "big", tree / "mid")
    assert marked == f"marked: 3 items, 7 entries, frees {size(*tree.iterdir())}"
    assert again == f"marked: 2 items, 6 entries, frees {both}"
    assert listed.splitlines() == [f"{big}  big/, 2 entries, marked", f"{mid}  mid/, 2 entries, marked", again]
    assert planned.splitlines() == ["put 2 items into the plan; nothing is changed on disk",
                                    f"the plan: 2 items, 6 entries, frees {both}"]
    assert f"\n    2  {mid}  mid/, 2 entries, in the plan\n" in "\n" + plan
    assert dropped == f"the plan: 1 item, 3 entries, frees {mid}"


def test_marks_survive_changing_the_directory_and_do_not_count_twice(tree):
    inside, both, planned, *_ = answers(tree, "cd 1", "mark 1", "up", "mark 1", "plan 2", "mark", "quit", "yes")[2::2]
    assert inside == f"marked: 1 item, 2 entries, frees {size(tree / 'big/deep')}"
    assert both == f"marked: 1 item, 3 entries, frees {size(tree / 'big')}"
    assert planned.splitlines()[-1] == both  # a row by its number leaves the marks


def test_moves_to_the_trash_and_back(tree, tmp_path):
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_DATA_HOME": str(tmp_path / "data"), "HOME": str(tmp_path)}
    planned, asked, undone = answers(tree, "trash 1", "apply", "yes", "undo", "yes", "quit", env=state)[1:4]
    assert "into the plan, for the trash of the desktop" in planned
    assert "Move the plan to the trash of the desktop?" in asked and "Moved 1 item to the trash" in asked
    assert "1 item moved back" in undone
    assert (tree / "big/deep/data.bin").exists()


def test_names_rows_that_are_not_there_or_cannot_be_planned(tree):
    _, too_far, wrong, backwards, none, _, sums, _ = answers(
        tree, "mark 2-9", "plan 1,2", "plan 3-1", "trash", "view types", "mark 1", "quit")
    assert too_far == wrong == "name a row by its number, from 1 to 3"
    assert backwards == "the range 3-1 ends before it begins"
    assert none.startswith("trash 3, or trash marks")
    assert sums == "open a row to mark the entries that it sums up\nnothing is marked"


def test_filters_the_rows_of_each_view(tree):
    _, files, types, filtered, all_types, _ = answers(tree, "filter ODD", "view types", "filter bin", "filter", "quit")
    assert files.endswith(r"odd\n\x1b[2Jname") and "big/" not in files and "; rows that match ODD\n" in files
    assert "(no extension)" in types and types == all_types
    assert filtered.endswith("KiB  .bin, 1 entry") and "(no extension)" not in filtered


def test_writes_the_paths_of_the_plan_or_of_the_marks(tree, tmp_path):
    file = tmp_path / "list"
    _, nothing, _, wrote, exists, _ = answers(tree, f"write {file}", "mark 2", f"write {file}", f"write {file}", "quit",
                                              "yes")
    assert nothing == "nothing is marked and the plan is empty"
    assert wrote == f"wrote 1 path for xargs -0 to {file}"
    assert "exists" in exists and file.read_bytes() == os.fsencode(tree / "mid") + b"\0"


def test_writes_a_plan_that_apply_carries_out(tree, tmp_path):
    plan = tmp_path / "out.plan"
    *_, wrote, again, _ = answers(tree, "plan 1", "trash 2", f"write {plan}", f"write {plan}", "quit", "yes")
    assert wrote == f"wrote 2 items to {plan}"
    assert again.startswith("no plan was written: cannot write to") and again.endswith("File exists")
    items = [json.loads(line) for line in plan.read_text().splitlines()][1:-1]
    assert [(item["path"], item["do"]) for item in items] == [("big", "quarantine"), ("mid", "trash")]
    assert run("apply", str(plan), "--quarantine", str(tmp_path / "away"), "--execute",
               env={"XDG_DATA_HOME": str(tmp_path / "data")}).returncode == 0
    assert not (tree / "big").exists() and not (tree / "mid").exists()


def test_a_plan_has_what_is_still_as_the_scan_saw_it(tree, tmp_path):
    plan = tmp_path / "out.plan"
    reading, writing = os.pipe()
    with subprocess.Popen([FATHOM, "browse", "--plain", str(tree)], stdin=reading, stdout=subprocess.PIPE,
                          env=environment({})) as browsing:
        os.close(reading)
        os.write(writing, b"plan 1 2\n")
        said = said_until(browsing.stdout.fileno(), b"the plan: 2 items")
        (tree / "big/new").write_bytes(b"new")
        os.write(writing, f"write {plan}\nplan\nquit\nyes\n".encode())
        os.close(writing)
        said = browsing.stdout.read().decode()
    changed = "it has changed since the scan: scan it again"
    assert f"wrote 1 of 2 items to {plan}; the other was left out: {changed}\n" in said
    assert f"big/, 2 entries, in the plan; left out: {changed}\n" in said
    assert [json.loads(line)["path"] for line in plan.read_text().splitlines()[1:-1]] == ["mid"]


# ---- Plans of saved scans

def plan_of_saved(saved, file, *options, commands="plan 1\n"):
    """What is said about the file."""
    done = subprocess.run([FATHOM, "browse", "--plain", *options, "--from", str(saved)], capture_output=True,
                          input=f"{commands}write {file}\n".encode(), timeout=PATIENCE, check=False,
                          env=environment({}))
    assert done.returncode == 0 and done.stderr == b""
    return done.stdout.decode().split("\n> ")[-2].strip()


def snapshot_of(tree, store):
    assert run("snapshot", "--store", str(store), str(tree)).returncode == 0
    return "--store", str(store)


def export_of(tree, file, taken=None):
    """An export, which has whole seconds: as if it was made later, after the second of the last change."""
    assert run("scan", "--format", "ncdu", "-o", str(file), str(tree)).returncode == 0
    export = json.loads(file.read_text())
    export[2]["timestamp"] = export[2]["timestamp"] + 5 if taken is None else taken
    file.write_text(json.dumps(export))
    return file


def apply_elsewhere(plan, away):
    return run("apply", str(plan), "--quarantine", str(away), "--execute").returncode


def test_a_snapshot_gives_a_plan(tree, tmp_path):
    plan = tmp_path / "out.plan"
    store = snapshot_of(tree, tmp_path / "store")
    assert plan_of_saved("@latest", plan, *store) == f"wrote 1 item to {plan}"
    assert apply_elsewhere(plan, tmp_path / "away") == 0
    assert not (tree / "big").exists()


def test_an_export_gives_a_plan(tree, tmp_path):
    plan = tmp_path / "out.plan"
    export = export_of(tree, tmp_path / "export")
    assert plan_of_saved(export, plan) == f"wrote 1 item to {plan}"
    assert apply_elsewhere(plan, tmp_path / "away") == 0
    assert not (tree / "big").exists()


@pytest.mark.parametrize("change", ["a new file", "another file", "the same bytes again", "gone"])
def test_what_has_changed_since_a_snapshot_is_not_in_its_plan(tree, tmp_path, change):
    store = snapshot_of(tree, tmp_path / "store")
    data = tree / "big/deep/data.bin"
    if change == "a new file":
        (tree / "big/new").write_bytes(b"new")
    elif change == "another file":
        other = tmp_path / "other"
        other.write_bytes(data.read_bytes())
        other.rename(data)
    elif change == "the same bytes again":
        data.write_bytes(data.read_bytes())
    else:
        shutil.rmtree(tree / "big")
    why = "it has changed since the scan: scan it again"
    if change == "gone":
        why = "it cannot be examined (No such file or directory)"
    said = plan_of_saved("@latest", tmp_path / "out.plan", *store, commands="plan 1 2\n")
    assert said == f"wrote 1 of 2 items to {tmp_path}/out.plan; the other was left out: {why}"
    assert plan_of_saved("@latest", tmp_path / "none.plan", *store).startswith("no plan was written: ")
    assert not (tmp_path / "none.plan").exists()


def test_what_is_not_as_in_an_export_is_not_in_its_plan(tree, tmp_path):
    changed = "no plan was written: it has changed since the scan: scan it again"
    old = export_of(tree, tmp_path / "old", taken=10**9)
    assert plan_of_saved(old, tmp_path / "a.plan") == changed
    export = export_of(tree, tmp_path / "export")
    (tree / "big/new").write_bytes(b"new")
    assert plan_of_saved(export, tmp_path / "b.plan") == changed


def test_a_plan_needs_a_saved_scan_that_says_enough(tree, tmp_path):
    plan = tmp_path / "out.plan"
    undated = export_of(tree, tmp_path / "undated", taken=0)
    assert plan_of_saved(undated, plan) == "no plan was written: the saved scan does not say when it was made"
    part = tmp_path / "part"
    assert run("scan", "--format", "ncdu", "--exclude", "deep", "-o", str(part), str(tree)).returncode == 0
    assert plan_of_saved(part, plan, commands="filter big\nplan 1\n").endswith("does not have all of it")
    nowhere = tmp_path / "nowhere"
    nowhere.write_text('[1, 2, {"progname": "ncdu", "timestamp": 9}, [{"name": "top"}, {"name": "file", "asize": 1}]]')
    assert plan_of_saved(nowhere, plan) == "no plan was written: the saved scan does not say where it was made"
    assert not plan.exists()


def test_a_snapshot_of_another_host_gives_no_plan_here(tree, tmp_path):
    store = snapshot_of(tree, tmp_path / "store")
    [meta] = (tmp_path / "store").glob("*/meta.json")
    meta.write_text(json.dumps(json.loads(meta.read_bytes()) | {"host": "elsewhere"}))
    assert plan_of_saved("@latest", tmp_path / "out.plan", *store) == (
        "no plan was written: the scan is of another host, elsewhere: use `fathom find --plan` or `fathom clean "
        "--plan` there")
    assert not (tmp_path / "out.plan").exists()


def test_marks_what_is_safe(tree):
    (tree / "big/target").mkdir()
    (tree / "big/target/CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    for folder, _, files in os.walk(tree, topdown=False):
        for name in [*files, "."]:
            os.utime(os.path.join(folder, name), (10**9, 10**9))
    marked = answers(tree, "mark safe", "quit", "yes")[1]
    assert "marked 1 safe item\nmarked: 1 item, 2 entries, frees " in marked


def test_warns_about_each_last_copy(tree):
    (tree / "big" / "three").write_bytes(b"w" * 50 * KIB)
    (tree / "big" / "four").write_bytes(b"w" * 50 * KIB)
    *_, first, another, again, _ = answers(tree, "view dups", "cd 1", "cd 4", "plan 1", "plan 4", "plan 2", "plan 5",
                                           "plan 5")
    assert "the last copy" in first and "the plan: 2 items" in first
    assert "the last copy" in another and "the plan: 2 items" in another
    assert "the plan: 3 items" in again


def test_the_end_of_the_input_applies_nothing(tree):
    answers(tree, "plan 1", "apply")
    assert (tree / "big").exists()


def test_read_only_and_saved_scans_apply_nothing(tree, tmp_path):
    assert answers(tree, "plan 1", "apply", "yes", options=["--read-only"])[2] == "plans cannot be applied here"
    export = tmp_path / "export"
    assert run("scan", "--format", "ncdu", "-o", str(export), str(tree)).returncode == 0
    done = subprocess.run([FATHOM, "browse", "--plain", "--from", str(export)], input=b"plan 1\napply\nyes\n",
                          capture_output=True, timeout=PATIENCE, check=False, env=environment({}))
    assert b"plans cannot be applied here" in done.stdout
    assert os.path.exists(tree / "big")


def test_permissions_that_an_export_lacks_are_not_shown(tmp_path):
    export = tmp_path / "export"
    export.write_text('[1, 2, {"progname": "ncdu"}, [{"name": "/top"}, {"name": "file", "asize": 1}]]')
    done = subprocess.run([FATHOM, "browse", "--plain", "--from", str(export)], input=b"info 1\n",
                          capture_output=True, timeout=PATIENCE, check=False, env=environment({}))
    assert b"1 B apparent (1 byte)\n" in done.stdout and b"Owner: -\n" in done.stdout


def test_long_lists_come_in_pages(tmp_path):
    for number in range(50):
        (tmp_path / f"file{number:02}").write_bytes(b"x")
    first, second, third, from_row, _ = answers(tmp_path, "more", "more", "ls 50", "quit")
    assert "more: 30 more rows" in first and "file19" in first and "file20" not in first
    assert "   21  " in second and "more: 10 more rows" in second
    assert "   50  " in third and "more:" not in third
    assert "   50  " in from_row and "   49  " not in from_row


def test_what_has_changed_since_the_scan_is_not_moved(tree, tmp_path):
    with subprocess.Popen([FATHOM, "browse", "--plain", str(tree)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=environment({"XDG_STATE_HOME": str(tmp_path / "state")})) as browsing:
        until_the_prompt(browsing)
        (tree / "big/new").write_bytes(b"new")
        said, _ = browsing.communicate(b"plan 1\napply\nyes\nplan\nquit\n", timeout=PATIENCE)
    assert said.count(b"it has changed since the scan") == 2  # in the answer, and in the plan
    assert (tree / "big/new").exists()


def test_a_full_disk_keeps_the_journal_in_memory(tree, tmp_path):
    if not can_mount() or not os.access("/dev/shm", os.W_OK):
        pytest.skip("nothing can be mounted here, or nothing kept in memory")
    (tmp_path / "state").mkdir()
    done = subprocess.run(["unshare", "--mount", "sh", "-c", f"""
        mount -t tmpfs -o size=1M tmpfs {tmp_path}/state || exit 77
        head -c 2000000 /dev/zero > {tmp_path}/state/all 2>/dev/null
        printf 'plan 1\\napply\\nyes\\nquit\\n' | XDG_STATE_HOME={tmp_path}/state "$0" browse --plain {tree}""",
                           FATHOM], capture_output=True, timeout=PATIENCE, check=False, env=environment({}))
    kept = re.search(rb"fathom undo (/dev/shm/fathom-plan-\S+)", done.stderr)
    assert kept, (done.returncode, done.stdout, done.stderr)
    journal = kept[1].decode()
    try:
        assert done.returncode == 0, (done.stdout, done.stderr)
        assert b"Moved 1 item to the quarantine" in done.stdout
        assert not (tree / "big").exists()
        assert run("undo", journal, "--execute").returncode == 0
        assert (tree / "big").exists()
    finally:
        shutil.rmtree(pathlib.Path(journal).parent)


def test_quitting_with_a_plan_asks(tree):
    _, _, asked, *rest = answers(tree, "plan 1", "quit", "no", "ls", "quit", "yes")
    assert asked.startswith("the plan has 1 item and is lost") and asked.endswith("nothing was done")
    assert "big/" in rest[0] and len(rest) == 2


def test_the_end_of_the_input_ends_a_question_and_the_browser(tree):
    assert answers(tree, "plan 1", "quit")[2:] == [
        "the plan has 1 item and is lost\ntype yes to do it: nothing was done", ""]


def test_the_heading_tells_what_narrows_the_list(tree):
    _, selected, both, all_rows, _ = answers(tree, "where size > 30k", "filter i", "where", "quit")
    assert selected.splitlines()[0].endswith("; rows for which size > 30k")
    assert both.splitlines()[0].endswith("; rows that match i, and for which size > 30k")
    assert all_rows.splitlines()[0].endswith("; rows that match i")


def test_a_view_that_is_shown_searches_again(tree):
    with subprocess.Popen([FATHOM, "browse", "--plain", str(tree)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=environment()) as browsing:
        until_the_prompt(browsing)
        browsing.stdin.write(b"view dups\n")
        browsing.stdin.flush()
        until_the_prompt(browsing)
        (tree / "mid/two").write_bytes(b"z")
        said, _ = browsing.communicate(b"view dups\n", timeout=PATIENCE)
    assert b"searching\n" in said and b"2 copies" not in said


# ---- Signals


def scanning(tree, stdin=subprocess.PIPE):
    """A browser whose scan runs until a signal comes: it is limited to one request a second."""
    browsing = subprocess.Popen([FATHOM, "browse", "--plain", "--max-ops", "1", str(tree)], stdin=stdin,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    assert browsing.stdout.readline() == b"scanning\n"
    return browsing


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_scan_shows_what_was_found_and_lets_no_script_go_on(tree, number):
    with scanning(tree) as browsing:
        browsing.send_signal(number)
        said, told = browsing.communicate(b"ls\n", timeout=PATIENCE)
    assert browsing.returncode == 130 and told == b""
    assert b"the scan was ended early" in said and b"at least " in said and b"\n> " not in said


def test_ctrl_c_in_a_terminal_ends_the_scan_and_then_the_browser(tree):
    keyboard, terminal = pty.openpty()
    with scanning(tree, stdin=terminal) as browsing:
        browsing.send_signal(signal.SIGINT)
        until_the_prompt(browsing)
        os.write(keyboard, b"ls\n")
        until_the_prompt(browsing)
        browsing.send_signal(signal.SIGINT)
        assert browsing.communicate(timeout=PATIENCE) == (b"\n", b"")
    os.close(terminal)
    os.close(keyboard)
    assert browsing.returncode == 130


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_at_the_prompt_ends_the_browser_which_tells_how_to_move_things_back(tree, tmp_path, number):
    with subprocess.Popen([FATHOM, "browse", "--plain", str(tree)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment({"XDG_STATE_HOME": str(tmp_path / "state")})) as one:
        until_the_prompt(one)
        one.stdin.write(b"plan 1\napply\nyes\n")
        one.stdin.flush()
        for _ in range(2):
            until_the_prompt(one)
        one.send_signal(number)
        _, told = one.communicate(timeout=PATIENCE)
    assert one.returncode == 130
    assert told.startswith(b"fathom: to move things back: fathom undo ")


@pytest.mark.parametrize("state", ["the prompt", "a scan"])
def test_a_terminal_that_closes_ends_the_browser_which_tells_how_to_move_things_back(tree, tmp_path, state):
    keyboard, terminal = pty.openpty()

    def own_the_terminal():
        os.setsid()
        fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)

    slow = ["--max-ops", "1"] if state == "a scan" else []
    with subprocess.Popen([FATHOM, "browse", "--plain", *slow, str(tree)], stdin=terminal, stdout=terminal,
                          stderr=subprocess.PIPE, preexec_fn=own_the_terminal,
                          env=environment({"XDG_STATE_HOME": str(tmp_path / "state")})) as browsing:
        os.close(terminal)
        if slow:
            said_until(keyboard, b"scanning")
        else:
            said_until(keyboard, b"\n> ")
            os.write(keyboard, b"plan 1\napply\nyes\n")
            said_until(keyboard, b"Moved 1 item", b"\n> ")
        os.close(keyboard)
        _, told = browsing.communicate(timeout=PATIENCE)
    assert browsing.returncode == 130
    assert told == b"" if slow else told.startswith(b"fathom: to move things back: fathom undo ")


def test_a_signal_ends_the_browser_even_if_its_terminal_stops_taking_output(tree):
    keyboard, terminal = pty.openpty()
    with subprocess.Popen([FATHOM, "browse", "--plain", str(tree)], stdin=subprocess.PIPE, stdout=terminal,
                          env=environment()) as browsing:
        browsing.stdin.write(b"help\n" * 200)
        browsing.stdin.flush()
        until(lambda: unread(keyboard) > 2000 and sleeps(browsing.pid))
        browsing.terminate()
        assert browsing.wait(timeout=PATIENCE) == 130
    os.close(terminal)
    os.close(keyboard)


def test_a_signal_ends_the_browser_even_if_nobody_reads_its_output(tree):
    with subprocess.Popen([FATHOM, "browse", "--plain", str(tree)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          env=environment()) as browsing:
        room = fcntl.fcntl(browsing.stdout, fcntl.F_GETPIPE_SZ)
        browsing.stdin.write(b"help\n" * 200)
        browsing.stdin.flush()
        until(lambda: unread(browsing.stdout) > room // 2 and sleeps(browsing.pid))
        browsing.terminate()
        assert browsing.wait(timeout=PATIENCE) == 130


@pytest.mark.parametrize("act, moves", [("apply", 1), ("undo", 4)])
def test_an_interrupted_act_finishes_what_it_has_begun_and_tells_how_to_move_things_back(tree, tmp_path, act, moves):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    script = b"plan 1-3\napply\nyes\nundo\nyes\nls\n"
    done = subprocess.run(["strace", "-f", "-o", "/dev/null", "-e", f"inject=renameat2:signal=SIGINT:when={moves}",
                           FATHOM, "browse", "--plain", str(tree)], input=script, capture_output=True,
                          timeout=PATIENCE, check=False,
                          env=environment({"XDG_STATE_HOME": str(tmp_path / "state"),
                                           "ASAN_OPTIONS": f"detect_leaks=0:{os.environ.get('ASAN_OPTIONS', '')}"}))
    if b"strace: " in done.stderr:
        pytest.skip(f"strace does not work here: {done.stderr.decode()}")
    said, told = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == 130
    assert {"apply": "Moved 3 items", "undo": "1 item moved back; interrupted"}[act] in said
    assert ("Move back what was applied last?" in said) == (act == "undo")
    undo = re.fullmatch(r"fathom: to move things back: fathom undo (\S+) --execute\n", told)
    assert run("undo", undo[1], "--execute").returncode == 0
    assert len(list(tree.iterdir())) == 3
