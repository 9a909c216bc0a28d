"""The recipes of the README print what the README shows, and every command of its usage works.

A demo tree stands for the whole machine of the reader: `machine/` is its /, and `machine/home/alice` its ~. A shell
runs the commands as the README has them, apart from that slash. `ssh` runs the rest of its command here, and `ncdu`
prints a saved export.

Files have blocks for all of their bytes, of sizes beside which the blocks of directories are too small to be seen.

FATHOM_UPDATE_GOLDEN=1 rewrites the blocks of the README whose output has changed.
"""

import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import time

import pytest

import test_dups_golden
import test_generated
import test_golden
from conftest import FATHOM, PATIENCE, environment, width
from serving import ADDRESS, why_no_loopback
from test_generated import README, assert_in_readme

MIB = 1 << 20
DAY = 24 * 3600
COLUMNS = 110
TITLES = ["A full disk", "What grew", "Who owns old data", "Duplicates", "A remote machine without Fathom",
          "Clean up"]

# Path: MiB, and days since the last modification.
FILES = {
    "home/alice/.cache/mozilla/entries": (2.7, 3),
    "home/alice/.cache/pip/wheels": (5.7, 40),
    "home/alice/pictures/2024/beach.jpg": (1.7, 600),
    "home/alice/pictures/2024/harbour.jpg": (2.2, 600),
    "home/alice/pictures/2025/garden.jpg": (1.3, 200),
    "home/alice/pictures/backup/2024/beach.jpg": (1.7, 600),
    "home/alice/pictures/backup/2024/harbour.jpg": (2.2, 600),
    "home/alice/pictures/phone/IMG_0412.jpg": (1.3, 200),
    "home/alice/projects/engine/src/main.rs": (0.1, 9),
    "home/alice/projects/engine/target/debug/deps/libengine.rlib": (3.2, 9),
    "home/alice/projects/engine/target/debug/engine": (8.7, 9),
    "home/alice/projects/shop/node_modules/next/dist/server.js": (4.3, 90),
    "home/alice/projects/shop/node_modules/next/node_modules/sharp/lib.node": (2.7, 90),
    "home/alice/projects/shop/src/index.ts": (0.1, 5),
    "home/bruno/videos/talk.mkv": (11.7, 300),
    "srv/archive/2019/tapes.tar": (9.7, 2400),
    "srv/archive/2021/tapes.tar": (6.4, 1600),
    "srv/scans/contracts.pdf": (3.6, 1200),
    "srv/scans/invoices.pdf": (2.7, 20),
    "srv/www/uploads/launch.mov": (4.7, 900),
    "srv/www/uploads/teaser.mov": (3.2, 2),
    "usr/lib/libs.so": (19.2, 100),
    "usr/share/icons": (4.7, 100),
    "var/cache/apt/archives/linux-image.deb": (4.2, 12),
    "var/lib/docker/overlay2/a1/diff/layer": (15.6, 30),
    "var/lib/docker/overlay2/b2/diff/layer": (7.2, 30),
    "var/log/journal/system.journal": (13.2, 0),
    "var/log/shop/debug.log": (7.7, 0),
}
# Of some files, the MiB in the first of two snapshots; all others are the same in both.
EARLIER = {"var/log/shop/debug.log": 1.7, "var/lib/docker/overlay2/b2/diff/layer": 0,
           "home/alice/.cache/pip/wheels": 8.5, "home/bruno/videos/talk.mkv": 0}
# What programs leave in the folders that they can make again.
MARKS = {
    "home/alice/projects/engine/Cargo.toml": "[package]\n",
    "home/alice/projects/engine/target/.rustc_info.json": "{}",
    "home/alice/projects/engine/target/CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n",
    "home/alice/projects/shop/package.json": "{}",
    "home/alice/projects/shop/package-lock.json": "{}",
    "home/alice/projects/shop/node_modules/.package-lock.json": "{}",
}
# Users of whom no machine has names; outputs get those of the README in the last column.
OWNERS = {"srv/archive": (20001, "alice"), "srv/scans": (20002, "bruno"), "srv/www": (20003, "carol")}
GROUP = (20000, "staff")


def section(title):
    return README.read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]


RECIPES = re.findall(r"(?ms)^\*\*(.+?)\*\*.*?^```console\n(.*?)^```$", section("Recipes"))
PROSE = re.sub(r"(?ms)^```.*?^```$", "", section("Recipes"))
NEXT = [command.replace("\n", " ") for command in re.findall(r"`((?:fathom|ssh) [^`]+)`", PROSE)]
USAGE = re.search(r"(?ms)^```sh\n(.*?)^```$", section("Usage"))[1].splitlines()


@pytest.fixture
def folder(tmp_path):
    """A folder with the demo tree `machine`, and the programs that commands start."""
    for name, (size, days) in FILES.items():
        path = tmp_path / "machine" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        length = round(size * 64) * (MIB // 64)
        with open(path, "wb") as file:
            if "pictures" in name:  # the recipe about duplicates reads them
                file.write(random.Random(length).randbytes(length))
            else:
                os.posix_fallocate(file.fileno(), 0, length)
        os.utime(path, (0, time.time() - days * DAY))
        if path.stat().st_blocks * 512 != length:
            pytest.skip("files have other disk sizes than their contents here")
    for name, text in MARKS.items():
        (tmp_path / "machine" / name).write_text(text)
    let_age(tmp_path / "machine/home/alice/projects", 9)
    if os.geteuid() == 0:
        for below, (user, _) in OWNERS.items():
            for path in [tmp_path / "machine" / below, *(tmp_path / "machine" / below).rglob("*")]:
                os.chown(path, user, GROUP[0])
    (tmp_path / "export").write_text(json.dumps(export_of_web1()), encoding="utf-8")
    programs = tmp_path / "programs"
    programs.mkdir()
    fathom = shutil.which(FATHOM)
    scripts = {
        # The default store of root is that of the machine.
        "fathom": f"""case $1 in snapshot|diff|growth) set -- "$@" --store '{tmp_path}/store' ;; esac
exec '{fathom}' "$@"
""",
        "ssh": 'shift\nexec sh -c "$*"',
        "ncdu": f"exec cat '{tmp_path}/export'",
    }
    for name, script in scripts.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    keep_two_snapshots(tmp_path)
    yield tmp_path
    shutil.rmtree(tmp_path / "machine")


def let_age(folder, days):
    for path in [folder, *folder.rglob("*")]:
        os.utime(path, (0, time.time() - days * DAY))


def keep_two_snapshots(folder):
    for sizes in (EARLIER, {name: FILES[name][0] for name in EARLIER}):
        for name, size in sizes.items():
            path = folder / "machine" / name
            path.unlink(missing_ok=True)
            if size:
                with open(path, "wb") as file:
                    os.posix_fallocate(file.fileno(), 0, round(size * 64) * (MIB // 64))
                os.utime(path, (0, time.time() - FILES[name][1] * DAY))
        shown("fathom snapshot -x /", folder)


def export_of_web1():
    """What `ncdu -0 -x -o- /` prints on a server with a large database and old releases."""
    inodes = iter(range(2, 100_000))

    def entry(name, size=4096):
        return {"name": name, "asize": size, "dsize": size, "ino": next(inodes)}

    def of(name, *inside):
        return [entry(name), *inside]

    def many(number, mib):
        return [entry(f"{i:04}", round(mib * MIB)) for i in range(number)]

    root = of(
        "/",
        of("home", of("deploy", of("releases", *(of(f"2026-{month:02}-01", *many(400, 2)) for month in range(1, 9))))),
        of("usr", of("lib", *many(3000, 0.7)), of("share", *many(5000, 0.2))),
        of("var",
           of("lib", of("mysql", of("shop", *(entry(f"{table}.ibd", round(gib * 1024 * MIB)) for table, gib in
                                              {"events": 11.3, "orders": 3.4, "users": 0.8}.items())))),
           of("log", of("nginx", *many(52, 60)), of("journal", *many(24, 128)))),
        entry("swapfile", 4096 * MIB))
    root[0]["dev"] = 1
    return [1, 2, {"progname": "ncdu", "progver": "1.18", "timestamp": 1_700_000_000}, root]


def local(command):
    """The command with the demo tree for /."""
    return re.sub(r"(?<=\s)/(?=\w|\s|$)", "machine/", command)


def start(command, folder, **options):
    changes = {"PATH": f"{folder}/programs:{os.environ['PATH']}", "HOME": "machine/home/alice", "TZ": "UTC"}
    return subprocess.Popen(["sh", "-c", local(command)], cwd=folder, env=environment(changes),
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, **options)


def shown(command, folder):
    """What a reader sees after the command."""
    with start(command, folder, stderr=subprocess.STDOUT) as process:
        text = process.communicate(timeout=PATIENCE)[0].decode()
    assert process.returncode == 0, text
    text = text.replace(f"{folder.resolve()}/", "").replace("machine/", "/")
    text = re.sub(r"\nA filesystem has no known identity, .*\n", "", text)  # not every test machine tells it
    for number, name in [*OWNERS.values(), GROUP]:
        text = re.sub(rf"(?m)^(  (?:user|group) +{number} .*)  \S+$", rf"\1  {name}", text)
    return text


def untimed(text):
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d(?:( to \S+)?, [0-9a-f]{8})?", "time", text)
    return test_dups_golden.untimed(test_golden.untimed(text))


def check(recipe, folder):
    commands = re.findall(r"(?m)^\$ (.*)$", recipe)
    for plan in folder.glob("*.plan"):  # of an earlier call
        plan.unlink()
    session = "".join(f"$ {command}\n{shown(command, folder)}" for command in commands)
    block = re.compile(rf"(?ms)^```console\n(?P<text>{re.escape(f'$ {commands[0]}')}\n.*?)^```$")
    assert_in_readme(block, session, untimed)


def needs_root(recipe):
    if "--owners" in recipe and os.geteuid() != 0:
        pytest.skip("only root can create files of several users")


def test_the_readme_has_the_recipes():
    assert [title for title, _ in RECIPES] == TITLES


@pytest.mark.parametrize("recipe", [pytest.param(recipe, id=title) for title, recipe in RECIPES])
def test_a_recipe_prints_what_the_readme_shows(recipe, folder):
    needs_root(recipe)
    check(recipe, folder)


@pytest.mark.parametrize("recipe", [pytest.param(recipe, id=title) for title, recipe in RECIPES])
def test_a_recipe_fits_on_a_page(recipe):
    lines = recipe.splitlines()
    assert max(map(width, lines)) <= COLUMNS
    assert len(lines) <= 24 and 1 <= sum(line.startswith("$ ") for line in lines) <= 2


@pytest.mark.parametrize("before, after", [("Dry run", "Wet run"), ("12 MiB", "13 MiB")])
def test_a_wrong_output_is_shown(folder, monkeypatch, before, after):
    recipe = dict(RECIPES)["Clean up"]
    wrong = recipe.replace(before, after, 1)
    assert wrong != recipe
    copy = folder / "README.md"
    copy.write_text(README.read_text(encoding="utf-8").replace(recipe, wrong), encoding="utf-8")
    monkeypatch.setattr(test_generated, "README", copy)
    monkeypatch.delenv("FATHOM_UPDATE_GOLDEN", raising=False)
    with pytest.raises(pytest.fail.Exception) as failed:
        check(wrong, folder)
    changed = [line for line in str(failed.value).splitlines() if re.match(r"[+-](?![+-])", line)]
    assert len(changed) == 2 and after in changed[0] and after not in changed[1]
    monkeypatch.setenv("FATHOM_UPDATE_GOLDEN", "1")
    check(wrong, folder)
    assert untimed(copy.read_text(encoding="utf-8")) == untimed(README.read_text(encoding="utf-8"))


def works(command, folder):
    """The command ends without an error. A server is started and stopped."""
    if "fathom serve" not in command:
        with start(command, folder, stderr=subprocess.PIPE) as process:
            errors = process.communicate(timeout=PATIENCE)[1]
        assert (process.returncode, errors) == (0, b"")
        return
    if why_no_loopback():
        pytest.skip(why_no_loopback())
    with start(command, folder, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        try:
            assert ADDRESS.fullmatch(process.stdout.readline().decode())
        finally:
            os.killpg(process.pid, signal.SIGTERM)


@pytest.mark.parametrize("command", [*NEXT, *USAGE])
def test_a_command_of_the_readme_works(command, folder):
    works(command, folder)


def test_what_the_readme_cleans_up_is_what_it_lists(folder):
    for command in re.findall(r"(?m)^\$ (.*)$", dict(RECIPES)["Clean up"]):
        shown(command, folder)
    shown("fathom apply clean.plan --execute", folder)
    gone = {name for name in FILES if not (folder / "machine" / name).exists()}
    assert gone == {name for name in FILES if {"node_modules", "target"} & set(pathlib.Path(name).parts)}
