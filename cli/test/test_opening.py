"""Files that the user names: no signal is lost while one is opened, nothing waits that need not, and
no other user decides what is written."""

import os
import re
import signal
import subprocess

import pytest

from conftest import FATHOM, NOBODY, PATIENCE, catches, dups, environment, needs_proc, scan, sentence_of, until

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def waits_for_a_write(process):
    """Whether it is in a system call whose first argument is its standard output."""
    with open(f"/proc/{process.pid}/syscall", encoding="ascii") as call:
        return call.read().split()[1:2] == ["0x1"]


# ---- signals ----

@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


@needs_proc
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("arguments", [
    ["scan", "-o", "PIPE", "."], ["scan", "--exclude-from", "PIPE", "."],
    ["scan", "--trace", "PIPE", "."], ["scan", "--from", "PIPE"], ["find", "-o", "PIPE", "."],
    ["dups", "-o", "PIPE", "."], ["dups", "--plan", "PIPE", "."],
    ["dups", "--apply", "plan", "-o", "PIPE"]], ids=" ".join)
def test_one_signal_ends_the_wait_for_the_other_end_of_a_pipe(small, pipe, arguments, number):
    process = subprocess.Popen(
        [FATHOM, *(str(pipe) if word == "PIPE" else word for word in arguments)], cwd=small,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    until(lambda: catches(process, number))
    process.send_signal(number)
    out, told = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, told) == (130, b"", b"")
    assert sorted(os.listdir(small)) == ["file"]


# Between two acts nothing is half done.
@needs_proc
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("execute", [["--execute"], []], ids=["run", "dry run"])
def test_one_signal_ends_the_wait_for_the_reader_of_what_is_done(tmp_path, number, execute):
    root = tmp_path / "data"
    root.mkdir()
    for copy in range(20):
        (root / f"{copy:02}").write_bytes(b"same" * 1000)
    plan = tmp_path / "plan"
    assert dups(str(root), "--plan", str(plan)).returncode == 0
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with pytest.raises(BlockingIOError):  # the pipe is full
        while True:
            os.write(writer, b"x" * 4096)
    os.set_blocking(writer, True)
    process = subprocess.Popen([FATHOM, "dups", "--apply", str(plan), *execute], stdout=writer,
                               stderr=subprocess.PIPE, env=environment())
    os.close(writer)
    try:
        until(lambda: waits_for_a_write(process))
        process.send_signal(number)
        assert process.communicate(timeout=PATIENCE)[1] == b""
        assert process.returncode == 130
    finally:
        os.close(reader)
        process.kill()
    assert dups("--apply", str(plan), "--execute").returncode == 0  # continues, or begins
    assert len({file.stat().st_ino for file in root.iterdir()}) == 1


@needs_proc
def test_a_pipe_without_a_writer_is_read_until_a_signal_comes(small, pipe):
    """The other end is open, but says nothing."""
    process = subprocess.Popen([FATHOM, "scan", "--exclude-from", pipe, small],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment())
    with open(pipe, "wb"):  # returns when the other end is open
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=PATIENCE) == (b"", b"")
    assert process.returncode == 130


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_a_plan_is_read_only_from_a_regular_file(tmp_path, pipe, kind):
    plan = {"pipe": pipe, "device": "/dev/null", "folder": tmp_path}[kind]
    refused = dups("--apply", str(plan))
    why = "Is a directory" if kind == "folder" else "it is not a regular file"
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert refused.stderr.decode() == f"fathom: cannot open {plan}: {why}\n"


@pytest.mark.parametrize("arguments", [["--apply", "PLAN", "--journal", "PIPE"],
                                       ["--undo", "PIPE"]], ids=lambda words: words[-2])
def test_a_journal_is_never_a_pipe(small, tmp_path, pipe, arguments):
    plan = tmp_path / "plan"
    assert dups(str(small), "--plan", str(plan)).returncode == 0
    places = {"PLAN": str(plan), "PIPE": str(pipe)}
    assert sentence_of(dups(*(places.get(word, word) for word in arguments), "--execute")) == (
        f"the journal {pipe} is not a regular file")


def test_rules_and_exports_may_come_from_a_pipe(small):
    def shell(command):
        return subprocess.run(["bash", "-c", command, "bash", FATHOM, small], env=environment(),
                              capture_output=True, timeout=PATIENCE, check=True).stdout
    excluded = shell('"$1" scan --summary --exclude-from <(echo file) "$2"')
    assert re.search(rb"^  Files +0$", excluded, re.M)
    assert b"Summary" in shell('"$1" scan --summary --from <("$1" scan --format ncdu "$2")')


# ---- other users ----

@pytest.fixture
def shared(tmp_path):
    """A directory like /tmp, in which everybody may create names."""
    if os.geteuid() != 0:
        pytest.skip("only root can create files of another user")
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


def give_to_nobody(path):
    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)


OPTIONS = [["scan", "-o", "FILE", "--summary"], ["scan", "--trace", "FILE"],
           ["dups", "--plan", "FILE"], ["dups", "--plan", "FILE", "--force"]]


def run_with(words, file, folder):
    words = [str(file) if word == "FILE" else word for word in words]
    return {"scan": scan, "dups": dups}[words[0]](*words[1:], str(folder))


@pytest.mark.parametrize("words", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("target", ["nothing", "a file", "a second link"])
def test_a_link_of_another_user_in_a_shared_directory_is_not_followed(
        small, tmp_path, shared, words, target):
    goal, link = tmp_path / "goal", shared / "link"
    if target == "a file":
        goal.write_text("precious")
    if target == "a second link":
        (tmp_path / "second").symlink_to(goal)
    link.symlink_to(tmp_path / "second" if target == "a second link" else goal)
    give_to_nobody(link)
    refused = run_with(words, link, small)
    assert refused.returncode == 2
    if "--plan" not in words or "--force" in words or target != "a file":
        assert refused.stderr.decode() == (
            f"fathom: cannot write to {link}, where another user has put a file or link into a "
            "directory of all users: Permission denied\n")
    assert goal.read_text() == "precious" if target == "a file" else not goal.exists()
    assert sorted(os.listdir(shared)) == ["link"]


@pytest.mark.parametrize("words", OPTIONS, ids=" ".join)
@pytest.mark.parametrize("kind", ["file", "pipe"])
def test_a_file_of_another_user_in_a_shared_directory_is_not_written(small, shared, words, kind):
    planted = shared / "results"
    if kind == "pipe":
        os.mkfifo(planted)
    else:
        planted.write_text("theirs")
    give_to_nobody(planted)
    assert run_with(words, planted, small).returncode == 2
    assert os.lstat(planted).st_uid == NOBODY
    assert kind == "pipe" or planted.read_text() == "theirs"


@pytest.mark.parametrize("owner", ["the user", "the owner of the directory", "not shared"])
def test_a_link_that_no_other_user_can_have_planted_is_followed(small, tmp_path, shared, owner):
    goal, link = tmp_path / "goal", shared / "link"
    link.symlink_to(goal)
    if owner == "the owner of the directory":
        give_to_nobody(shared)
        give_to_nobody(link)
    if owner == "not shared":
        give_to_nobody(link)
        shared.chmod(0o755)
    assert scan("-o", str(link), "--summary", str(small)).returncode == 0
    assert link.is_symlink() and goal.read_text().startswith("Summary\n")


@pytest.fixture
def planned(tmp_path, shared):
    """A plan in a shared directory; its journal is beside it unless the user names one."""
    root = tmp_path / "data"
    root.mkdir()
    for name in ("one", "two"):
        (root / name).write_bytes(b"same" * 1000)
    assert dups(str(root), "--plan", str(shared / "plan")).returncode == 0
    return shared / "plan"


@pytest.mark.parametrize("target", ["nothing", "a file", "an empty file"])
@pytest.mark.parametrize("execute", [["--execute"], []], ids=["run", "dry run"])
def test_the_journal_that_no_user_named_is_not_behind_a_link(planned, tmp_path, target, execute):
    goal, journal = tmp_path / "goal", planned.with_name("plan.journal")
    if target != "nothing":
        goal.write_text("precious" if target == "a file" else "")
    before = goal.read_text() if goal.exists() else None
    journal.symlink_to(goal)
    assert sentence_of(dups("--apply", str(planned), *execute)) == (
        f"the journal {journal} is a symbolic link, which is followed only if you name it")
    assert (goal.read_text() if goal.exists() else None) == before
    if target != "a file":
        assert dups("--apply", str(planned), "--journal", str(journal), *execute).returncode == 0


def test_the_journal_that_no_user_named_is_not_of_another_user(planned):
    journal = planned.with_name("plan.journal")
    journal.touch()
    give_to_nobody(journal)
    assert sentence_of(dups("--apply", str(planned), "--execute")) == f"the journal {journal} belongs to another user"
    assert journal.read_bytes() == b""


@pytest.mark.parametrize("kind", ["file", "link", "link to nothing"])
@pytest.mark.parametrize("arguments", [["--apply", "PLAN", "--journal", "JOURNAL"],
                                       ["--apply", "PLAN", "--journal", "JOURNAL", "--execute"],
                                       ["--undo", "JOURNAL"], ["--undo", "JOURNAL", "--execute"]], ids=" ".join)
def test_a_journal_that_another_user_has_put_into_a_shared_directory_is_refused(planned, tmp_path, kind, arguments):
    goal, journal = tmp_path / "goal", planned.with_name("named")
    if kind == "link":
        goal.touch()
    if kind == "file":
        journal.touch(mode=0o666)
    else:
        journal.symlink_to(goal)
    give_to_nobody(journal)
    names = {"PLAN": str(planned), "JOURNAL": str(journal)}
    assert sentence_of(dups(*(names.get(argument, argument) for argument in arguments))) == (
        f"the journal {journal} belongs to another user")
    assert goal.exists() == (kind == "link")
    assert kind == "link to nothing" or journal.read_bytes() == b""
