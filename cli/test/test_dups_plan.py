"""Making a plan: what it contains and says, what a dry run then finds, and which files it replaces."""

import json
import os
import re
import shutil
import subprocess
import textwrap

import pytest

import schemas
from conftest import FATHOM, PATIENCE, as_nobody, can_mount, dups, environment, let_nobody_through, sentence_of
from test_dups_apply import ACTIONS, as_json, digests, snapshot

VERBS = {"hardlink": "hard-link", "remove": "remove", "quarantine": "move"}
DONE = {"hardlink": "hard-linked", "remove": "removed", "quarantine": "moved"}
KIB = 1024


@pytest.fixture
def data(tmp_path):
    """A kept file, a copy with two names, and four other copies, each of 100 KiB."""
    root = tmp_path / "data"
    root.mkdir()
    for name in ("a", "b", "c", "d", "e", "f"):
        (root / name).write_bytes(b"the same" * 12_800)
        (root / name).chmod(0o644)
    os.link(root / "b", root / "b again")
    return root


@pytest.fixture
def file(tmp_path):
    return tmp_path / "plan"


def plan(data, file, action, *flags):
    return dups(str(data), "--plan", str(file), "--action", action, *flags)


def lines_of(file):
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def used(*folders):
    return sum({path.lstat().st_ino: path.lstat().st_blocks * 512
                for folder in folders for path in folder.rglob("*") if path.is_file()}.values())


# ---- a plan, a dry run and a result say how many files and bytes ----

@pytest.mark.parametrize("action", ["hardlink", "remove"])
def test_plan_dry_run_and_result_agree_on_files_and_bytes(data, file, action):
    outside = data.parent / "outside"
    outside.mkdir()
    os.link(data / "f", outside / "another name")  # so f frees nothing
    made = plan(data, file, action)
    assert made.returncode == 0
    assert made.stderr.decode() == (f"fathom: wrote {file}: {VERBS[action]} 6 files (frees 400 KiB). "
                                    f"Preview: fathom dups --apply {file}\n")
    head = lines_of(file)[0]
    assert (head["files"], head["freed_bytes"], head["held_bytes"]) == (6, 400 * KIB, 0)
    dry = dups("--apply", str(file))
    assert dry.stdout.decode().endswith(
        f"\nDry run: 6 files would be {DONE[action]}, freeing 400 KiB. Add --execute to do it.\n")
    totals = as_json(dups("--apply", str(file), "--format", "json"))["totals"]
    assert (totals["done"], totals["freed_bytes"], totals["held_bytes"]) == (6, 400 * KIB, 0)
    before = used(data, outside)
    done = dups("--apply", str(file), "--execute")
    assert done.stdout.decode().endswith(f"\n6 files {DONE[action]}, 400 KiB freed\n")
    assert before - used(data, outside) == 400 * KIB


def test_a_quarantine_frees_nothing_until_it_is_deleted(data, file, tmp_path):
    away = tmp_path / "away"
    made = plan(data, file, "quarantine", "--quarantine", str(away))
    assert made.stderr.decode() == (
        f"fathom: wrote {file}: move 6 files to {away} (frees 500 KiB when {away} is deleted). "
        f"Preview: fathom dups --apply {file}\n")
    assert not away.exists()
    head = lines_of(file)[0]
    assert (head["files"], head["freed_bytes"], head["held_bytes"]) == (6, 0, 500 * KIB)
    assert head["quarantine"] == str(away)
    dry = dups("--apply", str(file)).stdout.decode()
    assert dry.endswith("\nDry run: 6 files would be moved. Deleting the quarantine frees 500 KiB. "
                        "Add --execute to do it.\n")
    before = used(data)
    done = dups("--apply", str(file), "--execute").stdout.decode()
    assert done.endswith("\n6 files moved. Deleting the quarantine frees 500 KiB.\n")
    assert used(data, away) == before
    shutil.rmtree(away)
    assert before - used(data) == 500 * KIB


def test_a_plan_that_frees_nothing_says_so(data, file):
    for name in ("c", "d", "e", "f"):
        (data / name).unlink()
    os.link(data / "b", data.parent / "another name")
    made = plan(data, file, "remove")
    assert b": remove 2 files (frees nothing). Preview: " in made.stderr
    assert b"2 files would be removed, freeing nothing. Add" in dups("--apply", str(file)).stdout


# ---- a plan has no surprises ----

def spoil_mode(data):
    (data / "c").chmod(0o700)
    return "the permissions differ"


def spoil_owner(data):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(data / "c", 1234, -1)
    return "the owner differs"


def spoil_group(data):
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    os.chown(data / "c", -1, 1234)
    return "the group differs"


def spoil_attribute(data):
    try:
        os.setxattr(data / "c", "user.note", b"mine")
    except OSError:
        pytest.skip("this filesystem has no extended attributes of users")
    return "the extended attribute user.note differs"


@pytest.mark.parametrize("spoil", [spoil_mode, spoil_owner, spoil_group, spoil_attribute])
def test_a_file_that_cannot_be_linked_is_left_alone_when_planning(data, file, spoil):
    why = spoil(data)
    made = plan(data, file, "hardlink")
    assert made.returncode == 0
    assert made.stderr.decode() == (
        f"fathom: {data}/c is left alone: {why}\n"
        f"fathom: wrote {file}: hard-link 5 files (frees 400 KiB). "
        f"Preview: fathom dups --apply {file}\n")
    [skipped] = [line for line in lines_of(file) if line.get("do") == "skip"]
    assert (skipped["path"], skipped["reason"]) == ("c", why)
    dry, real = dups("--apply", str(file)), dups("--apply", str(file), "--execute")
    assert (dry.returncode, real.returncode) == (0, 0)
    assert b"refused" not in dry.stdout + real.stdout and b"/data/c" not in dry.stdout
    assert (data / "c").stat().st_nlink == 1
    # Removing it changes nobody's access.
    assert b"left alone" not in plan(data, file, "remove", "--force").stderr


def test_the_plan_lists_what_the_messages_leave_out(data, file):
    for name in ("c", "d", "e", "f"):
        (data / name).chmod(0o700)
    told = plan(data, file, "hardlink").stderr.decode()
    assert told.count(" is left alone: the permissions differ\n") == 3
    assert f'\nfathom: 4 files are left alone; {file} lists them as "skip", with the reasons\n' in told
    assert [line["path"] for line in lines_of(file) if line.get("do") == "skip"] == [
        "c", "d", "e", "f"]


@pytest.mark.parametrize("action, keep", [("hardlink", "first"), ("hardlink", "oldest"), ("remove", "newest"),
                                          ("remove", "shortest"), ("quarantine", "order"), ("quarantine", "glob:a")])
def test_a_plan_matches_its_schema(data, file, action, keep):
    (data / os.fsdecode(b"\xff")).write_bytes((data / "a").read_bytes())
    (data / "c").chmod(0o600)
    away = ["--quarantine", data.parent / os.fsdecode(b"away\xff")] if action == "quarantine" else []
    assert plan(data, file, action, "--keep", keep, *away).returncode == 0
    schemas.assert_lines_described(file, "fathom.dups.plan/1")
    head, *files, _ = lines_of(file)
    assert {line["do"] for line in files} == {"keep", action, *(["skip"] if action == "hardlink" else [])}
    assert any("path_b64" in line for line in files) and ("quarantine_b64" in head) == (action == "quarantine")


def test_a_plan_that_keeps_names_that_are_not_utf8_matches_its_schema(data, file):
    root = data.rename(data.with_name(os.fsdecode(b"data\xff")))
    assert plan(root, file, "remove", "--keep", b"glob:\xff").returncode == 0
    head = lines_of(file)[0]
    assert "keep_b64" in head and "path_b64" in head["roots"][0]
    schemas.assert_lines_described(file, "fathom.dups.plan/1")


@pytest.mark.parametrize("number, change", [
    (0, {"new": 1}), (0, {"quarantine": "/q"}), (0, {"action": "burn"}), (0, {"keep": "glob:"}), (1, {"new": 1}),
    (1, {"reason": "none"}), (1, {"do": "burn"}), (2, {"size": -1}), (2, {"root": "0"}), (-1, {"new": 1})], ids=str)
def test_what_the_schema_of_a_plan_forbids_is_refused(data, file, number, change):
    plan(data, file, "remove")
    lines = lines_of(file)
    assert schemas.is_valid(lines[number], "fathom.dups.plan/1")
    lines[number].update(change)
    assert not schemas.is_valid(lines[number], "fathom.dups.plan/1")
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert dups("--apply", str(file)).returncode == 2


def test_a_plan_without_acts_is_a_plan(data, file):
    for name in ("a", "b"):
        (data / name).chmod(0o600 if name == "a" else 0o640)
    assert plan(data, file, "hardlink").stderr.endswith(f"\nfathom: wrote {file}: nothing to hard-link\n".encode())
    for flags in ([], ["--execute"]):
        ran = dups("--apply", str(file), *flags)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"Nothing to do.\n", b"")


def test_the_recommended_command_is_quoted_for_a_shell(data, tmp_path):
    for name, word in (("a plan", "'a plan'"), ("it's", "'it'\\''s'"), ("$(x)", "'$(x)'"), ("ö.plan", "ö.plan")):
        made = dups(str(data), "--plan", name, cwd=tmp_path)
        command = made.stderr.decode().split(". Preview: ")[1]
        assert command == f"fathom dups --apply {word}\n"
        ran = subprocess.run(["sh", "-c", command.replace("fathom", '"$0"', 1), FATHOM], cwd=tmp_path,
                             capture_output=True, check=False, timeout=PATIENCE)
        assert ran.returncode == 0 and b"Add --execute to do it." in ran.stdout


def test_other_filesystems_are_found_when_planning(data, file, tmp_path):
    if not can_mount():
        pytest.skip("mounting is not possible here")
    away = tmp_path / "away"
    away.mkdir()
    script = textwrap.dedent(f"""\
        mount -t tmpfs tmpfs {away} || exit 77
        cp -p {data}/a {away}/z
        "$0" dups {data} --plan {file} --action quarantine --quarantine {away}/q || exit 1
        "$0" dups {data} {away} --plan {file}2 || exit 1
        exec "$0" dups --apply {file}2""")
    ran = subprocess.run(["unshare", "--mount", "sh", "-c", script, FATHOM], env=environment(),
                         capture_output=True, timeout=PATIENCE, check=False)
    if ran.returncode == 77:
        pytest.skip("mounting is not possible here")
    assert ran.returncode == 0, ran.stderr
    reasons = [line["reason"] for line in lines_of(file) if line.get("do") == "skip"]
    assert reasons == ["the quarantine is on another filesystem or mount"] * 6
    linked = {line["path"] for line in lines_of(tmp_path / "plan2") if line.get("do") == "hardlink"}
    assert linked == {"b", "b again", "c", "d", "e", "f"}
    assert b"refused" not in ran.stdout


def test_a_directory_that_cannot_be_changed_is_found_when_planning(data, file):
    if os.geteuid() != 0 or not shutil.which("chattr"):
        pytest.skip("needs chattr, as root")
    if subprocess.run(["chattr", "+i", data], check=False, capture_output=True).returncode != 0:
        pytest.skip("this filesystem has no immutable directories")
    try:
        made = plan(data, file, "remove")
    finally:
        subprocess.run(["chattr", "-i", data], check=True)
    if made.returncode == 0:
        pytest.skip("the kernel does not report this in advance")
    assert made.returncode == 1
    assert b"its directory cannot be changed: Operation not permitted\n" in made.stderr


@pytest.mark.parametrize("flag", ["+i", "+a"])
def test_what_a_directory_does_not_allow_is_found_in_the_dry_run(data, file, flag):
    if os.geteuid() != 0 or not shutil.which("chattr"):
        pytest.skip("needs chattr, as root")
    assert plan(data, file, "remove").returncode == 0
    if subprocess.run(["chattr", flag, data], check=False, capture_output=True).returncode != 0:
        pytest.skip("this filesystem has no such directories")
    try:
        dry = dups("--apply", str(file))
    finally:
        subprocess.run(["chattr", flag.replace("+", "-"), data], check=True)
    if dry.returncode == 0:
        pytest.skip("the kernel does not report this in advance")
    assert b"its directory cannot be changed: Operation not permitted\n" in dry.stdout + dry.stderr


def test_files_of_others_in_a_sticky_directory_are_left_alone(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root, to be two users")
    shared = tmp_path / "shared"
    shared.mkdir()
    for name in ("one", "two", "three"):
        (shared / name).write_bytes(b"same" * 1000)
        (shared / name).chmod(0o666)
    shared.chmod(0o1777)
    let_nobody_through(shared)
    tmp_path.chmod(0o777)
    file = tmp_path / "plan"
    made = dups(str(shared), "--plan", str(file), **as_nobody())
    assert made.returncode == 1
    assert made.stderr.count(b"its directory cannot be changed: Operation not permitted\n") == 2
    assert sorted(path.name for path in shared.iterdir()) == ["one", "three", "two"]


# ---- the quarantine, when planning or when applying ----

def test_planning_says_that_a_quarantine_will_be_needed(data, file, tmp_path):
    told = plan(data, file, "quarantine").stderr.decode()
    assert told == (f"fathom: wrote {file}: move 6 files to a quarantine (frees 500 KiB when it is "
                    "deleted). Applying it needs --quarantine DIR. "
                    f"Preview: fathom dups --apply {file} --quarantine DIR\n")
    assert sentence_of(dups("--apply", str(file))) == f"{file}: this plan needs --quarantine DIR"
    assert dups("--apply", str(file), "--quarantine", str(tmp_path / "away")).returncode == 0


def test_a_quarantine_may_be_given_twice_but_not_contradict_itself(data, file, tmp_path):
    away = tmp_path / "away"
    plan(data, file, "quarantine", "--quarantine", f"{away}/")
    before = snapshot(data)
    assert sentence_of(dups("--apply", str(file), "--quarantine", "../other", "--execute", cwd=data)) == (
        f"{file} moves files to {away}, not to {tmp_path}/other; "
        "omit --quarantine, or make a plan with that directory")
    assert snapshot(data) == before
    assert dups("--apply", str(file), "--quarantine", "../away", cwd=data).returncode == 0
    ran = dups("--apply", str(file), "--execute")
    assert ran.returncode == 0
    assert digests(data, away) == digests(data) and len(list(data.iterdir())) == 1
    undone = dups("--undo", f"{file}.journal", "--execute")
    assert undone.returncode == 0 and len(list(data.iterdir())) == 7


@pytest.mark.parametrize("action", ["hardlink", "remove"])
def test_a_quarantine_is_refused_for_other_actions(data, file, action):
    refused = plan(data, file, action, "--quarantine", "away")
    assert refused.returncode == 2 and not file.exists()
    assert refused.stderr == b"fathom: option '--quarantine' needs '--action quarantine'\n"
    plan(data, file, action)
    assert "needs a plan with '--action quarantine'" in sentence_of(dups("--apply", str(file), "--quarantine", "away"))


def test_a_quarantine_that_cannot_be_used_is_refused_before_the_search(data, file):
    for where, why in ((data / "a", "Not a directory"), (data / "no/such", "No such file")):
        refused = plan(data, file, "quarantine", "--quarantine", str(where))
        assert (refused.returncode, refused.stdout) == (2, b"") and not file.exists()
        assert re.fullmatch(rf"fathom: cannot open the [^\n]*: {why}[^\n]*\n", refused.stderr.decode())


# The quarantine may be deleted at any time, so nothing in it may be the only copy.
def test_files_in_the_quarantine_are_not_planned_again(data, file):
    away = data / "away"
    plan(data, file, "quarantine", "--quarantine", str(away))
    assert dups("--apply", str(file), "--execute").returncode == 0
    (data / "new").write_bytes((data / "a").read_bytes())
    second = file.with_name("second")
    plan(data, second, "quarantine", "--quarantine", str(away), "--keep", "newest")
    acts = [line for line in lines_of(second) if line.get("do") in ("keep", "quarantine")]
    assert [(line["do"], line["path"]) for line in acts] == [("keep", "new"), ("quarantine", "a")]
    # Where the quarantine is named later, the run refuses to keep a file in it.
    plan(data, second, "quarantine", "--keep", "glob:away/**", "--force")
    ran = dups("--apply", str(second), "--quarantine", str(away))
    assert ran.returncode == 1
    assert set(re.findall(rb": (.*)\n", ran.stdout)[:-1]) == {b"the kept file is in the quarantine"}


def test_plans_of_earlier_versions_still_apply(data, file, tmp_path):
    plan(data, file, "quarantine", "--quarantine", str(tmp_path / "recorded"))
    lines = lines_of(file)
    for key in ("quarantine", "files", "freed_bytes", "held_bytes"):
        del lines[0][key]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert dups("--apply", str(file)).returncode == 2  # as in those versions
    ran = dups("--apply", str(file), "--quarantine", str(tmp_path / "away"), "--execute")
    assert ran.returncode == 0 and b"\n6 files moved. " in ran.stdout


# ---- messages about files that are not plans ----

@pytest.mark.parametrize("text, says", [
    (b"not JSON\n", "line 1 is not valid JSON; this is not a Fathom plan"),
    (b"\x7fELF\0\0\n", "line 1 is not valid JSON; this is not a Fathom plan"),
    (b'{"schema":"fathom.scan/1"}\n', "line 1: this is not a Fathom plan"),
    (b"", "the plan is empty")])
def test_a_file_that_is_not_a_plan_is_named(tmp_path, text, says):
    (tmp_path / "p3").write_bytes(text)
    ran = dups("--apply", "p3", cwd=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr.decode()) == (2, b"", f"fathom: p3: {says}\n")


def test_a_broken_line_of_a_plan_is_named(data, file):
    plan(data, file, "remove")
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], lines[2].replace(b"}", b""), *lines[3:]]))
    assert dups("--apply", str(file)).stderr.decode() == (
        f"fathom: {file}: line 3 is not valid JSON: Missing a comma or '}}' after an object member\n")


def test_a_plan_needs_a_path(data, file):
    assert sentence_of(dups("--plan", str(file), cwd=data)) == (
        "option '--plan' needs a PATH; . is the current directory")
    assert not file.exists()
    assert dups(".", "--plan", str(file), cwd=data).returncode == 0


# ---- a plan is written completely or not at all, and replaces nothing ----

@pytest.fixture
def slow(tmp_path):
    """A search whose results are read in two parts: it waits in between, before it writes the plan."""
    root = tmp_path / "slow"
    root.mkdir()
    for number in range(2000):
        (root / f"{number:04}{'x' * 200}").write_bytes(b"same")
    pipe = tmp_path / "results"
    os.mkfifo(pipe)

    def search(file, in_between, *flags):
        process = subprocess.Popen(
            [FATHOM, "dups", root, "--plan", file, "--format", "csv", "-o", pipe, *flags],
            stderr=subprocess.PIPE, env=environment())
        with open(pipe, "rb") as results:
            assert results.read(10)
            in_between()
            rest = results.read()
        _, told = process.communicate(timeout=PATIENCE)
        assert len(rest) > 200_000
        return process.returncode, told.decode()
    return search


@pytest.mark.parametrize("kind", ["file", "link", "dangling", "directory"])
def test_what_appears_at_the_plans_name_during_the_search_stays(slow, file, tmp_path, kind):
    other = tmp_path / "other"
    other.write_bytes(b"precious")
    make = {"file": lambda: file.write_bytes(b"precious"), "link": lambda: file.symlink_to(other),
            "dangling": lambda: file.symlink_to(tmp_path / "nowhere"), "directory": file.mkdir}[kind]
    code, told = slow(file, make)
    assert code == 1
    assert told == (f"fathom: another program has created {file} in the meantime; no plan was "
                    "written\n")
    assert other.read_bytes() == b"precious" and not (tmp_path / "nowhere").exists()
    assert file.is_dir() if kind == "directory" else kind == "dangling" or file.read_bytes() == b"precious"
    assert not list(tmp_path.glob(".fathom-*"))


def test_a_search_without_interference_writes_the_plan(slow, file):
    code, told = slow(file, lambda: None)
    assert code == 0 and f"wrote {file}: hard-link 1,999 files" in told
    assert len(lines_of(file)) == 2002


def test_a_run_that_is_interrupted_during_the_search_keeps_its_plan(slow, data, file, tmp_path):
    """With --force, the plan is looked at again right before it is replaced."""
    plan(data, file, "remove")
    victim = data / "f"
    spare = tmp_path / "spare"
    os.link(victim, spare)
    acts = [line for line in lines_of(file) if line.get("do") == "remove"]
    number = next(i for i, line in enumerate(acts) if line["path"] == "f")
    text = file.read_bytes()
    plan(data, file, "remove", "--force")  # the other name has changed its ctime
    text = file.read_bytes()

    def interrupted_run():
        assert dups("--apply", str(file), "--execute").returncode == 0
        journal = tmp_path / "plan.journal"
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(line for line in lines if line != b'{"done":%d}\n' % number))
        spare.rename(data / f".fathom-dups-{json.loads(lines[0])['plan']}-{number}.old")
    code, told = slow(file, interrupted_run, "--force")
    assert code == 1
    assert told == (f"fathom: the run of this plan was interrupted; first finish it with --apply {file} "
                    "--execute\n")
    assert file.read_bytes() == text


def strace(*options):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")

    # LeakSanitizer does not work below strace.
    env = environment({"ASAN_OPTIONS": f"detect_leaks=0:{os.environ.get('ASAN_OPTIONS', '')}"})

    def ran(*arguments):
        result = subprocess.run(["strace", "-f", "-o", "/dev/null", *options, FATHOM, "dups", *arguments],
                                env=env, capture_output=True, timeout=PATIENCE, check=False)
        if b"strace: " in result.stderr:
            pytest.skip(f"strace does not work here: {result.stderr.decode()}")
        return result
    return ran


@pytest.mark.parametrize("forced", [False, True], ids=["new", "replaced"])
def test_a_killed_search_leaves_no_partial_plan(data, file, forced):
    flags = ["--force"] * forced
    old = b""
    if forced:
        plan(data, file, "remove")
        old = file.read_bytes()
    kills = 0
    for call in ("write", "link,linkat", "rename,renameat,renameat2", "unlink,unlinkat"):
        for when in range(1, 12):
            if not forced:
                file.unlink(missing_ok=True)
            killed = strace("-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={when}")(
                str(data), "--plan", str(file), *flags)
            if killed.returncode == 0:
                break
            kills += 1
            if not file.exists():
                assert not forced
                continue
            if file.read_bytes() != old:
                assert dups("--apply", str(file)).returncode == 0  # it is complete
                if forced:
                    file.write_bytes(old)
    assert kills >= 3
    assert digests(data) == {next(iter(digests(data)))}


def test_a_filesystem_without_hard_links_has_plans_too(data, file):
    search = strace("-e", "trace=link,linkat", "-e", "inject=link,linkat:error=EPERM")
    assert search(str(data), "--plan", str(file), "--action", "remove").returncode == 0
    assert dups("--apply", str(file)).returncode == 0
    before = file.read_bytes()
    assert search(str(data), "--plan", str(file)).returncode == 2
    assert file.read_bytes() == before
    assert [path.name for path in file.parent.iterdir() if path.name.startswith(".fathom")] == []


@pytest.mark.parametrize("action", ACTIONS)
def test_planning_changes_nothing_else(data, file, action):
    before = snapshot(data)
    plan(data, file, action)
    assert snapshot(data) == before
    assert sorted(path.name for path in file.parent.iterdir()) == ["data", "plan"]
