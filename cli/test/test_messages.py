"""Messages on standard error: whatever they quote, a terminal only shows it, and shows all of it."""

import base64
import json
import re

import pytest

from conftest import dups, scan

# A title of the terminal, colours, a C1 control, a line that pretends to be a message, a reversed
# text, an invisible character, and a zero byte in the middle.
EVIL = "\x1b]0;mine\x07\x1b[31mred\u009b2J\nfathom: all is well\r\u202etxt\u200b\0end"
SHOWN = ("\\x1b]0;mine\\x07\\x1b[31mred\\u009b2J\\nfathom: all is well\\r\\u202etxt\\u200b"
         "\\x00end")
HEAD = {"schema": "fathom.dups.plan/1", "action": "hardlink", "keep": "first",
        "roots": [{"path": "/srv"}], "looked_ns": 1}


def lines(*objects):
    return "".join(json.dumps(one) + "\n" for one in objects).encode()


def is_plain(told):
    return re.fullmatch(rb"fathom: [ -~]*\n", told) is not None


@pytest.mark.parametrize("plan", [
    lines({"schema": "fathom.dups.plan/" + EVIL}),
    lines({**HEAD, EVIL: 1}),
    lines({**HEAD, "roots": [{"path": EVIL}]}),
    lines({**HEAD, "roots": [{"path": "/", "path_b64": base64.b64encode(EVIL.encode()).decode()}]}),
    lines(HEAD, {"group": 0, "do": EVIL, "path": "a"}),
    lines(HEAD, {"group": 0, "do": "keep", "root": 0, "path": EVIL, "device": 1, "inode": 1,
                 "size": 1, "mtime_ns": 1, "ctime_ns": 1}),
], ids=["schema", "key", "root", "base64", "act", "path"])
def test_a_plan_cannot_write_to_the_terminal(tmp_path, plan):
    (tmp_path / "plan").write_bytes(plan)
    refused = dups("--apply", str(tmp_path / "plan"))
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert is_plain(refused.stderr), refused.stderr


def test_a_zero_byte_does_not_cut_a_message(tmp_path):
    (tmp_path / "plan").write_bytes(lines({"schema": "fathom.dups.plan/" + EVIL}))
    told = dups("--apply", str(tmp_path / "plan")).stderr.decode()
    assert told == (f"fathom: {tmp_path / 'plan'}: line 1: the plan was made by a later version "
                    f"(fathom.dups.plan/{SHOWN})\n")


@pytest.mark.parametrize("journal", [
    lines({"schema": "fathom.dups.journal/" + EVIL}),
    lines({"schema": "fathom.dups.journal/1", "plan": "0", "action": "remove", EVIL: 1,
           "roots": [{"path": "/"}]}),
    lines({"schema": "fathom.dups.journal/1", "plan": "0", "action": "quarantine",
           "roots": [{"path": "/"}], "quarantine": "/" + EVIL}),
    lines({"schema": "fathom.dups.journal/1", "plan": "0", "action": "remove",
           "roots": [{"path": "/"}]}, {"begin": 0, "root": 0, "path": "/" + EVIL, "device": 1,
                                       "inode": 1, "size": 1, "mtime_ns": 1}),
], ids=["schema", "key", "quarantine", "path"])
def test_a_journal_cannot_write_to_the_terminal(tmp_path, journal):
    (tmp_path / "journal").write_bytes(journal)
    refused = dups("--undo", str(tmp_path / "journal"))
    assert (refused.returncode, refused.stdout) == (2, b"")
    assert is_plain(refused.stderr), refused.stderr


def test_a_name_that_a_journal_left_behind_is_shown_escaped(tmp_path):
    """A journal of another plan, whose unfinished act is in a directory with an evil name."""
    folder = tmp_path / EVIL.replace("\0", "")
    folder.mkdir()
    (folder / ".fathom-dups-0-0.new").touch()
    (tmp_path / "plan").write_bytes(b"")
    assert dups(str(folder), "--plan", str(tmp_path / "plan"), "--force").returncode == 0
    (tmp_path / "plan.journal").write_bytes(lines(
        {"schema": "fathom.dups.journal/1", "plan": "0", "action": "remove",
         "roots": [{"path": str(tmp_path)}]},
        {"begin": 0, "root": 0, "path": folder.name + "/file", "device": 1, "inode": 1, "size": 1,
         "mtime_ns": 1}))
    refused = dups("--apply", str(tmp_path / "plan"))
    assert refused.returncode == 2
    assert is_plain(refused.stderr), refused.stderr
    assert b".fathom-dups-0-0.new" in refused.stderr


@pytest.mark.parametrize("export", [
    b'[1,2,{"progname":"x"},[{"name":"' + json.dumps(EVIL)[1:-1].encode() + b'"},5]]',
    b'[1,2,{"progname":"x","' + json.dumps(EVIL)[1:-1].encode() + b'":[}]', b"\x1b[31m\xff\0"])
def test_an_export_cannot_write_to_the_terminal(export, tmp_path):
    (tmp_path / "export").write_bytes(export)
    refused = scan("--from", str(tmp_path / "export"))
    assert refused.returncode == 2
    assert is_plain(refused.stderr), refused.stderr


def test_messages_in_another_locale_are_ascii(tmp_path):
    (tmp_path / "plan").write_bytes(lines({"schema": "fathom.dups.plan/größe"}))
    told = dups("--apply", str(tmp_path / "plan"), env={"LANG": "C"}).stderr
    assert b"gr\\u00f6\\u00dfe" in told and is_plain(told)


def test_a_backslash_is_escaped_once(tmp_path):
    (tmp_path / "a\\b").mkdir()
    assert scan("-o", "missing/file", cwd=tmp_path / "a\\b").returncode == 2
    told = scan(str(tmp_path / "a\\b" / "none")).stderr
    assert b"a\\\\b/none" in told and b"a\\\\\\\\b" not in told
