"""The pure pieces of the driver: pace, allowance, budget, moments, and what is on disk."""

import asyncio
import datetime
import json
import os
import random
import signal
import subprocess
import sys

import pytest

from fathom_fleet import hosts, task
from fathom_fleet.allowance import Allowance
from fathom_fleet.budget import Budget, Slice, slice_for
from fathom_fleet.errors import FleetError, shell_word, shown
from fathom_fleet.folder import Finished, Folder
from fathom_fleet.moment import absolute
from fathom_fleet.pace import Pace
from fathom_fleet.part import BadPart, Part
from fathom_fleet.plan import Plan
from fathom_fleet.request import Request, roots_of
from fathom_fleet.status import status
from fathom_fleet.stealing import Stealing


def run_at(pace, rate, tasks=2000, seed=1):
    """Tasks whose rate, for so many running, is rate(running), with the spread of real directories."""
    rng = random.Random(seed)
    running = 1
    for _ in range(tasks):
        seconds = 2.0
        pace.finished(round(rate(running) * seconds * rng.uniform(0.6, 1.6)), seconds, running)
        running = min(pace.limit, running + 1)


def test_workers_that_do_not_disturb_each_other_all_work():
    pace = Pace(64)
    run_at(pace, lambda running: 1000)
    assert pace.limit >= 60


@pytest.mark.parametrize("seed", range(5))
def test_a_saturated_server_is_asked_by_fewer(seed):
    pace = Pace(64)
    run_at(pace, lambda running: 1000 * min(1.0, 8 / running), seed=seed)
    assert 8 <= pace.limit <= 32


def test_slower_directories_are_not_mistaken_for_a_saturated_server():
    pace = Pace(64)
    run_at(pace, lambda running: 1000, 300)
    run_at(pace, lambda running: 50, 2000)
    assert pace.limit >= 60


def test_a_lone_worker_always_has_a_task():
    pace = Pace(1)
    run_at(pace, lambda running: random.Random(running).uniform(1, 1000))
    assert pace.limit == 1


def test_new_workers_get_tasks_at_once():
    pace = Pace(1)
    pace.resize(10)
    assert pace.limit == 10
    pace.resize(4)
    assert pace.limit == 4


def test_tasks_share_the_allowed_operations():
    allowance = Allowance(100)
    assert [allowance.grant("a", 3), allowance.grant("b", 2), allowance.grant("c", 1)] == [33, 33, 34]
    assert not allowance.may_start()
    allowance.release("b")
    assert allowance.grant("d", 5) == 6
    allowance.release("unknown")
    assert Allowance(None).grant("a", 1) is None


@pytest.mark.parametrize("text, budget", [("2s", Budget(seconds=2)), ("250ms", Budget(seconds=0.25)),
                                          ("100000", Budget(entries=100_000))])
def test_budgets_are_times_or_numbers_of_entries(text, budget):
    assert Budget.parse(text) == budget


@pytest.mark.parametrize("text", ["", "0", "0s", "9ms", "2h", "0.5s", "-1s", "inf", "nans", "1e3", "2 s", "3601s"])
def test_other_budgets_are_refused(text):
    with pytest.raises(FleetError, match="option '--budget' takes a time"):
        Budget.parse(text)


def test_the_rest_is_divided_into_as_many_parts_as_are_needed():
    budget = Budget(seconds=10)
    assert slice_for(budget, 64, waiting=0, running=0) == Slice(budget, 64)
    assert slice_for(budget, 64, waiting=10, running=8) == Slice(budget, 6)
    assert slice_for(budget, 64, waiting=64, running=63) == Slice(budget, 4)
    assert slice_for(budget, 1000, waiting=0, running=0) == Slice(budget, 256)


def test_a_worker_that_is_alone_gets_long_tasks_and_the_whole_rest():
    assert slice_for(Budget(seconds=2), 1, waiting=0, running=0) == Slice(Budget(seconds=12), 1)
    assert slice_for(Budget(seconds=20), 1, waiting=0, running=0) == Slice(Budget(seconds=60), 1)
    assert slice_for(Budget(seconds=90), 1, waiting=0, running=0) == Slice(Budget(seconds=90), 1)
    assert slice_for(Budget(entries=4), 1, waiting=0, running=0) == Slice(Budget(entries=24), 1)


def test_a_task_hands_back_at_half_of_the_time_after_which_it_is_ended(monkeypatch):
    class HalfOver(subprocess.Popen[bytes]):
        """Half of the time is over at once, and the other half never."""

        halves = 0

        def communicate(self, input=None, timeout=None):
            self.halves += timeout is not None
            if self.halves == 1:
                raise subprocess.TimeoutExpired(self.args, timeout)
            return super().communicate(input)

    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGURG})  # so that it waits until the child asks for it
    monkeypatch.setattr(subprocess, "Popen", HalfOver)
    try:
        ran = task.run((sys.executable, "-c", "import signal; signal.sigwait({signal.SIGURG})"), 600)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    assert (ran.code, ran.messages) == (0, ())


@pytest.mark.parametrize("written, messages", [
    ("fathom: a note\nfathom: it takes a time; examples:\n  7d\n  today\n", ("a note", "it takes a time; examples:")),
    ("one line\nanother one\n", ("one line", "another one")),
    ("", ()),
])
def test_the_messages_of_a_task_are_sentences_without_the_lines_below_them(written, messages):
    ran = task.run((sys.executable, "-c", f"import sys; sys.exit(sys.stderr.write({written!r}) and 2)"), 600)
    assert ran.messages == messages
    assert ran.message == (messages[-1] if messages else "")


def test_one_task_is_asked_for_each_idle_slot_the_oldest_first():
    stealing = Stealing()
    running = {"a": 0.0, "b": 1.0, "c": 2.0}
    assert stealing.ask(2, running, 10.0) == ["a", "b"]
    assert stealing.ask(2, running, 10.1) == [], "they have not ended yet"
    assert stealing.ask(3, running, 10.2) == ["c"]
    del running["a"]
    assert stealing.ask(3, {**running, "d": 3.0}, 10.3) == ["d"]


def test_a_task_is_not_asked_before_that_is_worth_what_it_costs():
    stealing = Stealing()
    for _ in range(1000):
        stealing.finished(elapsed=6.0, scanning=4.0)
    assert stealing.ask(1, {"a": 0.0}, 2.9) == []
    assert stealing.ask(1, {"a": 0.0}, 3.1) == ["a"]


def test_moments_become_seconds():
    now = datetime.datetime(2026, 11, 25, 12, 0, 30).astimezone()
    midnight = datetime.datetime(2026, 11, 25).timestamp()
    assert absolute("--newer", "7d", now) == f"@{int(now.timestamp()) - 7 * 86400}"
    assert absolute("--newer", "today", now) == f"@{int(midnight)}"
    assert absolute("--newer", "yesterday", now) == f"@{int(datetime.datetime(2026, 11, 24).timestamp())}"
    assert absolute("--newer", "2026-11-25", now) == f"@{int(midnight)}"
    assert absolute("--newer", "2026-11-25T08:00", now) == f"@{int(midnight) + 8 * 3600}"
    assert absolute("--newer", "@-5", now) == "@-5"
    assert absolute("--newer", f"@{2**63 - 1}", now) == f"@{2**63 - 1}"
    for wrong in ("", "7", "0d", "soon", "2026-13-01", "99999999999999w", f"@{2**63}", f"@-{2**63 + 1}", f"@{10**30}"):
        with pytest.raises(FleetError, match="option '--newer' takes a time such as 7d"):
            absolute("--newer", wrong, now)


def test_roots_are_absolute_and_not_inside_each_other(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = str(tmp_path)
    assert roots_of(["b/", "./a", "b/c", "b", "bc"]) == (f"{here}/a", f"{here}/b", f"{here}/bc")
    assert roots_of(["/", "/usr"]) == ("/",)
    (tmp_path / "real" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to("real/inner")
    assert roots_of(["link/.."]) == roots_of(["link/../"]) == (f"{here}/real",)
    assert roots_of(["link/../../link"]) == roots_of(["./nowhere/.././link"]) == (f"{here}/link",)
    assert roots_of(["real/../link/"]) == (f"{here}/link/",)
    assert roots_of(["link"]) == (f"{here}/link",)
    assert roots_of(["link/"]) == roots_of(["link/."]) == (f"{here}/link/",)
    assert roots_of(["link", "link/inner"]) == (f"{here}/link", f"{here}/link/inner")
    with pytest.raises(FleetError, match="no PATH is given"):
        roots_of([])


def test_a_root_is_inside_another_one_where_links_lead(tmp_path):
    (tmp_path / "t" / "inner").mkdir(parents=True)
    (tmp_path / "other" / "x").mkdir(parents=True)
    (tmp_path / "t" / "link").symlink_to("../other")
    (tmp_path / "way").symlink_to("t")
    here = str(tmp_path)
    assert roots_of([f"{here}/t", f"{here}/t/link/x"]) == (f"{here}/t", f"{here}/t/link/x")
    assert roots_of([f"{here}/t", f"{here}/t/link/"]) == (f"{here}/t", f"{here}/t/link/")
    assert roots_of([f"{here}/t", f"{here}/t/link"]) == (f"{here}/t",)
    assert roots_of([f"{here}/t", f"{here}/way/inner"]) == (f"{here}/t",)
    assert roots_of([f"{here}/other", f"{here}/t/link/x"]) == (f"{here}/other",)
    assert roots_of([f"{here}/t/inner", f"{here}/way/"]) == (f"{here}/way/",)
    assert roots_of([f"{here}/t/inner", f"{here}/way/inner"]) == (f"{here}/t/inner",)


@pytest.mark.parametrize("flag", ["--one-file-system", "--no-hidden", "--exclude=*.o", "--exclude-from=f",
                                  "--exclude-caches", "--exclude-kernfs"])
def test_a_root_inside_another_one_is_refused_if_the_scan_may_keep_out_of_it(flag):
    name = flag.partition("=")[0]
    with pytest.raises(FleetError, match=f"option '{name}' may keep the scan of '/usr' out of '/usr/lib'; scan the two "
                       "into different folders"):
        roots_of(["/usr/lib", "/usr"], ["--only=*.a", flag])
    assert roots_of(["/usr", "/usr/", "/srv"], [flag]) == ("/srv", "/usr")


def test_a_root_inside_another_one_stays_out_if_all_of_it_is_scanned():
    assert roots_of(["/usr", "/usr/lib"], ["--only=*.a", "--min-size=1", "--newer=@1", "--older=@2"]) == ("/usr",)


def test_the_hosts_decide_which_roots_are_inside_each_other():
    assert roots_of(["/usr", "/usr/lib"], ["--one-file-system"], each_host=True) == ("/usr", "/usr/lib")


def test_only_relative_paths_need_the_current_directory(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert roots_of(["/srv/", "/srv/../usr"]) == ("/srv/", "/usr")
    with pytest.raises(FleetError, match="cannot find 'srv' from the current directory: No such file or directory"):
        roots_of(["srv"])


def test_a_request_keeps_names_that_are_not_utf8():
    began = datetime.datetime(2026, 1, 31, 8, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
    request = Request(("/srv/\udcff",), ("--exclude=\udcfe",), "fathom 1", began=began)
    assert Request.from_json(request.to_json().encode()) == request
    assert shown(request.roots[0]) == "/srv/\\xff"


def test_a_shell_makes_the_same_bytes_of_a_name():
    for name in ("/srv/a", "it's a b", "\udcff\udcfea", "a\n'\\x41 \x1b[31m", "ü\x01b", ""):
        word = shell_word(name)
        assert word.isprintable()
        assert subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True,
                              env={"LC_ALL": "C.UTF-8"}).stdout == os.fsencode(name)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": "fathom.fleet/1"}'])
def test_other_files_are_not_requests(text):
    with pytest.raises(ValueError):
        Request.from_json(text)


def test_requests_say_what_differs():
    request = Request(("/a",), (), "fathom 1")
    assert request.difference(request) == ""
    assert request.difference(Request(("/b",), (), "fathom 1")) == "of /a"
    assert request.difference(Request(("/a",), ("-x",), "fathom 1")) == "with no options that select entries"
    assert request.difference(Request(("/a",), (), "fathom 2")) == "by fathom 1; this is fathom 2"
    assert request.difference(Request(("/a",), (), "fathom 1", True)) == "without --each-host"


def test_a_slash_at_the_end_differs_only_after_a_link(tmp_path):
    link = tmp_path / "link"
    link.symlink_to("/")
    for root, is_same in ((tmp_path, True), (link, False)):
        without, slash = (Request((f"{root}{end}",), (), "fathom 1") for end in ("", "/"))
        assert (without.difference(slash) == "") == (slash.difference(without) == "") == is_same


def test_the_folder_of_copies_may_be_written_in_another_way(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    first, same, other = (Request(("/a",), (f"--exclude-from={tmp_path}/{name}/exclude-from-0",), "fathom 1")
                          for name in ("folder", "link/../link", "other"))
    assert first.difference(same) == ""
    assert first.difference(other) == f"with {first.flags[0]}"


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b'{"schema":"fathom.part/2"}',
                                  b'{"schema":"fathom.part/1","id":"../etc","entries":1,"disk_bytes":0,"errors":0,"seconds":1,'
                                  b'"host":"h","rest":[]}'])
def test_other_files_are_not_parts(text):
    with pytest.raises(BadPart):
        Part.parse(text)


def test_a_part_is_counted_once():
    plan = Plan()
    work = plan.start(0.0)
    part = Part("root", 5, 1, 0.1, "h", ())
    assert plan.commit(part) and not plan.commit(part)
    assert (work.id, plan.entries, plan.errors, plan.finished) == ("root", 5, 1, True)
    assert not plan.commit(Part("0" * 16, 5, 1, 0.1, "h", ()))  # nobody asked for it


def test_failed_parts_wait_longer_each_time():
    plan = Plan(failures=4)
    waits, now = [], 0.0
    for _ in range(3):
        plan.start(now)
        assert plan.fail("root", "why", now)
        assert plan.start(now) is None
        waits.append(plan.next_attempt() - now)
        now = plan.next_attempt()
    plan.start(now)
    assert not plan.fail("root", "why", now)
    assert (waits, plan.given_up, plan.finished) == ([1, 2, 4], {"root": "why"}, True)


def test_a_second_driver_is_refused(tmp_path):
    first, second = Folder(tmp_path / "f"), Folder(tmp_path / "f")
    with first.locked():
        assert second.is_locked()
        with pytest.raises(FleetError, match="another `fathom fleet` is working on"):
            with second.locked():
                pass
    assert not second.is_locked()
    with second.locked():
        pass


def test_a_folder_remembers_how_the_scan_ended(tmp_path):
    folder = Folder(tmp_path)
    assert folder.finished() is None and folder.request() is None
    end = Finished(1, 10, 2, ("ab",), "kept it")
    folder.finish(end)
    assert folder.finished() == end


def test_a_finished_scan_that_is_resumed_is_shown_as_running(tmp_path):
    folder = Folder(tmp_path)
    with folder.locked():
        folder.begin(Request(("/a",), (), "fathom 1"), {})
        folder.finish(Finished(1, 10, 2, ("ab",)))
        assert status(folder)["state"] == "running"
    assert status(folder)["state"] == "finished"


def test_leftovers_are_removed_and_parts_are_not(tmp_path):
    folder = Folder(tmp_path)
    (folder.parts / ".tmp-x").mkdir(parents=True)
    (folder.parts / "root").mkdir()
    folder.sweep()
    assert [path.name for path in folder.parts.iterdir()] == ["root"]


def test_a_request_that_cannot_be_read_is_named_once(tmp_path):
    (tmp_path / "fleet.json").mkdir()
    with pytest.raises(FleetError) as why:
        Folder(tmp_path).request()
    assert str(why.value) == f"cannot read '{tmp_path}/fleet.json': Is a directory"


@pytest.mark.parametrize("content, why", [
    ("{", "not a description of a part: "),
    ('{"schema":"fathom.part/1","id":"0123456789abcdef","entries":1,"disk_bytes":0,"errors":0,"seconds":1,"host":"h",'
     '"rest":[]}', "it describes the part 0123456789abcdef"),
], ids=["cut off", "of another part"])
def test_a_damaged_part_is_named_and_the_scan_has_to_begin_again(tmp_path, content, why):
    folder = Folder(tmp_path)
    file = folder.parts / "root" / "part.json"
    file.parent.mkdir(parents=True)
    file.write_text(content)
    with pytest.raises(FleetError) as damage:
        folder.part("root")
    assert str(damage.value).startswith(f"'{file}' is damaged: {why}")
    assert str(damage.value).endswith("; the scan has to begin again in another directory")


@pytest.mark.parametrize("lost, done, failed", [(3, {"a": 7}, {}), (4, {}, {"a": "the link is cut"})])
def test_a_host_counts_as_done_also_after_its_last_attempt(tmp_path, monkeypatch, lost, done, failed):
    monkeypatch.setattr(hosts, "_FIRST_DELAY", 0.0)
    assert run_of_host(tmp_path, lost, {"totals": {"entries": 7}, "errors": 0}) == hosts.Outcome(done, failed)


def test_a_host_whose_snapshot_cannot_be_read_has_failed(tmp_path, monkeypatch):
    monkeypatch.setattr(hosts, "_FIRST_DELAY", 0.0)
    assert run_of_host(tmp_path, 3, {}) == hosts.Outcome(failed={"a": "its snapshot cannot be read"})


def run_of_host(path, lost, meta):
    """What becomes of a host that is lost so many times, and then makes a snapshot with this meta.json."""
    content = json.dumps(meta).encode()
    failures = iter(range(lost))

    async def call(_host, function, *_arguments):
        if function is task.snapshot:
            if next(failures, None) is not None:
                raise hosts.HostLost("the link is cut")
            return task.Made(task.Ran(0, (), "a"), "made", {"meta.json": len(content)})
        return content if function is task.chunk else None

    scan = hosts.HostScan(Folder(path), ["a"], ("fathom", "snapshot"), 1.0, call, lambda message: None)
    return asyncio.run(scan.run())
