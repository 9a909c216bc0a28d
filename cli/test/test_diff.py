"""`fathom diff`: what changed between two snapshots, against du and against what the test did."""

import csv
import io
import json
import os
import random
import re
import shutil
import subprocess

import pytest

import schemas
from conftest import FATHOM, PATIENCE, can_mount, command_on_terminal, environment, run, sentence_of, width
from test_snapshot import age, du, keep, make_later, names_in

ZERO = {"created": 0, "grown": 0, "removed": 0, "shrunk": 0, "moved_in": 0, "moved_out": 0, "reattributed": 0}


class Place:
    """A tree and a store beside it."""

    def __init__(self, folder):
        self.root = folder / "srv"
        self.root.mkdir()
        self.store = folder / "store"
        self.before = self.gone = 0  # bytes
        self.first = self.second = ""  # names of snapshots

    def write(self, name, size):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
        return path

    def keep(self, *options, **how):
        return keep(self.root, "--store", self.store, *options, **how)

    def call(self, *arguments, **options):
        return run("diff", "--store", os.fspath(self.store), *map(os.fspath, arguments), **options)

    def diff(self, *arguments, code=0, **options):
        ran = self.call("--format", "json", *arguments, **options)
        assert (ran.returncode, ran.stderr) == (code, b"")
        return json.loads(ran.stdout)

    def refusal(self, *arguments):
        return sentence_of(self.call(*arguments))

    def blocks(self, name):
        return (self.root / name).lstat().st_blocks * 512


@pytest.fixture
def place(tmp_path):
    """Two snapshots: a file grew and one shrank, one is new in a new directory, one is gone."""
    place = Place(tmp_path)
    place.write("logs/app.log", 10_000)
    place.write("logs/old.log", 300_000)
    place.write("data/a/b/table", 900_000)
    place.write("data/gone", 50_000)
    place.before = du(place.root)
    place.gone = place.blocks("data/gone")
    place.first = place.keep()
    place.write("logs/app.log", 2_000_000)
    place.write("logs/old.log", 100_000)
    place.write("new/deep/file", 700_000)
    (place.root / "data" / "gone").unlink()
    place.second = place.keep()
    return place


def balanced(told):
    balance = dict(told["balance"])
    total = balance.pop("total")
    assert set(balance) == set(ZERO)
    gained = balance["created"] + balance["grown"] + balance["moved_in"]
    lost = balance["removed"] + balance["shrunk"] + balance["moved_out"]
    return total == gained - lost + balance["reattributed"] == told["after"] - told["before"]


# ---- What changed

def test_the_last_two_snapshots_are_compared(place):
    told = place.diff()
    assert (told["before"], told["after"]) == (place.before, du(place.root))
    assert balanced(told)
    assert told["from"]["id"].startswith(place.first.split("-")[1])
    assert told["to"]["id"].startswith(place.second.split("-")[1])
    assert told["from"]["roots"] == [{"path": str(place.root)}]
    assert {entry["path"]: entry["change"] > 0 for entry in told["changed"]} == {
        f"{place.root}/logs/app.log": True, f"{place.root}/logs/old.log": False}
    [new] = told["created"]
    assert (new["path"], new["kind"], new["after"]) == (f"{place.root}/new", "directory", du(place.root / "new"))
    [gone] = told["removed"]
    assert (gone["path"], gone["before"], gone["after"]) == (f"{place.root}/data/gone", place.gone, 0)
    assert told["counts"] | {"dirs": 0} == {"dirs": 0, "moves": 0, "changed": 2, "created": 1, "removed": 1}


def test_directories_have_their_changes(place):
    dirs = {row["path"].removeprefix(str(place.root)): row for row in place.diff()["dirs"]}
    assert set(dirs) == {"", "/logs", "/data", "/new", "/new/deep"}
    assert dirs["/new"]["state"] == "created" and dirs["/logs"]["state"] == "kept"
    assert dirs["/logs"]["after"] == du(place.root / "logs")
    for row in dirs.values():
        assert balanced({**row, "balance": {key: row[key] for key in ZERO} | {"total": row["change"]}})
    changes = [abs(row["change"]) for row in place.diff()["dirs"]]
    assert changes == sorted(changes, reverse=True)


def test_an_unreadable_snapshot_between_two_is_reported_once(place):
    last = place.keep()
    place.first, place.second = [age(place.store, name, days)
                                 for name, days in ((place.first, 2), (place.second, 1))]
    told = make_later(place.store, place.second)
    ran = place.call("--format", "json")
    assert (ran.returncode, ran.stderr.decode()) == (0, f"fathom: {told}\n")
    assert json.loads(ran.stdout)["from"]["id"].startswith(place.first[-8:])
    assert place.refusal(place.second) == place.refusal("@" + place.second, last) == told
    ran = place.call(place.first, last)
    assert (ran.returncode, ran.stderr) == (0, b"")
    shutil.rmtree(place.store / place.first)
    only = place.refusal()
    assert only.startswith("there is only one snapshot of ") and "1 snapshot cannot be read" in only


def test_a_path_limits_the_comparison(place):
    told = place.diff("@~1", "@latest", place.root / "logs")
    assert told["path"] == f"{place.root}/logs"
    assert told["after"] == du(place.root / "logs")
    assert [row["path"] for row in told["dirs"]] == [f"{place.root}/logs"]
    assert place.diff(place.root / "logs") == told
    assert place.diff("@~1", "@latest", f"{place.root}/logs/") == told
    gone = place.diff("@latest", "@~1", place.root / "new")
    assert (gone["before"], gone["after"]) == (du(place.root / "new"), 0)


def test_a_path_may_contain_a_file_of_the_name_that_snapshots_have(place):
    place.write("logs/meta.json", 3)
    for arguments in (["@~1", "@latest"], ["@latest"], []):
        told = place.diff(*arguments, place.root / "logs")
        assert told["path"] == f"{place.root}/logs"


def test_a_snapshot_that_lacks_a_file_is_refused_by_name(place):
    folder = place.store / place.first
    (folder / "dirs.parquet").unlink()
    for arguments in ([folder], [folder, place.store / place.second], [place.store / place.second, folder]):
        assert place.refusal(*arguments).startswith(f"{folder} is not a snapshot: "), arguments


def test_an_unreadable_snapshot_has_its_whole_id(place):
    whole = json.loads((place.store / place.first / "meta.json").read_bytes())["id"]
    (place.store / place.first / "meta.json").write_text("")
    for name in (whole, "@" + whole[:8], place.first):
        assert place.refusal(name).startswith(f"cannot read {place.store / place.first}: "), name


def test_a_snapshot_alone_is_compared_with_now(place):
    before = names_in(place.store)
    place.write("logs/app.log", 5_000_000)
    for arguments in ([place.second], ["@latest"], ["@latest", "now"], [place.store / place.second],
                      [place.second.split("-")[1][:6]]):
        told = place.diff(*arguments)
        assert told["to"]["id"] is None and balanced(told)
        assert told["after"] == du(place.root)
        assert [entry["path"] for entry in told["changed"]] == [f"{place.root}/logs/app.log"]
    assert names_in(place.store) == before


def test_now_is_scanned_with_the_options_of_the_snapshot(place):
    place.keep("--exclude", "*.log", "--tag", "without")
    told = place.diff("without")
    assert told["before"] == told["after"] and told["dirs"] == []
    assert told["notes"] == place.diff("without", "now")["notes"]
    assert not any("options" in note for note in told["notes"])
    assert any("options" in note for note in place.diff(place.second, "without")["notes"])


def test_now_is_scanned_with_the_rules_of_the_snapshot_in_any_directory(place, tmp_path):
    (tmp_path / "rules").write_text("*.log\n")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/rules").write_text("*\n")
    place.keep("--exclude-from", "rules", cwd=tmp_path)
    told = place.diff("@latest", "now", cwd=tmp_path / "elsewhere")
    assert told["before"] == told["after"] and told["dirs"] == []


def test_other_rules_in_the_same_file_are_noted(place, tmp_path):
    def noted(*arguments):
        return any("--exclude-from contained other rules" in note for note in place.diff(*arguments)["notes"])

    rules = tmp_path / "rules"
    for text in "*.log\n", "*.log\n", "table\n":
        rules.write_text(text)
        place.keep("--exclude-from", rules)
    assert [noted("@~2", "@~1"), noted(), noted("@~1", "now"), noted("@latest", "now")] == [False, True, True, False]


def test_a_tag_may_have_the_name_of_a_directory(place, tmp_path):
    place.keep("--tag", "srv")
    assert place.diff("@~1", "srv", cwd=tmp_path).get("path") is None


def of_other_host(place, name):
    """Makes it look as if a snapshot were of another host."""
    meta = place.store / name / "meta.json"
    text = meta.read_text()
    meta.write_text(text.replace(json.dumps(json.loads(text)["host"]), '"elsewhere"'))


def test_the_second_snapshot_is_of_the_series_of_the_first(place):
    of_other_host(place, place.keep("--tag", "foreign"))
    for second in "@latest", "@2100-01-01":
        told = place.diff(f"@{place.first}", second)
        assert told["to"]["id"].startswith(place.second[-8:])
    # What is named explicitly may be of any.
    told = place.diff(f"@{place.first}", "@foreign")
    assert any("different hosts" in note for note in told["notes"])
    assert place.refusal(f"@{place.first}", "@~7")


def test_sizes_can_be_apparent_ones(place):
    told = place.diff("--apparent-size")
    assert told["measure"] == "apparent_bytes" and balanced(told)
    [grown] = [entry for entry in told["changed"] if entry["path"].endswith("app.log")]
    assert (grown["before"], grown["after"]) == (10_000, 2_000_000)


def test_changes_are_summed_by_extension_and_owner(place):
    told = place.diff("--by", "ext,owner,group")
    by_extension = {row["extension"]: row for row in told["extensions"]}
    assert by_extension["log"]["change"] == sum(entry["change"] for entry in told["changed"])
    for key in ("extensions", "owners", "groups"):
        assert sum(row["change"] for row in told[key]) == told["balance"]["total"]
        assert all(row["change"] == row["added"] - row["taken"] for row in told[key])
    assert [row["id"] for row in told["owners"]] == [os.geteuid()]
    assert "owners" not in place.diff("--by", "dir,ext")


def test_moves_are_reported_where_the_filesystem_can_be_identified(place):
    (place.root / "data" / "a").rename(place.root / "moved")
    told = place.diff("@latest")
    assert balanced(told) and told["after"] == du(place.root)
    if any("no known identity" in note for note in told["notes"]):
        pytest.skip("the system does not tell the UUID of this filesystem")
    [move] = told["moves"]
    assert (move["from"], move["path"]) == (f"{place.root}/data/a", f"{place.root}/moved")


def test_a_directory_has_moved_although_a_mount_shows_another_one_in_its_place(tmp_path):
    if not can_mount():
        pytest.skip("mounts are not permitted here")
    place = Place(tmp_path)
    place.write("x/f", 100_000)
    place.write("0/g", 100)
    place.keep()
    (place.root / "x").rename(place.root / "y")
    (place.root / "x").mkdir()
    script = 'mount --bind "$1/0" "$1/x" && exec "$0" snapshot --store "$2" "$1"'
    subprocess.run(["unshare", "--mount", "sh", "-c", script, FATHOM, place.root, place.store], env=environment(),
                   check=True, timeout=PATIENCE, capture_output=True)
    told = place.diff()
    if any("no known identity" in note for note in told["notes"]):
        pytest.skip("the filesystem cannot be identified")
    assert [(move["from"], move["path"]) for move in told["moves"]] == [(f"{place.root}/x", f"{place.root}/y")]
    assert told["created"] == told["removed"] == []


def test_random_edits_balance(tmp_path):
    place = Place(tmp_path)
    rng = random.Random(25)
    for number in range(60):
        place.write(f"d{number % 7}/e{number % 3}/f{number}", rng.randrange(200_000))
    place.keep()
    for _ in range(8):
        before = du(place.root)
        for number in range(12):
            files = sorted(path for path in place.root.rglob("*") if path.is_file())
            victim = rng.choice(files)
            match number % 6:
                case 0:
                    victim.unlink()
                case 1:
                    os.truncate(victim, rng.randrange(300_000))
                case 2:
                    place.write(f"n{rng.randrange(5)}/{rng.randrange(10_000)}", rng.randrange(90_000))
                case 3:
                    os.link(victim, place.root / f"link{rng.randrange(1_000_000)}")
                case 4:
                    victim.rename(place.root / f"moved{rng.randrange(1_000_000)}")
                case 5:
                    shutil.rmtree(victim.parent) if victim.parent != place.root else victim.unlink()
        place.keep()
        told = place.diff()
        assert (told["before"], told["after"]) == (before, du(place.root))
        assert balanced(told)


# ---- Formats

def test_json_matches_its_schema(place):
    place.write(os.fsdecode(b"caf\xe9/\xff.x\xfe"), 9000)
    (place.root / "logs" / "app.log").rename(place.root / "logs" / "other.log")
    for arguments in ([], ["@latest"], ["@~1", "now", place.root / "logs", "--by", "ext,owner,group"],
                      ["@~1", "--apparent-size", "--top", "1", "--depth", "0"]):
        told = place.diff(*arguments)
        schemas.assert_described(told, "fathom.diff/1")
    told["dirs"][0]["state"] = "unknown"
    assert not schemas.is_valid(told)


def test_names_that_are_not_utf8_are_reported_exactly(place):
    place.write(os.fsdecode(b"caf\xe9/x"), 9000)
    [new] = place.diff("@latest")["created"]
    assert new["path"] == f"{place.root}/caf\ufffd" and "path_b64" in new
    assert rb"/caf\xe9/" in place.call("@latest").stdout


def test_csv_has_the_table_that_by_names(place):
    def rows(*arguments):
        ran = place.call("--format", "csv", *arguments)
        assert ran.returncode == 0
        return list(csv.DictReader(io.StringIO(ran.stdout.decode())))

    told = place.diff("--by", "ext,owner")
    assert [row["path"] for row in rows()] == [row["path"] for row in told["dirs"]]
    assert [int(row["change"]) for row in rows()] == [row["change"] for row in told["dirs"]]
    assert [row["extension"] for row in rows("--by", "ext")] == [row["extension"] for row in told["extensions"]]
    assert [int(row["id"]) for row in rows("--by", "owner")] == [os.geteuid()]
    assert len(rows("--top", "2")) == 2
    assert place.refusal("--format", "csv", "--by", "ext,dir") == (
        "option '--format csv' writes one table; name one of them with --by")


def test_depth_and_top_limit_the_lists(place):
    assert [row["path"] for row in place.diff("--depth", "0")["dirs"]] == [str(place.root)]
    told = place.diff("--top", "1")
    assert len(told["dirs"]) == len(told["changed"]) == 1
    assert told["counts"]["changed"] == 2


def test_the_lists_do_not_grow_with_the_square_of_the_depth(tmp_path):
    depth = 6000
    for size in 1, 2:
        chain = "".join(f',[{{"name":"d"}},{{"name":"f","asize":{size}}}' for _ in range(depth))
        (tmp_path / "export").write_text(f'[1,2,{{}},[{{"name":"/top"}}{chain}{"]" * (depth + 2)}')
        assert run("snapshot", "--store", str(tmp_path / "store"), "--from", str(tmp_path / "export")).returncode == 0
    ran = run("diff", "--store", str(tmp_path / "store"), "--apparent-size", "--top", "100000", "--format", "json")
    told = json.loads(ran.stdout)
    schemas.assert_described(told, "fathom.diff/1")
    listed = (4095 - len("/top/f")) // len("/d")
    assert sorted(len(row["path"]) for row in told["changed"]) == [6 + 2 * level for level in range(1, listed + 1)]
    assert told["counts"] == {"dirs": depth + 1, "moves": 0, "changed": depth, "created": 0, "removed": 0,
                              "too_long": depth - listed - 1, "too_long_entries": depth - listed}
    assert told["notes"][-1] == f"the lists leave out {depth - listed} entries with paths of more than 4095 bytes"


def test_results_can_go_to_a_file(place, tmp_path):
    ran = place.call("-o", tmp_path / "out", "--format", "json")
    assert (ran.returncode, ran.stdout) == (0, b"")
    assert json.loads((tmp_path / "out").read_bytes()) == place.diff()


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_text_fits_the_terminal(place, columns):
    for number in range(40):
        place.write(f"logs/{'long-' * 30}{number}/x", 10_000 * number)
    code, shown = command_on_terminal("diff", "--store", str(place.store), "@~1", "now", columns=columns, rows=40)
    assert code == 0
    lines = re.sub("\x1b\\[[0-9;]*m", "", shown).splitlines()
    assert max(map(width, lines)) <= columns
    assert "Changes by directory" in lines and "New" in lines
    assert any("more" in line for line in lines)


def test_the_text_is_the_same_story(place):
    text = place.call().stdout.decode()
    assert re.search(r"(?m)^\+1\.7 MiB +│█+[^ ]? +├─ logs/$", text)
    assert "Grown and shrunk\n" in text and f"{place.root}/logs/app.log\n" in text
    assert f"New\n+{du(place.root / 'new') // 1024} KiB  {place.root}/new/\n" in text
    plain = place.call("--plain").stdout.decode()
    assert "\nChanges by directory\n" in plain and "│" not in plain


def test_where_only_a_mode_changed_the_text_says_that_no_sizes_did(place):
    place.root.chmod(0o711)
    assert b"No sizes changed." in place.call("@latest").stdout


# ---- Mistakes

def test_mistakes_are_refused_with_a_sentence(place, tmp_path):
    assert "nowhere" in place.refusal("nowhere")
    assert place.refusal("@latest", "now", place.root, "x") == "at most A, B and PATH; remove 'x'"
    assert place.refusal("@latest", place.root, "now").startswith("'now' follows the PATH")
    assert str(place.root / "logs" / "app.log") in place.refusal("@~1", "@latest", place.root / "logs" / "app.log")
    assert "'--by' takes" in place.refusal("--by", "size")
    assert place.refusal("@~1", "@~7")
    assert place.refusal("@~1", "@latest", tmp_path)
    empty = tmp_path / "empty"
    empty.mkdir()
    refused = run("diff", "--store", str(empty))
    assert refused.returncode == 2 and b"empty" in refused.stderr


def test_a_path_that_is_not_compared_is_refused(place, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    both = keep(place.root, other, "--store", place.store)
    assert place.refusal(place.store / place.first, place.store / both, other) == (
        f"{other} is not compared: it is in roots that only one of the snapshots has")


def test_one_snapshot_is_not_enough_without_now(tmp_path):
    place = Place(tmp_path)
    place.write("x", 1)
    only = place.keep()
    one = f"there is only one snapshot of {place.root}, {only}; `fathom diff"
    assert place.refusal() == f"{one} @latest now` compares it with now"
    other = tmp_path / "other"
    other.mkdir()
    newer = keep(other, "--store", place.store)
    assert place.refusal() == (f"there is only one snapshot of {other}, {newer}; `fathom diff @latest now` compares it "
                               "with now")
    assert place.refusal(place.root) == f"{one} @{only} now` compares it with now"
    shutil.rmtree(place.store / newer)
    assert place.diff("@latest")["dirs"] == []


def test_what_could_not_be_read_makes_the_result_incomplete(place):
    if os.geteuid() == 0:
        pytest.skip("root can read everything")
    (place.root / "data").chmod(0)
    told = place.diff("@latest", code=1)
    (place.root / "data").chmod(0o755)
    assert told["to"]["complete"] is False and any("lower bounds" in note for note in told["notes"])


def test_a_file_without_its_end_is_refused_by_name(place):
    os.truncate(place.store / place.second / "dirs.parquet", 100)
    assert place.refusal("@~1", "@latest").startswith(f"{place.store}/{place.second}/dirs.parquet is ")
