// A program with its own malloc, which the C library uses, too.

#include <stddef.h>
#include <string.h>

static char memory[1 << 20];
static size_t used;

void* malloc(size_t size) {
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

int main(void) {
  char* volatile copy = strdup("nine byte");
  void* volatile block = malloc(123);
  free(copy);
  (void)block;
  return 0;
}
