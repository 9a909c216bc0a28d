"""Plans of `fathom find --plan`, carried out by `fathom apply` and taken back by `fathom undo`."""

import json
import os
import pathlib
import shutil
import subprocess
import time

import pytest

import schemas
from conftest import FATHOM, PATIENCE, as_nobody, can_mount, environment, let_nobody_through, run, sentence_of

CANNOT_BE_WRITTEN = b"fathom: cannot write to /dev/full: No space left on device\n"


@pytest.fixture(name="place")
def place_fixture(tmp_path):
    """A folder with two caches, and a quarantine beside it."""
    for shop in ("first", "second"):
        cache = tmp_path / "data" / shop / "cache"
        cache.mkdir(parents=True)
        (cache / "file").write_bytes(os.urandom(50_000))
        (tmp_path / "data" / shop / "keep").write_text("kept")
    return tmp_path


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def plan(place, *options, name="cache"):
    made = run("find", name, place / "data", "--plan", place / "plan", *options)
    assert made.returncode == 0, made.stderr.decode()
    return made


def apply(place, *options, **more):
    return run("apply", place / "plan", "--quarantine", place / "away", *options, **more)


def test_a_plan_is_previewed_carried_out_and_undone(place):
    before = listing(place / "data")
    made = plan(place)
    assert b"moves 2 items" in made.stderr
    dry = apply(place)
    assert dry.returncode == 0
    assert b"Dry run: 2 items can be done" in dry.stdout
    assert listing(place / "data") == before
    done = apply(place, "--execute")
    assert done.returncode == 0
    assert f"fathom undo {place}/plan.journal --execute".encode() in done.stdout
    assert listing(place / "data") == ["first", "first/keep", "second", "second/keep"]
    undone = run("undo", place / "plan.journal", "--execute")
    assert undone.returncode == 0
    assert b"2 items moved back." in undone.stdout
    assert listing(place / "data") == before


def test_a_plan_whose_name_begins_with_a_dash_is_not_an_option_in_hints(place):
    made = run("find", "cache", "./data", "--plan=-q", cwd=place)
    assert made.stderr.endswith(b". Preview: fathom apply ./-q\n")
    done = run("apply", "./-q", "--quarantine", place / "away", "--execute", cwd=place)
    assert b"\nTo move things back: fathom undo ./-q.journal --execute\n" in done.stdout


def test_what_is_deleted_is_freed_as_promised_and_gone_for_good(place):
    plan(place, "--do", "delete")
    promised = json.loads((place / "plan").read_text().splitlines()[0])["freed_bytes"]
    done = json.loads(apply(place, "--execute", "--format", "json").stdout)
    assert done["freed_bytes"] == promised > 100_000
    undone = run("undo", place / "plan.journal", "--execute")
    assert undone.returncode == 0
    assert b"2 items were deleted, which cannot be undone." in undone.stdout


def test_a_file_that_is_still_open_is_named_with_its_process_and_not_counted_as_freed(place):
    plan(place, "--do", "delete")
    promised = json.loads((place / "plan").read_text().splitlines()[0])["freed_bytes"]
    file = place / "data/first/cache/file"
    with file.open("rb"):
        dry = apply(place).stdout.decode()
        done = json.loads(apply(place, "--execute", "--format", "json").stdout)
    assert f"\n{file} is open in process {os.getpid()} (" in dry
    assert " KiB become free when it is closed.\n" in dry
    schemas.assert_described(done, "fathom.applied/1")
    named, = done["open_files"]
    assert (named["path"], named["process"]) == (str(file), os.getpid())
    assert done["open_bytes"] == named["bytes"] == done["items"][0]["open_bytes"] >= 50_000
    assert done["freed_bytes"] + done["open_bytes"] == promised


def test_json_matches_its_schema(place):
    (place / "data" / os.fsdecode(b"\xff") / "cache").mkdir(parents=True)
    plan(place)
    (place / "data/first/cache/new").touch()
    undo = ["undo", place / "plan.journal", "--format", "json"]
    for ran in (apply(place, "--format", "json"), apply(place, "--format", "json", "--execute"),
                apply(place, "--format", "json", "--execute"), run(*undo), run(*undo, "--execute")):
        told = json.loads(ran.stdout)
        schemas.assert_described(told, "fathom.applied/1")
        assert any("path_b64" in item for item in told["items"])
        assert any("moved_to" in item for item in told["items"]) == (ran.args[1] == "apply" and told["done"] > 0)
    for wrong in ({"dry_run": "no"}, {"deleted_for_good": -1}, {"items": [{"path": "/", "outcome": "unknown"}]}):
        assert not schemas.is_valid({**told, **wrong}), wrong


def odd(text):
    """The text with a byte that is not UTF-8."""
    return os.fsdecode(text.encode() + b"\xff")


@pytest.fixture(name="odd_place")
def odd_place_fixture(place):
    """Entries of each kind, two names of one of them, in a folder whose name is not UTF-8."""
    folder = place / "data" / odd("x")
    (folder / odd("cache")).mkdir(parents=True)
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("nowhere")
    (folder / "one").write_text("text")
    os.link(folder / "one", folder / "two")
    return folder


@pytest.mark.parametrize("action", ["delete", "quarantine", "trash"])
def test_a_plan_and_its_journal_match_their_schemas(place, odd_place, action):
    made = run("find", "cache*", "pipe", "link", "one", "two", place / "data", odd_place, "--plan", place / "plan",
               "--do", action)
    assert made.returncode == 0, made.stderr.decode()
    schemas.assert_lines_described(place / "plan", "fathom.plan/1")
    taken = place / "away" / str(place / "data/first/cache").lstrip("/")
    taken.mkdir(parents=True)
    away = place / odd("away")
    (place / "away").rename(away)
    home = {"HOME": str(place), "XDG_DATA_HOME": str(place / "share")}
    run("apply", place / "plan", "--quarantine", away, "--execute", env=home)
    run("undo", place / "plan.journal", "--execute", env=home)
    schemas.assert_lines_described(place / "plan.journal", "fathom.journal/1")
    head, *lines = map(json.loads, (place / "plan.journal").read_bytes().splitlines())
    assert head["run"].endswith(head["plan"][:8])
    wanted = {"delete": {"begin", "done"}, "trash": {"begin", "done", "undone"},
              "quarantine": {"begin", "done", "undone", "refused"}}
    assert {next(iter(line)) for line in lines} == wanted[action]


@pytest.mark.parametrize("days, cls", [(0, "probably"), (60, "safe")])
def test_a_plan_of_clean_and_its_journal_match_their_schemas(place, days, cls):
    shop = place / "data" / odd("shop")
    (shop / "obj").mkdir(parents=True)
    (shop / "obj/project.assets.json").write_text("{}")
    for path in (shop / "obj/project.assets.json", shop / "obj"):
        os.utime(path, (time.time() - days * 86400,) * 2)
    (shop / odd("a")).with_suffix(".csproj").touch()
    made = run("clean", place / "data", "--quarantine", place / odd("away"), "--plan", place / "plan")
    assert made.returncode == 0, made.stderr.decode()
    head, item, _ = map(json.loads, (place / "plan").read_bytes().splitlines())
    assert "quarantine_b64" in head and "path_b64" in item and "path_b64" in item["evidence"][1]
    assert (item["class"], item["rebuild"]) == (cls, "dotnet build")
    assert run("apply", place / "plan", "--execute").returncode == 0
    schemas.assert_lines_described(place / "plan", "fathom.plan/1")
    schemas.assert_lines_described(place / "plan.journal", "fathom.journal/1")


def test_a_field_that_no_schema_has_is_refused_in_each_line_of_a_plan_and_of_a_journal(place):
    plan(place)
    assert apply(place, "--execute").returncode == 0
    for name, command in ("plan", "apply"), ("plan.journal", "undo"):
        schema = "fathom.journal/1" if command == "undo" else "fathom.plan/1"
        lines = (place / name).read_text().splitlines()
        for number, text in enumerate(lines):
            line = json.loads(text)
            assert schemas.is_valid(line, schema)
            assert not schemas.is_valid({**line, "new": 1}, schema)
            (place / "changed").write_text("\n".join([*lines[:number], json.dumps({**line, "new": 1}),
                                                     *lines[number + 1:], ""]))
            refused = run(command, place / "changed")
            assert refused.returncode == 2
            assert f"line {number + 1}" in refused.stderr.decode()
            assert '"new" is not expected here' in refused.stderr.decode()


@pytest.mark.parametrize("without", ["schema", "created_ns", "roots", "do", "root", "path", "kind", "size", "device",
                                     "inode", "mtime_ns", "ctime_ns", "freed_bytes", "disk_bytes", "digest", "end"])
def test_a_plan_without_a_field_that_its_schema_requires_is_refused(place, without):
    plan(place)
    lines = [json.loads(line) for line in (place / "plan").read_text().splitlines()]
    number = next(number for number, line in enumerate(lines) if without in line)
    del lines[number][without]
    assert not schemas.is_valid(lines[number], "fathom.plan/1")
    (place / "plan").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert apply(place).returncode == 2


def test_a_line_that_is_removed_from_the_plan_is_left_alone(place):
    plan(place, "--do", "delete")
    lines = (place / "plan").read_text().splitlines(keepends=True)
    (place / "plan").write_text("".join(line for line in lines if "first/cache" not in line))
    assert apply(place, "--execute").returncode == 0
    assert (place / "data/first/cache/file").exists()
    assert not (place / "data/second/cache").exists()


def test_what_has_changed_is_refused_and_the_rest_is_done(place):
    plan(place, "--do", "delete")
    (place / "data/first/cache/new").touch()
    done = apply(place, "--execute")
    assert done.returncode == 1
    assert b"it has changed since the plan was made" in done.stdout
    assert b"1 item done, 1 refused" in done.stdout
    assert (place / "data/first/cache/file").exists()


def test_matches_inside_other_matches_belong_to_them(place):
    nested = place / "data/first/cache/cache"
    nested.mkdir()
    made = plan(place)
    assert b"moves 2 items" in made.stderr


@pytest.mark.parametrize("command", [["find", "nothing"], ["clean"]])
def test_where_nothing_is_chosen_the_plan_is_empty_and_can_be_applied(place, command):
    made = run(*command, place / "data", "--plan", place / "plan")
    assert made.returncode == 0
    assert f"wrote {place}/plan: an empty plan, because there is nothing that it could act on\n" in made.stderr.decode()
    for options in [], ["--execute"]:
        done = run("apply", place / "plan", *options)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"Nothing to do.\n", b"")
    assert (place / "data/first/cache/file").exists()


def test_an_existing_plan_is_replaced_only_by_force(place):
    plan(place)
    assert "exists; --force replaces it" in sentence_of(run("find", "cache", place / "data", "--plan", place / "plan"))
    plan(place, "--force")


@pytest.mark.parametrize("text, why", [
    (b"", "the plan is empty"),
    (b"{\n", "this is not a Fathom plan"),
    (b'{"schema":"fathom.plan/2","created_ns":0,"roots":[]}\n', "later version"),
    (b'{"schema":"fathom.plan/1","created_ns":0,"roots":[]}\n', "truncated"),
    (b'{"schema":"fathom.plan/1","created_ns":0,"roots":[{"path":"relative"}]}\n{"end":0}\n',
     "is not an absolute path"),
])
def test_a_plan_that_cannot_be_used_is_refused_in_one_sentence(place, text, why):
    (place / "plan").write_bytes(text)
    refused = apply(place, "--execute")
    assert refused.returncode == 2
    assert why in refused.stderr.decode()
    assert refused.stderr.count(b"\n") == 1
    assert not (place / "plan.journal").exists()


def traced(place, *options):
    """`fathom apply --execute` under strace."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    # A sanitizer cannot look for leaks in a traced process.
    ran = subprocess.run(["strace", "-f", *options, FATHOM, "apply", place / "plan", "--execute"],
                         env=environment({"ASAN_OPTIONS": "detect_leaks=0"}), capture_output=True, timeout=PATIENCE,
                         check=False)
    if b"strace: " in ran.stderr:
        pytest.skip(f"strace does not work here: {ran.stderr.decode()}")
    return ran


def test_a_path_may_be_a_file(place):
    made = run("find", place / "data/first/keep", "--plan", place / "plan", "--do", "delete")
    assert made.returncode == 0, made.stderr.decode()
    assert run("apply", place / "plan", "--execute").returncode == 0
    assert listing(place / "data/first") == ["cache", "cache/file"]


def test_the_plan_is_on_the_disk_before_anything_is_done(place):
    """After a power cut, the next run needs it."""
    plan(place, "--do", "delete")
    calls = place / "calls"
    assert traced(place, "-y", "-o", calls, "-e", "trace=fsync,unlinkat").returncode == 0
    lines = calls.read_text().splitlines()
    first_act = next(number for number, line in enumerate(lines) if "unlinkat(" in line)
    for synced in (place / "plan", place):
        assert any("fsync(" in line and f"<{synced}>" in line for line in lines[:first_act])


def test_a_plan_whose_run_was_killed_while_it_deleted_is_not_replaced(place):
    plan(place, "--do", "delete")
    traced(place, "-o", os.devnull, "-e", "trace=unlinkat", "-e", "inject=unlinkat:signal=KILL:when=1")
    text = (place / "plan").read_text()
    assert "was killed while it deleted something, or still runs; finish it with `fathom apply" in (
        sentence_of(run("find", "keep", place / "data", "--plan", place / "plan", "--force")))
    assert (place / "plan").read_text() == text
    assert run("apply", place / "plan", "--execute").returncode == 0
    assert run("find", "keep", place / "data", "--plan", place / "plan", "--force").returncode == 0


def test_a_plan_of_another_host_is_refused(place):
    plan(place)
    text = (place / "plan").read_text()
    host = json.loads(text.splitlines()[0])["host"]
    (place / "plan").write_text(text.replace(f'"host":"{host}"', '"host":"elsewhere"'))
    assert "was made on the host elsewhere" in sentence_of(apply(place))


def test_a_plan_of_duplicates_is_carried_out_too(place):
    shutil.copy(place / "data/first/cache/file", place / "data/copy")
    made = run("dups", place / "data", "--plan", place / "plan", "--action", "remove")
    assert made.returncode == 0, made.stderr.decode()
    done = run("apply", place / "plan", "--execute")
    assert done.returncode == 0
    assert b"removed" in done.stdout


def test_another_filesystem_needs_another_quarantine(place):
    elsewhere = pathlib.Path("/dev/shm")
    if not elsewhere.is_dir() or elsewhere.stat().st_dev == place.stat().st_dev:
        pytest.skip("/dev/shm is not another filesystem")
    plan(place)
    refused = run("apply", place / "plan", "--quarantine", elsewhere / "fathom-away", "--execute")
    assert refused.returncode == 1
    assert b": /dev/shm/fathom-away is on another filesystem" in refused.stdout
    assert (place / "data/first/cache/file").exists()


def test_without_rights_nothing_is_done(place):
    plan(place)
    let_nobody_through(place / "data")
    os.chmod(place / "plan", 0o644)
    refused = run("apply", place / "plan", "--quarantine", place / "away", **as_nobody())
    if os.geteuid() == 0:
        assert refused.returncode in (1, 2)
    assert (place / "data/first/cache/file").exists()


def test_a_quarantine_that_has_the_name_is_refused(place):
    plan(place)
    taken = place / "away" / str(place / "data/first/cache").lstrip("/")
    taken.mkdir(parents=True)
    done = apply(place, "--execute")
    assert done.returncode == 1
    assert f"its place is taken: {taken}\n".encode() in done.stdout
    assert (place / "data/first/cache/file").exists()


def in_a_mount_namespace(script):
    """Runs a script for sh, in which $0 is fathom; its exit code 77 means that it cannot mount."""
    if not can_mount():
        pytest.skip("mounting is not possible here")
    ran = subprocess.run(["unshare", "--mount", "sh", "-c", script, FATHOM], env=environment(),
                         capture_output=True, timeout=PATIENCE, check=False)
    if ran.returncode == 77:
        pytest.skip("mounting is not possible here")
    return ran


# The quarantine is at the top of the filesystem, so a search from there on finds what was moved.
def test_copies_in_the_quarantine_do_not_allow_the_last_one_to_be_removed(tmp_path):
    ran = in_a_mount_namespace(f"""
        mount -t tmpfs tmpfs {tmp_path} || exit 77
        cd {tmp_path} && mkdir -p w/a w/b .Trash-0/files || exit 3
        echo precious > w/a/thesis
        cp w/a/thesis w/b/ && cp w/a/thesis .Trash-0/files/ || exit 3
        "$0" find thesis ./w/a --plan P && "$0" apply P --execute || exit 4
        cat .fathom-quarantine-*/*{tmp_path}/w/a/thesis || exit 5
        "$0" dups . --action remove --plan P.d && "$0" dups --apply P.d --execute || exit 6
        printf 'view dups\\nplan 1\\nquit\\n' | "$0" browse --plain . || exit 7
        "$0" clean --purge . --execute || exit 8
        ls -A && cat w/b/thesis""")
    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    assert b"nothing to remove" in ran.stderr
    assert b"nothing is here\n> the list is empty\n" in ran.stdout
    assert b"Freed" in ran.stdout and ran.stdout.endswith(b"\nw\nprecious\n")


@pytest.mark.parametrize("mount", ["-t tmpfs tmpfs", "--bind /"])
def test_what_is_mounted_below_an_item_since_the_plan_stops_the_act(place, mount):
    (place / "data/first/cache/below").mkdir()
    plan(place, "--do", "delete")
    ran = in_a_mount_namespace(f"mount {mount} {place}/data/first/cache/below || exit 77\n"
                               f'exec "$0" apply {place}/plan --execute')
    assert ran.returncode == 1
    assert b"refused" in ran.stdout and b"mount" in ran.stdout
    assert (place / "data/first/cache/file").exists()
    assert not (place / "data/second/cache").exists()


def test_a_read_only_filesystem_is_left_as_it_is(place):
    ran = in_a_mount_namespace(f"""
        mount -t tmpfs tmpfs {place}/data || exit 77
        echo content > {place}/data/file
        "$0" find file {place}/data --plan {place}/plan --do delete || exit 3
        mount -o remount,ro {place}/data || exit 77
        "$0" apply {place}/plan --execute
        test $? = 1 && cat {place}/data/file""")
    assert ran.returncode == 0
    assert b"Read-only file system" in ran.stdout and ran.stdout.endswith(b"content\n")


def test_a_full_disk_is_cleaned_with_the_journal_on_it(place):
    ran = in_a_mount_namespace(f"""
        mount -t tmpfs -o size=2M tmpfs {place}/data || exit 77
        mkdir {place}/data/cache
        head -c 500000 /dev/zero > {place}/data/cache/file
        "$0" find cache {place}/data --plan {place}/data/plan --do delete || exit 3
        head -c 1400000 /dev/zero > {place}/data/more
        "$0" apply {place}/data/plan --execute || exit 4
        test ! -e {place}/data/cache""")
    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    assert b"1 item done; freed 492 KiB." in ran.stdout


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_run_goes_on_to_its_end_if_its_results_cannot_be_written(place, form):
    caches = [place / "data" / str(number) / "cache" for number in range(500)]
    for cache in caches:
        cache.mkdir(parents=True)
    plan(place)
    applied = apply(place, "--execute", "--format", form, "-o", "/dev/full")
    assert (applied.returncode, applied.stderr) == (1, CANNOT_BE_WRITTEN)
    assert not any(cache.exists() for cache in caches)
    undone = run("undo", place / "plan.journal", "--execute", "--format", form, "-o", "/dev/full")
    assert (undone.returncode, undone.stderr) == (1, CANNOT_BE_WRITTEN)
    assert all(cache.exists() for cache in caches)


def test_without_room_for_a_quarantine_nothing_is_moved_and_the_reason_says_what_helps(place):
    ran = in_a_mount_namespace(f"""
        mount -t tmpfs -o nr_inodes=20 tmpfs {place}/data || exit 77
        mkdir {place}/data/cache
        echo content > {place}/data/cache/file
        "$0" find cache {place}/data --plan {place}/plan || exit 3
        for i in $(seq 20); do touch {place}/data/$i; done
        "$0" apply {place}/plan --execute
        test $? = 1 && cat {place}/data/cache/file && rm {place}/plan* &&
        "$0" find cache {place}/data --plan {place}/plan --do delete && "$0" apply {place}/plan --execute""")
    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    assert b"there is no room for the directories above " in ran.stdout
    assert b"which deleting (class safe of `fathom clean`) does not need: No space left on device" in ran.stdout
    assert b"\ncontent\n" in ran.stdout and b"\ndeleted " in ran.stdout


def test_without_room_for_the_journal_nothing_is_done(place):
    ran = in_a_mount_namespace(f"""
        mount -t tmpfs -o size=1M tmpfs {place}/data || exit 77
        mkdir {place}/data/cache
        echo content > {place}/data/cache/file
        "$0" find cache {place}/data --plan {place}/plan --do delete || exit 3
        head -c 2000000 /dev/zero > {place}/data/more
        "$0" apply {place}/plan --execute --journal {place}/data/journal
        test $? = 2 && cat {place}/data/cache/file""")
    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    assert b"the journal" in ran.stderr and b"No space left on device" in ran.stderr
    assert ran.stdout.endswith(b"content\n")


def test_an_immutable_file_stays_and_is_named(place):
    file = place / "data/first/cache/file"
    if os.geteuid() != 0 or not shutil.which("chattr"):
        pytest.skip("this needs root and chattr")
    if subprocess.run(["chattr", "+i", file], capture_output=True, check=False).returncode != 0:
        pytest.skip("no file can be made immutable here")
    try:
        plan(place, "--do", "delete")
        done = apply(place, "--execute")
        assert done.returncode == 1
        assert b"the system refused: Operation not permitted: 'file'" in done.stdout
        assert file.exists() and not (place / "data/second/cache").exists()
    finally:
        subprocess.run(["chattr", "-i", file], check=True)


def test_the_results_replace_neither_the_plan_nor_the_journal(place):
    def refused(kind, *arguments):
        before = {path: path.read_bytes() for path in place.glob("plan*")}
        ran = run(*arguments)
        assert (ran.returncode, ran.stdout) == (2, b""), arguments
        assert ran.stderr == f"fathom: option '--output' names the {kind}; name another file\n".encode()
        assert {path: path.read_bytes() for path in place.glob("plan*")} == before

    (place / "link").symlink_to("plan.journal")
    for make in (["find", "cache"], ["dups", "--action", "quarantine", "--quarantine", place / "away"]):
        shutil.copy(place / "data/first/cache/file", place / "data/second/cache/file")
        refused("plan", *make, place / "data", "--plan", place / "plan", "-o", place / "plan")
        made = run(*make, place / "data", "--plan", place / "plan")
        assert made.returncode == 0, made.stderr.decode()
        for output, kind in (("plan", "plan"), ("plan.journal", "journal"), ("link", "journal")):
            refused(kind, "apply", place / "plan", "-o", place / output)
        refused("journal", "apply", place / "plan", "--journal", place / "own", "-o", place / "own", "--execute")
        assert apply(place, "--execute").returncode == 0
        refused("journal", *make, place / "data", "--plan", place / "plan", "--force", "-o", place / "plan.journal")
        refused("journal", "undo", place / "plan.journal", "-o", place / "plan.journal")
        assert run("undo", place / "plan.journal", "--execute").returncode == 0
        (place / "plan").unlink()
        (place / "plan.journal").unlink()


def test_what_has_changed_since_the_scan_is_not_in_the_plan(place):
    logs = [place / "data" / f"{'n' * 200}{number}.log" for number in range(6000)]  # more than fits into any pipe
    for log in logs:
        log.touch()
    command = [FATHOM, "find", "*.log", place / "data", "--plan", place / "plan"]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as find:
        find.stdout.read(1)  # the scan has ended, and find waits until the rest is read
        seen, clock_of_files = time.time(), 5  # CLOCK_REALTIME_COARSE
        while time.clock_gettime(clock_of_files) < seen:
            pass
        logs[7].write_text("new")
        told = find.communicate(timeout=PATIENCE)[1]
    assert find.returncode == 1
    assert f"{logs[7]} is not in the plan: it has changed since the scan: scan it again\n".encode() in told
    assert b"moves 5,999 items" in told
