"""Files that are replaced as a whole: if a write fails, the old content stays."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from pathlib import Path


def write(path: Path, data: str | bytes) -> None:
    """Replaces the file that the path leads to, atomically, and keeps its mode. A pipe or device is written to. Raises
    OSError."""
    encoded = data.encode() if isinstance(data, str) else data
    if path.exists() and not path.is_file():
        path.write_bytes(encoded)
        return
    file = path.resolve()
    draft = file.with_name(f".{secrets.token_hex(8)}.new")
    try:
        with open(draft, "xb") as opened:
            opened.write(encoded)
            opened.flush()
            os.fsync(opened.fileno())
        if file.exists():
            shutil.copymode(file, draft)
        os.replace(draft, file)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
