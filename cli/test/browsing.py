"""`fathom browse` on a terminal that pyte emulates.

Nothing sleeps: wait_for() reads until the screen shows what a test waits for. The terminal knows synchronized
updates (mode 2026), so a test never sees half of a frame.
"""

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte

from conftest import FATHOM, PATIENCE, environment

UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
ESCAPE, ENTER, BACKSPACE = "\x1b", "\r", "\x7f"

ASKS_FOR_UPDATES, KNOWS_UPDATES = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
BEGIN_UPDATE, END_UPDATE = b"\x1b[?2026h", b"\x1b[?2026l"


class Browsing:
    """A running browser, its screen, and the bytes that it wrote. A script with job control may run it as "$0" "$@"."""

    def __init__(self, *arguments, columns=80, rows=24, env=None, cwd=None, stdout=None, script=None):
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.written = b""
        self.shown = 0  # how many of these bytes the screen shows
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            if cwd is not None:
                os.chdir(cwd)
            if stdout is not None:
                os.dup2(stdout, 1)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            changes = {"TERM": "xterm-256color", "SHELL": "/bin/sh", **(env or {})}
            command = ["/bin/sh", "-mc", script] if script else []
            command += [FATHOM, "browse", *arguments]
            os.execve(command[0], command, environment(changes))
        self.resize(columns, rows)

    def resize(self, columns, rows):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if (self.screen.columns, self.screen.lines) != (columns, rows):
            self.screen.resize(rows, columns)

    def read(self, seconds=0.02):
        """Whether something was read, or the program has ended."""
        if not select.select([self.terminal], [], [], seconds)[0]:
            return False
        try:
            got = os.read(self.terminal, 65536)
        except OSError:  # the other side is closed
            got = b""
        if ASKS_FOR_UPDATES in self.written[-len(ASKS_FOR_UPDATES) + 1:] + got:
            os.write(self.terminal, KNOWS_UPDATES)
        self.written += got
        self.show()
        return True

    def show(self):
        """Shows what was written, but for an update that has not ended."""
        begin = self.written.rfind(BEGIN_UPDATE)
        end = max(self.shown, begin) if begin > self.written.rfind(END_UPDATE) else len(self.written)
        self.stream.feed(self.written[self.shown:end])
        self.shown = end

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self):
        return "\n".join(self.lines)

    def selected(self):
        """The row of the cursor, which begins with >."""
        return next((line for line in self.lines if line.startswith(">")), "")

    def wait_until(self, holds, what):
        limit = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < limit, f"never came: {what}\n{self.text}"
            self.read()

    def wait_for(self, text):
        self.wait_until(lambda: text in self.text, text)

    def wait_for_row(self, text):
        self.wait_until(lambda: text in self.selected(), f"row {text}")

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def agree(self, keys):
        """Presses the keys that lead to a question, and answers it once it is shown."""
        self.press(keys)
        self.wait_for("any other key: no")
        self.press("y")

    def end(self):
        """The exit code, or the negative signal, once the program has ended."""
        limit = time.monotonic() + PATIENCE
        while True:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                self.pid = 0
                while self.read(0) and self.written_more():
                    pass
                return os.waitstatus_to_exitcode(status)
            assert time.monotonic() < limit, f"does not end\n{self.text}"
            self.read()

    def written_more(self):
        before = len(self.written)
        return self.read(0) and len(self.written) > before

    def settings(self):
        return termios.tcgetattr(self.terminal)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.pid != 0:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.terminal)
