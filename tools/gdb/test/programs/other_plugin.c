// A library of which every byte counts, to be loaded where another one was: sum() covers the first 800 bytes of code, in
// which other libraries of a single function have theirs.

#include <stdint.h>

uint64_t sum(void);

__asm__(".globl sum\n"
        ".type sum, @function\n"
        "sum: xor %eax, %eax\n"
        ".rept 64\n"
        "movabs $0x0101010101010101, %rcx\n"
        "add %rcx, %rax\n"
        ".endr\n"
        "ret\n"
        ".size sum, . - sum\n");
