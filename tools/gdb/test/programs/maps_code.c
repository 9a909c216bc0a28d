// Copies code that allocates to memory of its own, calls it, and uses the same memory for data. Exits with 0 if the data
// stays as it is.

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { kSize = 4096 };

static void* call(void* (*function)(size_t)) { return function(77); }

static unsigned char* map(void* where, int protection) {
  unsigned char* memory = mmap(where, kSize, protection, MAP_PRIVATE | MAP_ANONYMOUS | (where ? MAP_FIXED : 0), -1, 0);
  if (memory == MAP_FAILED) abort();
  return memory;
}

int main(void) {
  unsigned char* memory = map(NULL, PROT_READ | PROT_WRITE | PROT_EXEC);
  memcpy(memory, call, 64);
  void* volatile block = ((void* (*)(void* (*)(size_t)))memory)(malloc);
  munmap(memory, kSize);
  map(memory, PROT_READ | PROT_WRITE);
  free(block);
  for (int at = 0; at < kSize; at++) {
    if (memory[at] != 0) return 2;
  }
  return 0;
}
