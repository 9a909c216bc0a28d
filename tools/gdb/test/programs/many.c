// Allocates and frees as often as its argument says, and leaks every tenth block, of 10 bytes.

#include <stdlib.h>

static void* allocate(void) { return malloc(10); }

int main(int count, char** arguments) {
  const int times = count > 1 ? atoi(arguments[1]) : 0;
  for (int i = 0; i < times; i++) {
    void* volatile block = allocate();
    if (i % 10 != 0) free(block);
  }
  return 0;
}
