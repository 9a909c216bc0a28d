"""Other programs, if they are installed, find the same duplicates."""

import json
import os
import random
import shutil
import subprocess

import pytest

from conftest import dups


def groups_of_fathom(root):
    found = json.loads(dups("--format", "json", "--empty", root).stdout)
    return {tuple(sorted(group["paths"])) for group in found["groups"]}


def one_name_each(groups):
    """The groups, with only the smallest name of each inode."""
    result = set()
    for group in groups:
        names = {}
        for name in sorted(group):
            status = os.lstat(name)
            names.setdefault((status.st_dev, status.st_ino), name)
        if len(names) > 1:
            result.add(tuple(sorted(names.values())))
    return result


def groups_of_jdupes(root):
    done = subprocess.run(["jdupes", "--recurse", "--quiet", "--hardlinks", "--zeromatch", root],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return one_name_each(block.split("\n") for block in os.fsdecode(done.stdout).strip().split("\n\n") if block)


def groups_of_fclones(root):
    done = subprocess.run(["fclones", "group", "--min", "0", "--hidden", "--no-ignore", "--match-links",
                           "--format", "json", root],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return one_name_each(group["files"] for group in json.loads(done.stdout)["groups"])


PEERS = {"jdupes": groups_of_jdupes, "fclones": groups_of_fclones}


@pytest.fixture(name="peer", params=PEERS)
def fixture_peer(request):
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    return PEERS[request.param]


def test_another_program_finds_the_same_in_a_generated_tree(peer, tmp_path):
    chance = random.Random(1)
    for number in range(400):
        folder = tmp_path / str(chance.randrange(10)) / ".hidden" if number % 7 == 0 else tmp_path / "plain"
        folder.mkdir(parents=True, exist_ok=True)
        size = chance.choice([0, 1, 100, 4096, 5000, 70_000])
        content = bytearray(random.Random(chance.randrange(4)).randbytes(size))
        if content and chance.random() < 0.3:
            content[chance.randrange(size)] ^= 1
        file = folder / f"file {number}"
        file.write_bytes(content)
        if number % 11 == 0:
            os.link(file, folder / f"link {number}")
    mine = groups_of_fathom(str(tmp_path))
    assert len(mine) > 10
    assert peer(str(tmp_path)) == mine


def test_another_program_finds_the_same_in_usr(peer):
    root = "/usr/include" if os.environ.get("FATHOM_TEST_SMALL") else "/usr/share"
    if not os.path.isdir(root):
        pytest.skip(f"{root} does not exist")
    assert peer(root) == groups_of_fathom(root)
