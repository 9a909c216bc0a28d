"""The exact output of reports: see golden/.

FATHOM_UPDATE_GOLDEN=1 rewrites those files; check the differences before you commit them. The trees
have the same sizes on every filesystem: files are holes, and no report counts folders. Where that is
not enough, the tree is golden/facts.json, an export.
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

from conftest import FATHOM, PATIENCE, can_mount, environment, on_terminal, scan, width

GOLDEN = pathlib.Path(__file__).parent / "golden"
REPORTS = ["--largest-files", "6", "--extensions", "--empty-dirs", "--symlinks", "--errors",
           "--stats", "--histogram"]
OPTIONS = ["--apparent-size", "--color", "never", "-j", "1", "project", "missing"]
PLAIN = {"TZ": "UTC"}
YEAR = 365 * 24 * 3600


@pytest.fixture
def project(tmp_path):
    """The parent folder of `project`, with names that are long, need escapes or have wide letters."""
    root = tmp_path / "project"
    long = root / "a rather long name of a folder" / "and another one that is not short either"
    for folder in (root, long, root / "empty", root / "大きなファイル"):
        folder.mkdir(parents=True)
    sizes = {
        root / "video.MKV": 5_000_000_000,
        root / "no extension": 0,
        long / "with a name that goes on and on until no line has room for it.tar.gz": 123_456_789,
        root / "大きなファイル" / "ファイル.txt": 20_000,
        root / "newline\nand \x1b[2J.txt": 4096,
        root / "e\u0301.txt": 17,
    }
    for age, (path, size) in enumerate(sizes.items()):
        with open(path, "wb") as file:
            file.truncate(size)
        os.utime(path, (0, age * YEAR))
    (root / "link").symlink_to("video.MKV")
    (root / "dangling").symlink_to("a/target that is so long that it must be cut/somewhere/else")
    for name in ("empty", "link", "dangling"):
        os.utime(root / name, (0, 1_000_000_000), follow_symlinks=False)
    return tmp_path


def assert_golden(name, text):
    path = GOLDEN / name
    if os.environ.get("FATHOM_UPDATE_GOLDEN") == "1":
        path.write_bytes(text.encode())
    assert text == path.read_bytes().decode()  # as bytes: line ends matter


@pytest.mark.parametrize("columns", [40, 80, 120, 200])
def test_reports_are_fitted_to_the_terminal(project, columns):
    code, shown = on_terminal(*REPORTS, *OPTIONS, columns=columns, env=PLAIN, cwd=project)
    assert code == 1
    shown = "".join(line for line in shown.splitlines(keepends=True)
                    if not line.startswith("fathom: "))  # the lines of standard error
    results = [line for line in shown.splitlines() if not line.startswith("Sizes are lower bounds:")]
    assert max(map(width, results)) <= columns
    assert_golden(f"terminal-{columns}.txt", shown)


@pytest.mark.parametrize("columns", ["40", "200"])
def test_reports_are_complete_in_a_pipe_whatever_columns_says(project, columns):
    scanned = scan(*REPORTS, *OPTIONS, env={**PLAIN, "COLUMNS": columns}, cwd=project)
    assert_golden("pipe.txt", scanned.stdout.decode())


def test_reports_are_ascii_in_an_ascii_locale(project):
    _, shown = on_terminal("--largest-files", "1", "--apparent-size", "--color", "never",
                           "project/a rather long name of a folder", columns=40,
                           env={**PLAIN, "LANG": "C"}, cwd=project)
    assert_golden("ascii-40.txt", shown)


@pytest.fixture
def nasty(tmp_path):
    """A tree with wide, combining and hostile names, and directories with a single entry."""
    root = tmp_path / "nasty"
    sizes = {
        "chain/of/single/folders/file": 400_000,
        "大きなファイルのフォルダ/もう一つの大きなフォルダ/ファイルその一.txt": 3_000_000,
        "大きなファイルのフォルダ/ファイル.txt": 1_000_000,
        "combi\u0301ning/e\u0301\u0302\u0303": 700_000,
        "\u05e9\u05dc\u05d5\u05dd/\u202egnp.exe": 600_000,
        "new\nline/\x1b[2J\x07": 500_000,
        "👩\u200d👧 family/photo": 450_000,
        "small/" + "a long name, " * 12 + "end": 3,
        "small/b": 2,
    }
    for name, size in sizes.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        with open(root / name, "wb") as file:
            file.truncate(size)
    with open(os.fsencode(root) + b"/not \xff utf-8", "wb") as file:
        file.truncate(350_000)
    (root / "link").symlink_to("small")
    os.mkfifo(root / "pipe")
    return tmp_path


# Folders have different sizes on other filesystems, so the sums exclude them.
TREE_VIEW = ["--tree", "--apparent-size", "--type", "f,l,o", "--color", "never", "-j", "1", "nasty"]


def exported(folder):
    """An export of the tree of `nasty`, in which everything is of root and of 1 January 2020."""
    export = scan("--format", "ncdu", "nasty", cwd=folder).stdout
    export = re.sub(rb'"uid":\d+', b'"uid":0', re.sub(rb'"mtime":\d+', b'"mtime":1577880000', export))
    export = export.replace(os.fsencode(folder / "nasty"), b"nasty")
    (folder / "export").write_bytes(export)
    return ["--from", "export", *TREE_VIEW[:-3]]


@pytest.mark.parametrize("columns", [40, 80, 120, 200])
def test_the_tree_view_is_fitted_to_the_terminal(nasty, columns):
    options = exported(nasty) if columns >= 120 else TREE_VIEW
    code, shown = on_terminal(*options, columns=columns, env=PLAIN, cwd=nasty)
    assert code == 0
    tree_view = shown.split("\n\n")[0]  # notes follow
    assert max(map(width, tree_view.splitlines())) <= columns
    assert_golden(f"tree-view-{columns}.txt", tree_view + "\n")


@pytest.mark.parametrize("name, options", [
    ("tree-view-name", ["--sort", "name", "--depth", "1"]),
    ("tree-view-count", ["--sort", "count", "--top", "6"]),
], ids=lambda value: value if isinstance(value, str) else "")
def test_the_tree_view_is_in_the_requested_order(nasty, name, options):
    tree_view = scan(*TREE_VIEW, *options, cwd=nasty).stdout.decode().split("\n\n")[0]
    assert_golden(f"{name}.txt", tree_view + "\n")


def test_plain_text_has_one_fact_per_line(nasty):
    options = ["--plain", "--top", "5", "--largest-files", "9", "--empty-dirs", "--symlinks"]
    code, shown = on_terminal(*options, *TREE_VIEW, "missing", env={**PLAIN, "NO_COLOR": None},
                              columns=40, cwd=nasty)
    assert code == 1
    piped = scan(*options, *TREE_VIEW, "missing", env=PLAIN, cwd=nasty).stdout.decode()
    assert not re.search("[\x1b\r█─│≥…]", shown)
    said = "".join(line for line in shown.splitlines(keepends=True)
                   if not line.startswith("fathom: "))
    assert "Not found: 1 path to scan.\n" in piped  # on a terminal, a message reports it
    assert said == piped.replace("Not found: 1 path to scan.\n", "")
    assert_golden("plain.txt", re.sub(r"Modified: .*", "Modified: now", piped))


# ---- The default view, of the same /usr at several sizes of the terminal

MIB = 1 << 20
USERS = {"root": 0, "other": 4000000001}


def made_up_usr():
    """An export of a /usr with a deep SDK, chains of directories, sparse files and many small ones."""
    inodes = iter(range(10, 100_000))

    def entry(name, size=4096, disk=None, user="root", days=400):
        return {"name": name, "asize": size, "dsize": size if disk is None else disk, "dev": 1,
                "ino": next(inodes), "uid": USERS[user], "gid": 0,
                "mtime": 1_700_000_000 - days * 86_400}

    def files(sizes, **facts):
        return [entry(name, round(mib * MIB), **facts) for name, mib in sizes.items()]

    def folder(name, *inside, **facts):
        return [entry(name, **facts), *inside]

    def many(number, mib, **facts):
        return [entry(f"{number - i:03} of {number}", round(mib * MIB) + 4096 * i, **facts)
                for i in range(number)]

    sdk = folder(
        "sdk",
        folder("platform", folder("bundled", folder("python", *many(60, 3, user="other")),
                                  folder("ruby", *many(20, 4))), *many(9, 5)),
        folder("bin", *files({"kubectl": 260, "kubectl.old": 240, "anthos": 120}, days=30)),
        folder("lib", folder("surface", *many(40, 2)), folder("third_party", *many(30, 3, days=2))))
    lib = folder(
        "lib", sdk,
        folder("x86_64-linux-gnu", *files({"libLLVM.so": 110, "libicudata.so": 30}), *many(50, 6)),
        folder("jvm", folder("java-17", folder("lib", *files({"modules": 190, "ct.sym": 9})))),
        folder("firmware", folder("vendor", *files({"blob.bin": 64}, days=2000))),
        *many(12, 1))
    share = folder("share", folder("locale", *many(80, 2)), folder("doc", *many(99, 1)),
                   folder("fonts", folder("truetype", folder("dejavu", *files({"DejaVu.ttf": 9})))))
    return [1, 2, {"progname": "fathom", "progver": "0.1.0", "timestamp": 1_700_000_000}, folder(
        "/usr", lib, share,
        folder("src", folder("linux", *many(30, 4, user="other", days=1)), user="other"),
        folder("bin", *files({"node": 94, "docker": 41}), *many(70, 2)),
        folder("local", folder("go", *many(20, 6)), folder("bin", *files({"terraform": 86}))),
        folder("include", *many(60, 1)),
        folder("games", *many(3, 0.1)), folder("empty"),
        entry("disk.img", 4 << 40, 70 * MIB, days=-9000))]  # sparse, and its date is in the future


@pytest.fixture
def usr(tmp_path):
    (tmp_path / "usr.json").write_text(json.dumps(made_up_usr()), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("rows", [24, 60])
@pytest.mark.parametrize("columns", [40, 80, 120, 200])
def test_the_default_view_is_fitted_to_the_terminal(usr, columns, rows):
    code, shown = on_terminal("--from", "usr.json", "--color", "never", columns=columns, rows=rows,
                              env=PLAIN, cwd=usr)
    assert code == 0
    lines = shown.splitlines()
    assert len(lines) == rows - 1  # and the prompt
    assert max(map(width, lines)) <= columns
    assert_golden(f"default-{columns}x{rows}.txt", untimed(shown))


def test_the_default_view_in_a_pipe_is_the_same_whatever_the_environment_says(usr):
    def piped(**env):
        return untimed(scan("--from", "usr.json", env={**PLAIN, **env}, cwd=usr).stdout.decode())

    assert piped(LINES="60") == piped()
    assert piped(LINES="5", TERM="dumb") == piped()
    assert_golden("default-pipe.txt", piped())
    assert_golden("default-plain.txt", scan("--from", "usr.json", "--plain", env=PLAIN,
                                            cwd=usr).stdout.decode().split("Time: ")[0])


FACTS = ["--from", str(GOLDEN / "facts.json")]


def untimed(text):
    """The results without the parts that differ between runs."""
    if re.search(r"(?m)^  Rate ", text):  # it can be the widest cell
        text = re.sub(r"(?<=\S) +", " ", text).replace("≥ ", "≥")
    text = re.sub(r"(?m)^(  (?:Time|Rate) +)\S.*", r"\1-", text)
    text = re.sub(r"(?m)^ +[\d.]+ \w?s +[\d,]+/s$", "    time  rate", text)  # of a headline
    return re.sub(r'"(seconds|entries_per_second)":[^,}]*', r'"\1":0', text)


@pytest.mark.parametrize("name, report", [
    ("summary", ["--summary"]),
    ("tree", ["--tree"]),
    ("largest-files", ["--largest-files", "5"]),
    ("largest-dirs", ["--largest-dirs", "5"]),
    ("recent", ["--recent", "30d"]),
    ("extensions", ["--extensions"]),
    ("empty-dirs", ["--empty-dirs"]),
    ("symlinks", ["--symlinks"]),
    ("errors", ["--errors"]),
    ("metrics", ["--metrics"]),
    ("stats", ["--stats"]),
    ("owners", ["--owners"]),
    ("ages", ["--ages"]),
    ("histogram", ["--histogram"]),
    ("all-levels", ["--largest-dirs", "5", "--all-levels"]),
], ids=lambda value: value if isinstance(value, str) else "")
def test_every_report_of_the_same_facts_is_the_same(name, report):
    code, shown = on_terminal(*FACTS, *report, "--color", "never", env=PLAIN)
    assert code == 1
    shown = "".join(line for line in shown.splitlines(keepends=True)
                    if not line.startswith("fathom: "))
    assert_golden(f"report-{name}.txt", untimed(shown))


@pytest.mark.parametrize("name, report", [
    ("largest-files", ["--largest-files", "20"]),
    ("metrics", ["--metrics"]),
], ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.parametrize("kind", ["json", "csv"])
def test_every_format_of_the_same_facts_is_the_same(name, report, kind):
    found = scan(*FACTS, *report, "--format", kind, env=PLAIN).stdout.decode()
    if kind == "json":  # one row per line, so that differences are easy to read
        found = untimed(found).replace("},{", "},\n{")
    assert_golden(f"report-{name}.{kind}", found)


# A filesystem with known numbers, a directory hidden below a mount, and a deleted file that the
# shell has open.
EXPLAINED = """
mount -t tmpfs -o size=1m,nr_inodes=100,mode=755 tmpfs mounted || exit 77
mkdir mounted/found mounted/hidden
head -c 40000 /dev/zero >mounted/found/file
mount -t tmpfs -o size=64k tmpfs mounted/hidden || exit 77
head -c 20000 /dev/zero >mounted/deleted
exec 9<mounted/deleted
rm mounted/deleted
"$@"
exit $?
"""


@pytest.mark.parametrize("name, options", [("explain", []), ("explain-verbose", ["--verbose"])],
                         ids=lambda value: value if isinstance(value, str) else "")
def test_the_explain_view_of_a_known_filesystem_is_the_same(tmp_path, name, options):
    if not can_mount():
        pytest.skip("mounting is not possible here")
    if os.sysconf("SC_PAGE_SIZE") != 4096:
        pytest.skip("the page size differs here")
    (tmp_path / "mounted").mkdir()
    ran = subprocess.run(
        ["unshare", "--mount", "sh", "-c", EXPLAINED, "sh", FATHOM, "scan", "-x", "--explain",
         *options, "mounted"], capture_output=True, cwd=tmp_path,
        env=environment(), timeout=PATIENCE, check=False)
    if ran.returncode == 77:
        pytest.skip(f"mounting is not possible here: {ran.stderr.decode()}")
    shown = ran.stdout.decode().replace(str(tmp_path), "")
    assert_golden(f"report-{name}.txt", re.sub(r"process \d+", "process 12", shown))
