// Moves a block of 100 bytes, after an attempt that fails, and uses its old place for another one.

#include <stdint.h>
#include <stdlib.h>

int main(void) {
  void* volatile block = malloc(100);
  void* volatile beyond = malloc(1);  // so that the block cannot grow where it is
  if (realloc(block, SIZE_MAX / 2) != NULL) return 1;
  void* volatile moved = realloc(block, 5000);
  void* volatile other = malloc(90);
  if (other != block) return 2;
  free(other);
  free(beyond);
  free(moved);
  return 0;
}
