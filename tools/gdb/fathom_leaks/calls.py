"""The functions that are followed, and the registers of their arguments on x86-64."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Call:
    """A function. `size` and `old` compute the requested bytes and the block to move from its arguments."""

    name: str
    arguments: int
    size: Callable[[Sequence[int]], int]
    old: Callable[[Sequence[int]], int] | None = None
    through_pointer: bool = False  # it returns an error, and stores the block where the first argument points


GIVERS = (
    Call("malloc", 1, lambda a: a[0]),
    Call("calloc", 2, lambda a: a[0] * a[1]),
    Call("realloc", 2, lambda a: a[1], old=lambda a: a[0]),
    Call("reallocarray", 3, lambda a: a[1] * a[2], old=lambda a: a[0]),
    Call("posix_memalign", 3, lambda a: a[2], through_pointer=True),
    Call("aligned_alloc", 2, lambda a: a[1]),
    Call("memalign", 2, lambda a: a[1]),
    Call("valloc", 1, lambda a: a[0]),
    Call("pvalloc", 1, lambda a: a[0]),
)

FREE = Call("free", 1, lambda a: 0)

# A program becomes another one by these functions, and by syscall with one of these numbers.
LEAVERS = ("execve", "execveat", "fexecve", "syscall")
EXECVE, EXECVEAT = 59, 322

PRCTL = 157  # its number as a system call

ARGUMENT_REGISTERS = ("$rdi", "$rsi", "$rdx")
RESULT_REGISTER = "$rax"
STACK_REGISTER = "$rsp"
FRAME_REGISTER = "$rbp"
PROGRAM_COUNTER = "$pc"
WORD = 8
