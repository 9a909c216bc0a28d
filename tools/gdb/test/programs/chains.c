// Blocks that realloc moved, shrank, freed, or could not move.

#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>

static void leak_grown(void) {
  void* block = NULL;
  for (size_t size = 16; size <= 16384; size *= 4) block = realloc(block, size);  // 16 ... 16384: six times
}

static void leak_shrunk(void) {
  void* block = malloc(4000);
  block = realloc(block, 40);
  (void)block;
}

static void leak_array(void) {
  void* block = reallocarray(NULL, 10, 10);
  block = reallocarray(block, 10, 30);
  (void)block;
}

static void leak_what_could_not_grow(void) {
  void* block = malloc(123);
  if (realloc(block, PTRDIFF_MAX - 5) != NULL) abort();
  if (reallocarray(block, SIZE_MAX / 2, 8) != NULL) abort();
}

static void leak_nothing(void) {
  void* block = malloc(50);
  block = realloc(block, 5000);
  free(block);
  block = malloc(60);
  if (realloc(block, 0) != NULL) abort();  // glibc frees it
}

int main(void) {
  leak_grown();
  leak_shrunk();
  leak_array();
  leak_what_could_not_grow();
  leak_nothing();
  return 0;
}
