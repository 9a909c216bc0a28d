// A program whose own malloc and realloc leave by longjmp if they are asked for 13 bytes. Then, as its argument says, it
// allocates "deeper" in the stack, "again" at the same place, or as a "whole", by functions that call malloc; or it
// frees a block that could not "grow".

#include <setjmp.h>
#include <stddef.h>
#include <string.h>

static char memory[1 << 20];
static size_t used;
static jmp_buf back;

void* malloc(size_t size) {
  if (size == 13) longjmp(back, 1);
  char* block = memory + used;
  used += (size + 15) / 16 * 16 + 16;
  return block;
}
void* calloc(size_t count, size_t size) { return malloc(count * size); }
void* realloc(void* block, size_t size) {
  void* to = malloc(size);
  return block == NULL ? to : memcpy(to, block, size);
}
void free(void* block) { (void)block; }

static void* volatile block;

static void allocate(size_t size) { block = malloc(size); }

static void deeper(void) {
  char volatile room[4096];  // of which this is left as it was: the return address of the call that longjmp left
  room[0] = 0;
  block = malloc(100);
}

int main(int count, char** arguments) {
  const char how = count > 1 ? arguments[1][0] : 0;
  if (setjmp(back) == 0) allocate(13);
  for (int i = 0; how == 'd' && i < 5; i++) deeper();
  if (how == 'a') allocate(50);
  if (how == 'w') block = realloc(calloc(3, 10), 20);
  if (how == 'g') {
    block = malloc(40);
    if (setjmp(back) == 0) block = realloc(block, 13);
    free(block);
  }
  return 0;
}
