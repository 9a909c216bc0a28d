"""Decides whether a block belongs to the program or to the C library, which keeps some for the lifetime of the process.

The decision depends on the exported function by which the C library was entered, and on whether that function passes
the ownership of its allocations to its caller. So it needs no debug information.
"""

from __future__ import annotations

import dataclasses
import os
import re

from fathom_leaks.frame import Stack

_C_LIBRARY = re.compile(r"(libc|ld|ld-linux[^.]*|libpthread|libdl|librt|libresolv|libnss_\w+|libnsl"
                        r"|libutil|libanl|libm)(-[0-9.]+)?\.so(\.|$)")
_RUNTIME = re.compile(r"(libstdc\+\+|libgcc_s|libc\+\+|libc\+\+abi|libunwind)\.so(\.|$)")

# The caller frees the results of these, or calls the function that does (fclose, closedir, freeaddrinfo and so on).
_GIVES_TO_CALLER = frozenset("""
    malloc calloc realloc reallocarray posix_memalign aligned_alloc memalign valloc pvalloc
    strdup strndup wcsdup asprintf vasprintf __asprintf_chk __vasprintf_chk
    getline getdelim __getdelim getwline getwdelim
    getcwd get_current_dir_name realpath __realpath_chk canonicalize_file_name tempnam
    fopen fopen64 fdopen freopen freopen64 fopencookie fmemopen open_memstream open_wmemstream tmpfile tmpfile64 popen
    setmntent opendir fdopendir scandir scandir64 scandirat glob glob64 wordexp fts_open fts64_open fts_read ftw nftw
    regcomp regexec getaddrinfo getifaddrs if_nameindex getgrouplist
    newlocale duplocale iconv_open catopen
    argz_create argz_create_sep argz_append argz_add argz_add_sep argz_insert argz_replace envz_add envz_merge
    hcreate hcreate_r tsearch __tsearch backtrace_symbols posix_spawn_file_actions_addopen
    posix_spawn_file_actions_addclose posix_spawn_file_actions_adddup2 posix_spawn_file_actions_addchdir_np
    posix_spawn_file_actions_addfchdir_np posix_spawn_file_actions_addclosefrom_np
    posix_spawn_file_actions_addtcsetpgrp_np pthread_getattr_np pthread_getattr_default_np pthread_attr_setaffinity_np
    pthread_attr_setsigmask_np __sched_cpualloc
    open_by_handle_at sem_open timer_create mq_open aio_init __obstack_begin _obstack_newchunk _obstack_begin
""".split())
# Formats can allocate ("%ms"). The name depends on the C standard for which the program is compiled.
_SCANS = re.compile(r"(__isoc(99|23)_)?v?[sf]?w?scanf")


def is_c_library(module: str | None) -> bool:
    return module is not None and _C_LIBRARY.match(os.path.basename(module)) is not None


def is_runtime(module: str | None) -> bool:
    """Whether the file is the C library or the C++ runtime."""
    return is_c_library(module) or (module is not None and _RUNTIME.match(os.path.basename(module)) is not None)


def cut(stack: Stack, depth: int) -> Stack:
    """The stack as it is recorded with that depth. The function of the program that called the libraries always
    remains: without it, the owner of a block would be unknown."""
    caller = next((at for at, frame in enumerate(stack.frames) if at > 0 and not is_runtime(frame.module)), 0)
    end = max(depth, caller + 1) if caller > 0 else len(stack.frames)
    return dataclasses.replace(stack, frames=stack.frames[:end], whole=False) if end < len(stack.frames) else stack


def without_nonsense(stack: Stack) -> Stack:
    """Drops invalid frames: the dynamic linker's first function has no caller, but GDB unwinds beyond it."""
    frames = stack.frames
    end = len(frames)
    while end > 0 and frames[end - 1].module is None:
        end -= 1
    begun_there = end > 0 and os.path.basename(frames[end - 1].module or "").startswith("ld-")
    if not begun_there or end == len(frames):
        return stack
    return dataclasses.replace(stack, frames=frames[:end], whole=True)


def is_without_program(stack: Stack) -> bool:
    """Whether the stack contains no function of the program, as before main and at the end of a thread."""
    return stack.whole and bool(stack.frames) and all(is_runtime(frame.module) for frame in stack.frames)


def is_librarys_own(stack: Stack) -> bool:
    """Whether a block with this stack belongs to the C library. The first frame is the allocator's function."""
    if is_without_program(stack):
        return True
    entry = None
    for frame in stack.frames[1:]:
        if not is_c_library(frame.module):
            break
        entry = frame
    if entry is None:
        return False
    names = stack.entered or entry.exports or ((entry.function,) if entry.function else ())
    return not any(name in _GIVES_TO_CALLER or _SCANS.fullmatch(name) for name in names)
