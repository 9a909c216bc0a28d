// A program whose own calloc is assembly that does not describe its frame. GDB guesses, and takes what it pushes for its
// return address.

#include <stddef.h>

static char memory[1 << 20];
static size_t used;

void* malloc(size_t size) {
  char* block = memory + used;
  used += (size + 15) / 16 * 16 + 16;
  return block;
}
void free(void* block) { (void)block; }
void* calloc(size_t count, size_t size);

__asm__(
    ".text\n"
    ".globl calloc\n"
    ".type calloc, @function\n"
    "calloc:\n"
    "  imul %rsi, %rdi\n"
    "  sub $32, %rsp\n"
    "  lea leak_zeros+8(%rip), %rax\n"
    "  push %rax\n"
    "  call malloc@PLT\n"
    "  add $40, %rsp\n"
    "  ret\n"
    ".size calloc, . - calloc\n");

static void leak_zeros(void) { calloc(3, 70); }

int main(void) {
  leak_zeros();
  return 0;
}
