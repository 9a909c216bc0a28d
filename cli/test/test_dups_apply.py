"""`fathom dups --plan`, `--apply` and `--undo`: no content is ever lost, and only the actions of the
plan are done."""

import base64
import csv
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import textwrap

import pytest

import schemas
import slow_mount
from conftest import FATHOM, PATIENCE, can_mount, dups, environment, sentence_of

ACTIONS = ["hardlink", "remove", "quarantine"]  # supported by every filesystem


@pytest.fixture
def data(tmp_path):
    """Five equal files, one of them with two names; two further equal files; and a unique file."""
    root = tmp_path / "data"
    for folder in ("a", "b", "b/deep"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    for name in ("a/first", "b/second", "b/deep/third", "a/new\nline", os.fsdecode(b"b/\xff")):
        (root / name).write_bytes(b"the same\n" * 1000)
    os.link(root / "b/second", root / "b/another name")
    (root / "a/one").write_bytes(b"pair")
    (root / "b/two").write_bytes(b"pair")
    (root / "alone").write_bytes(b"alone")
    return root


@pytest.fixture
def planned(data, tmp_path):
    """plan(action, *flags) writes a plan for the data, and apply(*flags) applies it."""
    return Planned(data, tmp_path)


class Planned:
    def __init__(self, data, folder):
        self.data, self.file = data, folder / "plan"
        self.journal, self.away = folder / "plan.journal", folder / "away"

    def plan(self, action, *flags):
        made = dups(str(self.data), "--plan", str(self.file), "--action", action, "--force", *flags)
        assert made.returncode == 0, made.stderr
        self.action = action
        return made

    def arguments(self, *flags):
        where = ("--quarantine", str(self.away)) if self.action == "quarantine" else ()
        return ["--apply", str(self.file), *where, *flags]

    def apply(self, *flags, **options):
        return dups(*self.arguments(*flags), **options)

    def execute(self, *flags):
        return self.apply("--execute", *flags)

    def lines(self):
        return [json.loads(line) for line in self.file.read_bytes().splitlines()]


def digests(*folders):
    """The digests of all contents in the folders."""
    return {hashlib.sha256(path.read_bytes()).hexdigest() for folder in folders
            for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


def snapshot(folder):
    """Everything that a change to the folder would change, except access times."""
    seen = {}
    for path in [folder, *folder.rglob("*")]:
        stat = path.lstat()
        seen[str(path)] = (stat.st_ino, stat.st_nlink, stat.st_mode, stat.st_size, stat.st_mtime_ns,
                           stat.st_ctime_ns)
    return seen


def made_up(folder):
    return list(folder.rglob(".fathom-dups-*"))


def refresh(planned, name):
    """Gives the file its present ctime in the plan, as if someone had edited the plan."""
    lines = planned.lines()
    for line in lines:
        if line.get("path") == name:
            line["ctime_ns"] = (planned.data / name).stat().st_ctime_ns
    planned.file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


@pytest.mark.parametrize("action", ACTIONS)
def test_a_run_goes_on_to_its_end_if_its_results_cannot_be_written(planned, action):
    for number in range(300):
        (planned.data / str(number)).write_bytes(b"the same\n" * 1000)
    planned.plan(action)
    ran = planned.execute("-o", "/dev/full")
    assert (ran.returncode, ran.stderr) == (1, b"fathom: cannot write to /dev/full: No space left on device\n")
    assert len({path.stat().st_ino for path in planned.data.rglob("*") if path.is_file()}) == 3


@pytest.mark.parametrize("action", ACTIONS)
def test_a_dry_run_is_the_default_and_changes_nothing(planned, action):
    planned.plan(action)
    before = snapshot(planned.data)
    ran = planned.apply()
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.count(b"would ") == 7 and b". Add --execute to do it.\n" in ran.stdout  # and the sum
    assert snapshot(planned.data) == before
    assert not planned.journal.exists() and not planned.away.exists()


@pytest.mark.parametrize("action", ACTIONS)
def test_execute_does_what_the_dry_run_shows(planned, action):
    planned.plan(action)
    said = planned.apply().stdout
    before = digests(planned.data)
    done = planned.execute()
    assert done.returncode == 0, done.stderr
    paths = re.compile(rb"(/.*)$", re.M)
    said_paths, done_paths = paths.findall(said), paths.findall(done.stdout)
    assert said_paths == done_paths and len(done_paths) == 6
    after = digests(planned.data, *([planned.away] if planned.away.exists() else []))
    assert after == before and not made_up(planned.data)
    # Everything is done: no duplicates remain, and no actions either.
    again = dups("--format", "json", str(planned.data))
    assert json.loads(again.stdout)["totals"]["groups"] == 0
    assert b"6 already done" in planned.execute().stdout


@pytest.mark.parametrize("action", ["hardlink", "remove"])
def test_the_reported_freed_bytes_are_really_free(planned, action):
    planned.plan(action)

    def used():
        return sum({path.lstat().st_ino: path.lstat().st_blocks * 512
                    for path in planned.data.rglob("*")}.values())

    before = used()
    sum_line = planned.execute("--si").stdout.splitlines()[-1].decode()
    freed = before - used()
    assert freed > 0
    assert f"{freed // 1000} kB freed" in sum_line  # 10 kB or more are shown without decimals


def test_deleted_lines_are_not_done(planned):
    planned.plan("remove")
    lines = planned.file.read_bytes().splitlines(keepends=True)
    planned.file.write_bytes(b"".join(line for line in lines if b"third" not in line))
    assert planned.execute().returncode == 0
    assert (planned.data / "b/deep/third").exists()
    assert not (planned.data / "b/second").exists()


@pytest.mark.parametrize("text, says", [
    (b"", "is empty"),
    (b"{}\n", "not a Fathom plan"),
    (b"not JSON\n", "not valid JSON"),
    (b'{"schema":"fathom.dups.plan/2"}\n', "later version"),
    (b'{"schema":"fathom.dups.plan/1","action":"remove","keep":"first","looked_ns":0,"roots":[]}\n',
     "truncated"),
])
def test_an_invalid_plan_is_refused_in_one_sentence(planned, text, says):
    planned.plan("remove")
    planned.file.write_bytes(text)
    ran = planned.execute()
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert re.fullmatch(rf"fathom: [^\n]*{says}[^\n]*\n", ran.stderr.decode())
    assert not planned.journal.exists()


@pytest.mark.parametrize("arguments", [
    ["--execute"], ["--action", "remove"], ["--keep", "oldest"], ["--journal", "x"],
    ["--quarantine", "x"], ["--trust-times"], ["--plan", "x", ".", "--action", "delete"],
    ["--force"], ["--apply", "y", "--force"], ["--plan", "x"], ["--plan", "x", "--", ""],
    ["--plan", "x", ".", "--quarantine", "q"],
    ["--plan", "x", ".", "--action", "quarantine", "--quarantine", "nowhere/q"],
    ["--plan", "x", ".", "--action", "quarantine", "--quarantine", "alone"],
    ["--plan", "x", ".", "--keep", "best"], ["--plan", "x", ".", "--keep", "glob:"], ["--plan", "-", "."],
    ["--plan", "", "."], ["--plan", "x", ".", "--apply", "y"], ["--apply", "y", "--undo", "z"],
    ["--apply", "y", "."], ["--undo", "z", "."], ["--apply", "y", "--format", "csv"],
    ["--undo", "y", "--format", "fclones"], ["--apply", "nowhere", "--format", "json"],
    ["--apply", "nowhere"], ["--undo", "nowhere"], ["--plan", "nowhere/plan", "."], ["--plan", "alone", "."],
    ["--plan", "x", ".", "--execute"]], ids=" ".join)
def test_wrong_usage_does_nothing(data, arguments):
    before = snapshot(data)
    assert sentence_of(dups(*arguments, cwd=data))
    assert snapshot(data) == before


@pytest.mark.parametrize("rule, kept", [
    ("first", "a/first"), ("oldest", "b/deep/third"), ("newest", "b/second"),
    ("shortest", os.fsdecode(b"b/\xff")), ("glob:another*", "b/another name")])
def test_the_rule_decides_which_file_is_kept_and_the_list_shows_it(planned, rule, kept):
    for age, name in enumerate(("b/second", "a/first", "a/new\nline", os.fsdecode(b"b/\xff"),
                                "b/deep/third")):
        os.utime(planned.data / name, (1e9 - age, 1e9 - age))
    listed = planned.plan("remove", "--keep", rule).stdout
    line = next(line for line in planned.lines() if line.get("do") == "keep" and line["size"] > 4)
    if rule == "newest":
        assert line["path"] in ("b/another name", "b/second")
    elif "path_b64" not in line:
        assert line["path"] == kept
    else:
        assert line["path_b64"] == "Yi//" and kept == os.fsdecode(b"b/\xff")
    if rule == "oldest":
        assert re.search(rb"keep  .*b/deep/third\n", listed)


def test_a_file_dated_so_far_ahead_that_nanoseconds_cannot_tell_is_the_newest(planned):
    for name, year in (("a/first", 2230), ("b/second", 2380)):
        os.utime(planned.data / name, ((year - 1970) * 31_556_952,) * 2)
        if os.stat(planned.data / name).st_mtime < 7e9:
            pytest.skip("this filesystem has no times so far ahead")
    planned.plan("remove", "--keep", "newest")
    assert planned.execute().returncode == 0
    assert (planned.data / "b/second").exists() and not (planned.data / "a/first").exists()


def test_a_directory_does_not_lose_its_files_to_a_view_of_it(tmp_path):
    """To the kernel, the view is another filesystem; and it remembers names that have gone."""
    slowfs = os.environ.get("FATHOM_SLOWFS", "")
    if reason := slow_mount.why_not(slowfs):
        pytest.skip(reason)
    disk, view = tmp_path / "disk", tmp_path / "view"
    disk.mkdir()
    view.mkdir()
    (disk / "photo").write_bytes(b"the only copy")
    try:
        with slow_mount.slow_mount(slowfs, disk, view, remember=1000):
            dups(str(view), str(disk), "--keep", "order", "--action", "remove", "--plan", str(tmp_path / "plan"))
            applied = dups("--apply", str(tmp_path / "plan"), "--execute")
    except slow_mount.CannotMount as why:
        pytest.skip(f"slowfs cannot mount here: {why}")
    assert applied.returncode == 1
    assert (disk / "photo").read_bytes() == b"the only copy"


def test_the_order_of_the_arguments_decides(data, tmp_path):
    plan = tmp_path / "plan"
    dups(str(data / "b"), str(data / "a"), "--plan", str(plan), "--keep", "order", "--action",
         "remove")
    assert dups("--apply", str(plan), "--execute").returncode == 0
    assert (data / "b/two").exists() and not (data / "a/one").exists()


# ---- refusals ----

@pytest.mark.parametrize("action", ACTIONS)
def test_a_file_that_changed_with_its_old_times_is_refused(planned, action):
    planned.plan(action)
    victim = planned.data / "b/two"
    times = victim.stat()
    while victim.stat().st_ctime_ns == times.st_ctime_ns:
        victim.write_bytes(b"PAIR")
        os.utime(victim, ns=(times.st_atime_ns, times.st_mtime_ns))
    for flags in ([], ["--execute"], ["--execute"], ["--execute", "--trust-times"]):
        ran = planned.apply(*flags)
        assert ran.returncode == 1
        assert re.search(rb"refused +.*/b/two: it was modified or relinked since "
                         rb"the plan was made; make a new plan\n", ran.stdout)
        assert b"1 refused" in ran.stdout
    assert victim.read_bytes() == b"PAIR" and (planned.data / "a/one").read_bytes() == b"pair"


def test_files_on_other_filesystems_are_refused(planned):
    if not can_mount():
        pytest.skip("mounting is not possible here")
    planned.plan("quarantine")
    script = textwrap.dedent(f"""\
        mkdir {planned.away} && mount -t tmpfs tmpfs {planned.away} || exit 77
        exec "$0" dups --apply {planned.file} --quarantine {planned.away} --execute""")
    before = snapshot(planned.data)
    ran = subprocess.run(["unshare", "--mount", "sh", "-c", script, FATHOM], env=environment(),
                         capture_output=True, timeout=PATIENCE, check=False)
    if ran.returncode == 77:
        pytest.skip("mounting is not possible here")
    assert ran.returncode == 1
    assert ran.stdout.count(b"the quarantine is on another filesystem or mount\n") == 6
    assert snapshot(planned.data) == before


def test_files_with_other_permissions_are_refused(planned):
    planned.plan("hardlink")
    (planned.data / "b/two").chmod(0o700)  # a mode that no umask produces for a file
    refresh(planned, "b/two")
    ran = planned.execute()
    assert ran.returncode == 1
    assert re.search(rb"refused +.*/b/two: the permissions differ\n", ran.stdout)
    assert (planned.data / "b/two").stat().st_ino != (planned.data / "a/one").stat().st_ino
    assert (planned.data / "b/deep/third").stat().st_nlink == 6  # the other names are linked


def test_a_partly_linked_group_is_linked_completely(planned):
    planned.plan("hardlink")
    ran = planned.execute()
    assert ran.returncode == 0
    assert re.search(rb"/b/another name: frees nothing", ran.stdout)  # its other name still exists
    inodes = {(planned.data / name).stat().st_ino
              for name in ("a/first", "b/second", "b/another name", "b/deep/third")}
    assert len(inodes) == 1


@pytest.mark.parametrize("change, says", [
    (lambda lines: [*lines[:-2], lines[-2], lines[-2], lines[-1]], "twice"),
    (lambda lines: [*lines[:2], lines[1].replace(b'"keep"', b'"remove"'), *lines[2:]], "twice"),
    (lambda lines: [line.replace(b'"b/two"', b'"../two"') for line in lines], "is not a path below"),
    (lambda lines: [line.replace(b'"b/two"', b'"/etc/passwd"') for line in lines], "is not a path below"),
    (lambda lines: [line for line in lines if b'"keep","root":0,"path":"a/one"' not in line],
     "is missing"),
])
def test_a_contradictory_plan_is_refused(planned, change, says):
    planned.plan("remove")
    lines = planned.file.read_bytes().splitlines(keepends=True)
    changed = change(lines)
    assert changed != lines
    planned.file.write_bytes(b"".join(changed))
    before = snapshot(planned.data)
    ran = planned.execute()
    assert ran.returncode == 2 and says in ran.stderr.decode()
    assert snapshot(planned.data) == before


@pytest.mark.parametrize("action", ACTIONS)
def test_symbolic_links_are_not_followed(planned, action, tmp_path):
    planned.plan(action)
    outside = tmp_path / "outside"
    shutil.move(planned.data / "b", outside)
    (planned.data / "b").symlink_to(outside)
    (planned.data / "a/new\nline").unlink()
    (planned.data / "a/new\nline").symlink_to(outside / "second")
    before = snapshot(tmp_path / "outside")
    ran = planned.execute()
    assert ran.returncode == 1
    assert ran.stdout.count(b"refused  ") == 6
    assert snapshot(tmp_path / "outside") == before


# ---- killed ----

CALLS = ["renameat2", "linkat", "unlinkat", "write", "fsync", "mkdirat"]


@pytest.mark.parametrize("action", ACTIONS)
def test_a_killed_run_loses_nothing_and_can_be_resumed(planned, action, tmp_path):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    original = tmp_path / "original"
    shutil.move(planned.data, original)
    kills = 0
    for call in CALLS:
        for when in (1, 2, 3, 5, 8):
            for used in (planned.data, planned.away):
                shutil.rmtree(used, ignore_errors=True)
            planned.journal.unlink(missing_ok=True)
            subprocess.run(["cp", "-a", original, planned.data], check=True)
            planned.plan(action)
            before = digests(planned.data)
            killed = subprocess.run(
                ["strace", "-f", "-o", "/dev/null", "-e", f"trace={call}", "-e",
                 f"inject={call}:signal=KILL:when={when}", FATHOM, "dups",
                 *planned.arguments("--execute")],
                env=environment(), capture_output=True, timeout=PATIENCE, check=False)
            if killed.returncode in (0, 1):
                if b"strace: " in killed.stderr:
                    pytest.skip(f"strace does not work here: {killed.stderr.decode()}")
                break  # the run made fewer of these calls
            kills += 1
            places = [planned.data] + [planned.away] * planned.away.exists()
            assert digests(*places) == before
            ran = planned.execute()
            assert ran.returncode == 0, ran.stdout
            places = [planned.data] + [planned.away] * planned.away.exists()
            assert digests(*places) == before
            assert not made_up(tmp_path)
            assert json.loads(dups("--format", "json", str(planned.data)).stdout)["groups"] == []
    assert kills >= 8


# ---- as JSON ----

def path_of(act, key="path"):
    return base64.b64decode(act[f"{key}_b64"]) if f"{key}_b64" in act else os.fsencode(act[key])


def as_json(ran):
    """The JSON output of a run, checked against its schema."""
    assert ran.stderr == b"" and ran.stdout.endswith(b"}\n")
    result = json.loads(ran.stdout)
    schemas.assert_described(result, "fathom.dups.applied/1")
    assert "held_bytes" in result["totals"]  # which the schema does not require
    return result


def test_json_matches_its_schema(planned):
    planned.plan("quarantine")
    (planned.data / "b/two").unlink()
    undo = ["--undo", str(planned.journal), "--format", "json"]
    for ran in (planned.apply("--format", "json"), planned.execute("--format", "json"),
                planned.execute("--format", "json"), dups(*undo), dups(*undo, "--execute")):
        as_json(ran)
    for act in ({"result": "refused"}, {"result": "would be done"}, {"errno": 0}, {"action": "x"}):
        broken = as_json(planned.apply("--format", "json"))
        broken["acts"][0] = {"path": "/", "action": "remove", "result": "done", **act}
        assert not schemas.is_valid(broken), act


@pytest.mark.parametrize("action", ACTIONS)
def test_json_reports_the_state_of_each_action(planned, action):
    planned.plan(action)
    acts = [line for line in planned.lines() if line.get("do") == action]
    paths = [os.fsencode(planned.data) + b"/" + path_of(act) for act in acts]
    for execute in (False, True):
        ran = planned.apply("--format", "json", *(["--execute"] if execute else []))
        assert ran.returncode == 0
        result = as_json(ran)
        assert result["dry_run"] is not execute and result["complete"] is True
        assert [path_of(act) for act in result["acts"]] == paths
        assert {act["action"] for act in result["acts"]} == {action}
        expected = "done" if execute else "would_be_done"
        assert {act["result"] for act in result["acts"]} == {expected}
        assert all("reason" not in act and "errno" not in act for act in result["acts"])
        assert [act["size"] for act in result["acts"]] == [act["size"] for act in acts]
        kept = {os.fsencode(planned.data) + b"/" + path_of(line) for line in planned.lines()
                if line.get("do") == "keep"}
        assert {path_of(act, "kept") for act in result["acts"]} == kept
        assert result["totals"]["done"] == 6
        assert result["totals"]["freed_bytes"] == sum(act["freed_bytes"] for act in result["acts"])
        assert (result["totals"]["freed_bytes"] > 0) == (action != "quarantine")
    result = as_json(planned.execute("--format", "json"))
    assert {act["result"] for act in result["acts"]} == {"done_before"}
    assert result["totals"]["done_before"] == 6 and result["complete"] is True


def test_json_reports_the_reason_of_a_refusal(planned):
    planned.plan("remove")
    (planned.data / "b/two").unlink()
    (planned.data / "b/second").write_bytes(b"changed")
    ran = planned.execute("--format", "json")
    assert ran.returncode == 1
    result = as_json(ran)
    acts = {path_of(act).removeprefix(os.fsencode(planned.data) + b"/"): act
            for act in result["acts"]}
    assert acts[b"b/two"]["result"] == "refused" and acts[b"b/two"]["reason"] == "it no longer exists"
    assert acts[b"b/two"]["errno"] == 2
    assert acts[b"b/second"]["result"] == "refused" and acts[b"b/second"]["reason"]
    assert acts[b"b/deep/third"]["result"] == "done"
    assert result["totals"]["refused"] == 3  # including the other name of the changed file
    assert result["complete"] is False


def test_json_of_an_undo(planned):
    planned.plan("quarantine")
    assert planned.execute().returncode == 0
    (planned.data / "b/two").write_bytes(b"another")
    for execute in (False, True):
        ran = dups("--undo", str(planned.journal), "--format", "json",
                   *(["--execute"] if execute else []))
        assert ran.returncode == 1
        result = as_json(ran)
        assert {act["action"] for act in result["acts"]} == {"undo"}
        results = {path_of(act): act["result"] for act in result["acts"]}
        assert results.pop(os.fsencode(planned.data / "b/two")) == "refused"
        assert {*results.values()} == {"done" if execute else "would_be_done"}
        assert result["totals"]["done"] == 5 and result["totals"]["refused"] == 1


def test_json_of_an_empty_plan(planned):
    planned.plan("remove")
    lines = planned.file.read_bytes().splitlines(keepends=True)
    planned.file.write_bytes(lines[0] + lines[-1])
    ran = planned.apply("--format", "json")
    assert ran.returncode == 0
    result = as_json(ran)
    assert result["acts"] == [] and result["complete"] is True


# ---- the quarantine ----

def test_undo_restores_everything(planned):
    planned.plan("quarantine")
    before = {path: values[:1] + values[2:5] for path, values in snapshot(planned.data).items()
              if not os.path.isdir(path)}
    assert planned.execute().returncode == 0
    assert not (planned.data / "b/two").exists()
    moved = planned.away / planned.data.relative_to("/") / "b/two"
    assert moved.read_bytes() == b"pair"
    rehearsed = dups("--undo", str(planned.journal))
    assert rehearsed.returncode == 0 and rehearsed.stdout.count(b"would move back ") == 6
    assert moved.exists()
    assert dups("--undo", str(planned.journal), "--execute").returncode == 0
    after = {path: values[:1] + values[2:5] for path, values in snapshot(planned.data).items()
             if not os.path.isdir(path)}
    assert after == before
    assert list(planned.away.iterdir()) == []


def test_the_quarantine_is_not_created_at_the_end_of_a_dangling_link(planned):
    planned.plan("quarantine")
    elsewhere = planned.away.parent / "elsewhere"
    planned.away.symlink_to(elsewhere)
    before = snapshot(planned.data)
    ran = planned.execute()
    assert ran.returncode == 2 and ran.stdout == b""
    assert not elsewhere.exists() and snapshot(planned.data) == before


@pytest.mark.parametrize("action", ACTIONS)
def test_a_journal_matches_its_schema(planned, action):
    planned.away = planned.away.with_name(os.fsdecode(b"away\xff"))
    planned.data = planned.data.rename(planned.data.with_name(os.fsdecode(b"data\xff")))
    planned.plan(action)
    (planned.data / "b/two").unlink()
    planned.execute()
    dups("--undo", str(planned.journal), "--execute")
    schemas.assert_lines_described(planned.journal, "fathom.dups.journal/1")
    lines = planned.journal.read_text(encoding="utf-8").splitlines()
    assert {next(iter(json.loads(line))) for line in lines} == {
        "schema", "begin", "done", "refused", *(["undone"] if action == "quarantine" else [])}
    for number, text in enumerate(lines):
        line = {**json.loads(text), "new": 1}
        assert not schemas.is_valid(line, "fathom.dups.journal/1")
        planned.journal.write_text("\n".join([*lines[:number], json.dumps(line), *lines[number + 1:], ""]))
        assert b'"new" is not expected here' in dups("--undo", str(planned.journal)).stderr


def test_undo_overwrites_nothing(planned):
    planned.plan("quarantine")
    planned.execute()
    (planned.data / "b/two").write_bytes(b"another")
    ran = dups("--undo", str(planned.journal), "--execute")
    assert ran.returncode == 1
    assert re.search(rb"refused +.*/b/two: another file has its name\n", ran.stdout)
    assert (planned.data / "b/two").read_bytes() == b"another"
    assert (planned.away / planned.data.relative_to("/") / "b/two").read_bytes() == b"pair"


def test_undo_names_a_file_that_is_not_a_journal(planned, tmp_path):
    planned.plan("quarantine")
    (tmp_path / "text").write_text("text\n", encoding="utf-8")
    for file in (planned.file, tmp_path / "text"):
        assert sentence_of(dups("--undo", str(file))) == (
            f"{file}: this is not a Fathom journal; that of a plan PLAN is PLAN.journal")


def test_a_second_undo_has_nothing_to_move_back(planned):
    planned.plan("quarantine")
    planned.execute()
    assert b"moved back\n" in dups("--undo", str(planned.journal), "--execute").stdout
    for flags in ([], ["--execute"]):
        ran = dups("--undo", str(planned.journal), *flags)
        assert (ran.returncode, ran.stdout) == (0, b"Nothing to move back.\n")


def test_a_journal_belongs_to_one_plan(planned):
    planned.plan("remove")
    planned.execute()
    (planned.data / "a/more").write_bytes(b"alone")
    journal = planned.journal.read_bytes()
    made = planned.plan("remove")
    assert made.stderr.endswith(f"\nfathom: {planned.journal} is from an earlier plan; rename it before "
                                f"you use --execute, or use --journal FILE\n".encode())
    before = snapshot(planned.data)
    dry = planned.apply()
    assert (dry.returncode, dry.stderr) == (0, b"") and b"1 file would be removed" in dry.stdout
    assert sentence_of(planned.execute()) == (
        f"the journal {planned.journal} is from a run of a different plan, which "
        f"has ended; delete or rename it, or use --journal FILE")
    assert snapshot(planned.data) == before and planned.journal.read_bytes() == journal
    assert planned.apply("--execute", "--journal", str(planned.journal) + "2").returncode == 0


def test_the_journal_of_another_quarantine_is_refused(planned, tmp_path):
    planned.plan("quarantine")
    planned.execute()
    journal, other = planned.journal.read_bytes(), tmp_path / "other"
    for flags in ([], ["--execute"]):
        assert sentence_of(dups("--apply", str(planned.file), "--quarantine", str(other), *flags)) == (
            f"the journal {planned.journal} is from a run with another quarantine, {planned.away}")
    planned.plan("quarantine")
    assert b"; rename it (--undo needs it), or use" in planned.execute().stderr
    assert planned.journal.read_bytes() == journal
    assert dups("--undo", str(planned.journal), "--execute").returncode == 0


# ---- which files a plan may overwrite ----

@pytest.fixture
def interrupted(planned, tmp_path):
    """The name of the file that a run leaves behind if it is killed after moving a file aside and
    before removing it."""
    victim, spare = planned.data / "b/two", tmp_path / "spare"
    os.link(victim, spare)
    planned.plan("remove")
    acts = [line for line in planned.lines() if line.get("do") == "remove"]
    number = next(i for i, line in enumerate(acts) if line["path"] == "b/two")
    assert planned.execute().returncode == 0
    lines = planned.journal.read_bytes().splitlines(keepends=True)
    planned.journal.write_bytes(b"".join(line for line in lines
                                         if line != b'{"done":%d}\n' % number))
    left = victim.with_name(f".fathom-dups-{json.loads(lines[0])['plan']}-{number}.old")
    spare.rename(left)
    return left


def test_the_plan_of_an_interrupted_run_is_not_overwritten(planned, interrupted, tmp_path):
    plan = planned.file.read_bytes()
    other = tmp_path / "other"
    for where in ([str(planned.file)], [str(other), "--journal", str(planned.journal)]):
        for force in ([], ["--force"]):
            ran = dups(str(planned.data), "--plan", *where, "--action", "remove", *force)
            assert (ran.returncode, ran.stdout) == (2, b"")
            assert re.fullmatch(rb"fathom: the run of this plan was interrupted; first finish it with "
                                rb"--apply [^\n]+ --execute\n", ran.stderr)
    assert planned.file.read_bytes() == plan and not other.exists()
    assert interrupted.read_bytes() == b"pair"
    assert b"1 file removed" in planned.execute().stdout
    assert not made_up(planned.data)
    planned.plan("remove")


def test_leftovers_of_an_interrupted_run_are_in_no_other_plan(planned, interrupted, tmp_path):
    other = tmp_path / "other"
    ran = dups(str(planned.data), "--plan", str(other), "--action", "remove", "--keep", "newest")
    assert ran.returncode == 0
    assert other.read_bytes().count(b".fathom-dups-") == 0
    ran = dups("--apply", str(other), "--journal", str(planned.journal))
    assert ran.returncode == 2
    assert b"belongs to another plan" in ran.stderr and b"1 act is unfinished" in ran.stderr
    assert os.fsencode(interrupted) in ran.stderr


def test_nothing_that_exists_is_replaced_without_force(data, tmp_path):
    notes = tmp_path / "notes"
    (tmp_path / "link").symlink_to(notes)
    assert dups(str(data), "--plan", str(notes)).returncode == 0
    for text in (notes.read_bytes(), b"mine", b"{}\n", b""):
        for name in ("notes", "link"):
            notes.write_bytes(text)
            assert sentence_of(dups(str(data), "--plan", str(tmp_path / name))) == (
                f"{tmp_path / name} exists; --force replaces it")
            assert notes.read_bytes() == text
            assert dups(str(data), "--plan", str(tmp_path / name), "--force").returncode == 0
            assert notes.read_bytes().startswith(b'{"schema":"fathom.dups.plan/1"')
    assert (tmp_path / "link").is_symlink()


def test_the_plan_and_the_results_must_be_different_files(data, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("both", "link/both"):
        assert sentence_of(dups(str(data), "--plan", str(tmp_path / "both"), "-o", str(tmp_path / name))) == (
            "option '--output' names the plan; name another file")
        assert not (tmp_path / "both").exists()


# ---- the kept files, in every format ----

def test_every_format_shows_the_kept_files(data, tmp_path):
    def shown(output_format, rule, *flags):
        ran = dups(str(data), "--plan", str(tmp_path / "plan"), "--force", "--keep", rule,
                   "--format", output_format, *flags)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    # In the other group nothing is kept and nothing is replaced.
    rule, kept, other = "glob:two", str(data / "b/two"), str(data / "a/one")
    groups = {group["size"]: group for group in json.loads(shown("json", rule))["groups"]}
    assert groups[4]["paths"][groups[4]["keep"]] == kept and groups[9000]["keep"] is None

    rows = list(csv.DictReader(io.StringIO(shown("csv", rule).decode("utf-8", "surrogateescape"))))
    marks = {row["path"]: row["keep"] for row in rows}
    assert marks.pop(kept) not in {*marks.values()} and len({*marks.values()}) == 1

    report = json.loads(shown("fclones", rule))
    assert [group["files"] for group in report["groups"]] == [[kept, other]]
    assert report["header"]["stats"]["group_count"] == 1
    assert report["header"]["stats"]["redundant_file_count"] == 1

    text = shown("text", rule).decode("utf-8", "surrogateescape")
    assert re.findall(r"^ *keep +(.*)$", text, re.M) == [kept]
    assert re.findall(r"^ *copy +(.*)$", text, re.M) == [other]
    assert len(re.findall(r"^ *same +(.*)$", text, re.M)) == 5
    text = shown("text", rule, "--plain").decode("utf-8", "surrogateescape")
    assert re.findall(r"^Keep: (.*)$", text, re.M) == [kept]
    assert re.findall(r"^Copy: (.*)$", text, re.M) == [other]
    assert text.count("\nSame, left alone: ") == 5

    # The same with a rule that always decides.
    os.utime(data / "b/two", (1e9, 1e9))
    group = next(group for group in json.loads(shown("json", "oldest"))["groups"]
                 if group["size"] == 4)
    assert group["paths"][group["keep"]] == kept
    assert [kept, other] in [group["files"] for group in
                             json.loads(shown("fclones", "oldest"))["groups"]]
