"""`fathom dups --plan`, `--apply` and `--undo`: no content is ever lost, and nothing is done that the
plan does not say."""

import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import textwrap

import pytest

from conftest import FATHOM, PATIENCE, can_mount, dups, environment

SCHEMA = pathlib.Path(__file__).parents[2] / "docs" / "fathom.dups.applied.schema.json"
ACTIONS = ["hardlink", "remove", "quarantine"]  # that work on every filesystem


@pytest.fixture
def data(tmp_path):
    """Five files that are the same, two names of one of them, two others, and one that is alone."""
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
    """plan(action, *flags) writes a plan for the data, and apply(*flags) asks for it."""
    return Planned(data, tmp_path)


class Planned:
    def __init__(self, data, folder):
        self.data, self.file = data, folder / "plan"
        self.journal, self.away = folder / "plan.journal", folder / "away"

    def plan(self, action, *flags):
        made = dups(str(self.data), "--plan", str(self.file), "--action", action, *flags)
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
    """Each content that the folders hold."""
    return {hashlib.sha256(path.read_bytes()).hexdigest() for folder in folders
            for path in folder.rglob("*") if path.is_file() and not path.is_symlink()}


def snapshot(folder):
    """All that a change to the folder would change, but for access times."""
    seen = {}
    for path in [folder, *folder.rglob("*")]:
        stat = path.lstat()
        seen[str(path)] = (stat.st_ino, stat.st_nlink, stat.st_mode, stat.st_size, stat.st_mtime_ns,
                           stat.st_ctime_ns)
    return seen


def made_up(folder):
    return list(folder.rglob(".fathom-dups-*"))


@pytest.mark.parametrize("action", ACTIONS)
def test_a_dry_run_is_the_default_and_changes_nothing(planned, action):
    planned.plan(action)
    before = snapshot(planned.data)
    ran = planned.apply()
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert ran.stdout.count(b"would ") == 7 and b"; --execute does it\n" in ran.stdout  # and the sum
    assert snapshot(planned.data) == before
    assert not planned.journal.exists() and not planned.away.exists()


@pytest.mark.parametrize("action", ACTIONS)
def test_what_is_done_is_what_was_said(planned, action):
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
    # All of it is done: nothing more is found, and nothing more is to do.
    again = dups("--format", "json", str(planned.data))
    assert json.loads(again.stdout)["totals"]["groups"] == 0
    assert b"6 done before" in planned.execute().stdout


@pytest.mark.parametrize("action", ["hardlink", "remove"])
def test_the_bytes_that_were_freed_are_those_that_are_free(planned, action):
    planned.plan(action)

    def used():
        return sum({path.lstat().st_ino: path.lstat().st_blocks * 512
                    for path in planned.data.rglob("*")}.values())

    before = used()
    sum_line = planned.execute("--si").stdout.splitlines()[-1].decode()
    freed = before - used()
    assert freed > 0
    assert f"{freed // 1000} kB freed" in sum_line  # 10 kB or more are told without decimals


def test_lines_that_are_deleted_are_not_done(planned):
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
def test_a_plan_that_is_none_is_refused_in_one_sentence(planned, text, says):
    planned.plan("remove")
    planned.file.write_bytes(text)
    ran = planned.execute()
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert re.fullmatch(rf"fathom: [^\n]*{says}[^\n]*\n", ran.stderr.decode())
    assert not planned.journal.exists()


@pytest.mark.parametrize("arguments", [
    ["--execute"], ["--action", "remove"], ["--keep", "oldest"], ["--journal", "x"],
    ["--quarantine", "x"], ["--trust-times"], ["--plan", "x", "--action", "delete"],
    ["--plan", "x", "--keep", "best"], ["--plan", "x", "--keep", "glob:"], ["--plan", "-"],
    ["--plan", ""], ["--plan", "x", "--apply", "y"], ["--apply", "y", "--undo", "z"],
    ["--apply", "y", "."], ["--undo", "z", "."], ["--apply", "y", "--format", "csv"],
    ["--undo", "y", "--format", "fclones"], ["--apply", "nowhere", "--format", "json"],
    ["--apply", "nowhere"], ["--undo", "nowhere"], ["--plan", "nowhere/plan"],
    ["--plan", "x", "--execute"]], ids=" ".join)
def test_wrong_usage_does_nothing(data, arguments):
    before = snapshot(data)
    refused = dups(*arguments, cwd=data)
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert re.fullmatch(rb"fathom: [^\n]+\n", refused.stderr)
    assert snapshot(data) == before


@pytest.mark.parametrize("rule, kept", [
    ("first", "a/first"), ("oldest", "b/deep/third"), ("newest", "b/second"),
    ("shortest", os.fsdecode(b"b/\xff")), ("glob:another*", "b/another name")])
def test_the_rule_says_what_is_kept_and_the_list_shows_it(planned, rule, kept):
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


def test_the_order_of_the_arguments_decides(data, tmp_path):
    plan = tmp_path / "plan"
    dups(str(data / "b"), str(data / "a"), "--plan", str(plan), "--keep", "order", "--action",
         "remove")
    assert dups("--apply", str(plan), "--execute").returncode == 0
    assert (data / "b/two").exists() and not (data / "a/one").exists()


# ---- T63 to T68, T80 ----

@pytest.mark.parametrize("action", ACTIONS)
def test_t63_a_file_that_changed_in_secret_is_refused(planned, action):
    planned.plan(action)
    victim = planned.data / "b/two"
    times = victim.stat()
    while victim.stat().st_ctime_ns == times.st_ctime_ns:
        victim.write_bytes(b"PAIR")
        os.utime(victim, ns=(times.st_atime_ns, times.st_mtime_ns))
    for ran in (planned.apply(), planned.execute()):
        assert ran.returncode == 1
        assert re.search(rb"refused +.*/b/two: .*its ctime has changed, although its mtime has not\n", ran.stdout)
        assert b"1 refused" in ran.stdout
    assert victim.read_bytes() == b"PAIR" and (planned.data / "a/one").read_bytes() == b"pair"


def test_t64_other_filesystems_are_refused_and_nothing_else_is_done(planned, tmp_path):
    if not can_mount():
        pytest.skip("nothing can be mounted here")
    planned.plan("quarantine")
    script = textwrap.dedent(f"""\
        mkdir {planned.away} && mount -t tmpfs tmpfs {planned.away} || exit 77
        exec "$0" dups --apply {planned.file} --quarantine {planned.away} --execute""")
    before = snapshot(planned.data)
    ran = subprocess.run(["unshare", "--mount", "sh", "-c", script, FATHOM], env=environment(),
                         capture_output=True, timeout=PATIENCE, check=False)
    if ran.returncode == 77:
        pytest.skip("nothing can be mounted here")
    assert ran.returncode == 1
    assert ran.stdout.count(b"the quarantine is on another filesystem\n") == 6
    assert snapshot(planned.data) == before


def test_t66_who_may_read_a_file_stays_as_it_is(planned):
    (planned.data / "b/two").chmod(0o700)  # which no umask gives a file
    planned.plan("hardlink")
    ran = planned.execute()
    assert ran.returncode == 1
    assert re.search(rb"refused +.*/b/two: the permissions differ\n", ran.stdout)
    assert (planned.data / "b/two").stat().st_ino != (planned.data / "a/one").stat().st_ino
    assert (planned.data / "b/deep/third").stat().st_nlink == 6  # the others are joined


def test_t67_a_group_that_is_partly_linked_is_joined(planned):
    planned.plan("hardlink")
    ran = planned.execute()
    assert ran.returncode == 0
    assert re.search(rb"/b/another name: frees nothing", ran.stdout)  # its other name is there yet
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
def test_t68_a_plan_that_contradicts_itself_is_refused(planned, change, says):
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
def test_t80_symbolic_links_are_not_followed(planned, action, tmp_path):
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
def test_a_run_that_is_killed_loses_nothing_and_is_resumed(planned, action, tmp_path):
    if shutil.which("strace") is None:
        pytest.skip("there is no strace here")
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
                break  # there are not so many of these calls
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
    """What a run has written; it has no fields but those that are described."""
    assert ran.stderr == b"" and ran.stdout.endswith(b"}\n")
    result = json.loads(ran.stdout)
    described = json.loads(SCHEMA.read_text(encoding="utf-8"))["properties"]
    assert set(result) <= set(described)
    for act in result["acts"]:
        assert set(act) <= set(described["acts"]["items"]["properties"])
    assert set(result["totals"]) == set(described["totals"]["properties"])
    return result


def test_json_is_what_its_schema_says(planned):
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    planned.plan("quarantine")
    (planned.data / "b/two").unlink()
    undo = ["--undo", str(planned.journal), "--format", "json"]
    for ran in (planned.apply("--format", "json"), planned.execute("--format", "json"),
                planned.execute("--format", "json"), dups(*undo), dups(*undo, "--execute")):
        validator.validate(as_json(ran))
    for act in ({"result": "refused"}, {"result": "would be done"}, {"errno": 0}, {"action": "x"}):
        broken = as_json(planned.apply("--format", "json"))
        broken["acts"][0] = {"path": "/", "action": "remove", "result": "done", **act}
        assert not validator.is_valid(broken), act


@pytest.mark.parametrize("action", ACTIONS)
def test_json_says_what_becomes_of_each_act(planned, action):
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


def test_json_says_why_not(planned):
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
    assert result["totals"]["refused"] == 3  # with the other name of the one that changed
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


def test_json_of_nothing_to_do(planned):
    planned.plan("remove")
    lines = planned.file.read_bytes().splitlines(keepends=True)
    planned.file.write_bytes(lines[0] + lines[-1])
    ran = planned.apply("--format", "json")
    assert ran.returncode == 0
    result = as_json(ran)
    assert result["acts"] == [] and result["complete"] is True


# ---- the quarantine ----

def test_undo_puts_everything_back(planned):
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


def test_undo_overwrites_nothing(planned):
    planned.plan("quarantine")
    planned.execute()
    (planned.data / "b/two").write_bytes(b"another")
    ran = dups("--undo", str(planned.journal), "--execute")
    assert ran.returncode == 1
    assert re.search(rb"refused +.*/b/two: another file has its name\n", ran.stdout)
    assert (planned.data / "b/two").read_bytes() == b"another"
    assert (planned.away / planned.data.relative_to("/") / "b/two").read_bytes() == b"pair"


def test_a_journal_is_of_one_plan(planned):
    planned.plan("remove")
    planned.execute()
    (planned.data / "a/more").write_bytes(b"alone")
    planned.plan("remove")
    before = snapshot(planned.data)
    ran = planned.execute()
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert b"belongs to another plan" in ran.stderr
    assert snapshot(planned.data) == before
    assert planned.apply("--execute", "--journal", str(planned.journal) + "2").returncode == 0


# ---- what a plan may overwrite ----

@pytest.fixture
def interrupted(planned, tmp_path):
    """What a run leaves that was killed when it had moved a file aside and not yet removed it: its
    name."""
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


def test_the_plan_of_a_run_that_was_interrupted_is_not_overwritten(planned, interrupted, tmp_path):
    plan = planned.file.read_bytes()
    other = tmp_path / "other"
    for where in ([str(planned.file)], [str(other), "--journal", str(planned.journal)]):
        ran = dups(str(planned.data), "--plan", *where, "--action", "remove")
        assert (ran.returncode, ran.stdout) == (2, b"")
        assert re.fullmatch(rb"fathom: the run of this plan was interrupted; first finish it with "
                            rb"--apply [^\n]+ --execute\n", ran.stderr)
    assert planned.file.read_bytes() == plan and not other.exists()
    assert interrupted.read_bytes() == b"pair"
    assert b"1 file done" in planned.execute().stdout
    assert not made_up(planned.data)
    planned.plan("remove")


def test_what_an_interrupted_run_has_left_is_in_no_other_plan(planned, interrupted, tmp_path):
    other = tmp_path / "other"
    ran = dups(str(planned.data), "--plan", str(other), "--action", "remove", "--keep", "newest")
    assert ran.returncode == 0
    assert other.read_bytes().count(b".fathom-dups-") == 0
    ran = dups("--apply", str(other), "--journal", str(planned.journal))
    assert ran.returncode == 2
    assert b"belongs to another plan" in ran.stderr and b"1 act is unfinished" in ran.stderr
    assert os.fsencode(interrupted) in ran.stderr


def test_what_is_no_plan_is_not_overwritten(data, tmp_path):
    notes = tmp_path / "notes"
    for text in (b"mine", b"{}\n", b'{"schema":"fathom.scan/1"}\n'):
        notes.write_bytes(text)
        ran = dups(str(data), "--plan", str(notes))
        assert (ran.returncode, ran.stdout) == (2, b"")
        assert re.fullmatch(rb"fathom: [^\n]+/notes is no plan: not overwritten\n", ran.stderr)
        assert notes.read_bytes() == text
    notes.write_bytes(b"")
    for _ in range(2):  # an empty file, and then a plan
        assert dups(str(data), "--plan", str(notes)).returncode == 0
        assert notes.read_bytes().startswith(b'{"schema":"fathom.dups.plan/1"')


def test_the_plan_and_the_results_are_two_files(data, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("both", "link/both"):
        ran = dups(str(data), "--plan", str(tmp_path / "both"), "-o", str(tmp_path / name))
        assert ran.returncode == 2
        assert ran.stderr == b"fathom: options '--plan' and '--output' name the same file\n"
        assert not (tmp_path / "both").exists()


# ---- what the rule keeps, in every format ----

def test_every_format_shows_what_the_rule_keeps(data, tmp_path):
    def shown(output_format, rule, *flags):
        ran = dups(str(data), "--plan", str(tmp_path / "plan"), "--keep", rule, "--format",
                   output_format, *flags)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    # Nothing of the other group is kept, nor does anything of it give way.
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

    # And a rule that always decides.
    os.utime(data / "b/two", (1e9, 1e9))
    group = next(group for group in json.loads(shown("json", "oldest"))["groups"]
                 if group["size"] == 4)
    assert group["paths"][group["keep"]] == kept
    assert [kept, other] in [group["files"] for group in
                             json.loads(shown("fclones", "oldest"))["groups"]]
