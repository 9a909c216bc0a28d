import os
import stat
import subprocess
import sys

import pytest

from fathom_lab import whole_file


def test_the_content_is_replaced_and_the_mode_kept(tmp_path):
    file = tmp_path / "page"
    file.write_text("before")
    file.chmod(0o640)
    whole_file.write(file, "after")
    assert file.read_text() == "after" and stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [file]


def test_what_cannot_be_written_leaves_the_old_content(tmp_path):
    """Less fits than the file is to contain, as on a full disk."""
    file = tmp_path / "page"
    file.write_text("before")
    code = "import sys; from pathlib import Path; from fathom_lab import whole_file; import resource, signal; " \
           "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)); " \
           "whole_file.write(Path(sys.argv[1]), 'x' * 100_000)"
    ran = subprocess.run([sys.executable, "-c", code, file], capture_output=True, check=False)
    assert ran.returncode == 1 and b"OSError" in ran.stderr
    assert file.read_text() == "before" and list(tmp_path.iterdir()) == [file]


def test_a_link_stays_and_its_target_is_replaced(tmp_path):
    (tmp_path / "target").write_text("before")
    (tmp_path / "link").symlink_to("target")
    whole_file.write(tmp_path / "link", b"after")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "target").read_bytes() == b"after"


@pytest.mark.parametrize("data", ["text", b"bytes"])
def test_a_pipe_is_written_to(tmp_path, data):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        whole_file.write(tmp_path / "pipe", data)
        assert os.read(reader, 100) in (b"text", b"bytes")
    finally:
        os.close(reader)
