"""A filesystem with a listing chosen by the test, or one that never responds: a FUSE server.

Its only directory has files of 100 bytes. It is mounted where only the scan can see it.
"""

import contextlib
import ctypes
import os
import select
import struct
import subprocess
import threading

import pytest

from conftest import FATHOM, PATIENCE, environment

LOOKUP, FORGET, GETATTR, STATFS, INIT, OPENDIR, READDIR, RELEASEDIR = 1, 2, 3, 17, 26, 27, 28, 29
INTERRUPT, DESTROY, BATCH_FORGET = 36, 38, 42
ROOT = 1
NEW_NAMESPACE, PRIVATE = 0x00020000, 0x00040000 | 0x4000  # CLONE_NEWNS; MS_PRIVATE and MS_REC
ENOSYS = 38


class OddFilesystem:
    """names(offset) yields (name, next offset) of the entries from that offset.

    Without `names`, the server stops responding once the directory is open. It does not read the
    request either, because a process that waits for the reply to a request already read cannot be
    killed.
    """

    def __init__(self, folder, names):
        self.folder = folder
        self.names = names
        self.opened = threading.Event()
        try:
            self.device = os.open("/dev/fuse", os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            pytest.skip(f"FUSE is not available: {error}")

    def scan(self, *arguments):
        """Starts `fathom scan` on the folder."""
        # A namespace belongs to a thread and its children: the mount disappears with the scan.
        started = []
        thread = threading.Thread(target=lambda: started.append(self.start(arguments)))
        thread.start()
        thread.join()
        if started[0] is None:
            os.close(self.device)
            pytest.skip("mounting in a new namespace is not possible here")
        threading.Thread(target=self.serve, daemon=True).start()
        return started[0]

    def has_a_question(self):
        """Waits for a request, which will not be answered."""
        return self.opened.wait(PATIENCE) and select.select([self.device], [], [], PATIENCE)[0]

    def start(self, arguments):
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={self.device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
        if (libc.unshare(NEW_NAMESPACE) != 0
                or libc.mount(None, b"/", None, PRIVATE, None) != 0
                or libc.mount(b"odd", os.fsencode(self.folder), b"fuse", 0, options.encode()) != 0):
            return None
        return subprocess.Popen([FATHOM, "scan", *arguments, self.folder], env=environment(),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def serve(self):
        while True:
            try:
                request = os.read(self.device, 1 << 17)
            except OSError:  # unmounted: the scan has ended
                os.close(self.device)
                return
            _, operation, unique, node = struct.unpack_from("=IIQQ", request)
            if operation in (FORGET, BATCH_FORGET, INTERRUPT):
                continue
            answer = self.answer(operation, node, request[40:])
            error, body = (-ENOSYS, b"") if answer is NotImplemented else (0, answer)
            with contextlib.suppress(OSError):  # the caller is gone
                os.write(self.device, struct.pack("=IiQ", 16 + len(body), error, unique) + body)
            if operation == OPENDIR:
                self.opened.set()
                if self.names is None:
                    return

    def answer(self, operation, node, asked):
        if operation == INIT:
            return struct.pack("=IIIIHHI", 7, 19, 0, 0, 8, 8, 1 << 16)
        if operation == GETATTR:
            return struct.pack("=QII", 60, 0, 0) + attributes(node)
        if operation == LOOKUP:
            child = inode_of(asked.rstrip(b"\0"))
            return struct.pack("=QQQQII", child, 0, 60, 60, 0, 0) + attributes(child)
        if operation == OPENDIR:
            return struct.pack("=QII", 0, 0, 0)
        if operation == STATFS:
            return struct.pack("=QQQQQIIII24x", 0, 0, 0, 0, 0, 4096, 255, 4096, 0)
        if operation == READDIR:
            return self.list(*struct.unpack_from("=QI", asked, 8))
        if operation in (RELEASEDIR, DESTROY):
            return b""
        return NotImplemented

    def list(self, offset, room):
        block = b""
        for name, following in self.names(offset):
            entry = struct.pack("=QQII", inode_of(name), following, len(name), 8) + name
            entry += bytes(-len(entry) % 8)
            if len(block) + len(entry) > room:
                break
            block += entry
        return block


def inode_of(name):
    return 1000 + int(name)


def attributes(node):
    mode, size = (0o40755, 4096) if node == ROOT else (0o100644, 100)
    return struct.pack("=QQQQQQIIIIIIIIII", node, size, size // 512 + 1, 0, 0, 0, 0, 0, 0, mode, 1,
                       0, 0, 0, 4096, 0)
