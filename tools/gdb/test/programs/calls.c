// Calls each function that allocates: leaks one or a few of its blocks, and frees another.

#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>

static void leak_malloc(void) {
  for (int i = 0; i < 3; i++) malloc(100);
  free(malloc(1000));
}

static void leak_nothing_bytes(void) { malloc(0); }

static void leak_calloc(void) {
  calloc(7, 30);
  free(calloc(70, 30));
}

static void leak_posix_memalign(void) {
  void* block;
  if (posix_memalign(&block, 256, 320) != 0) abort();
  if (posix_memalign(&block, 3, 320) == 0) abort();  // no such alignment: nothing is given
  if (posix_memalign(&block, 64, 330) != 0) abort();
  free(block);
}

static void leak_aligned_alloc(void) {
  aligned_alloc(64, 640);
  free(aligned_alloc(64, 6400));
}

static void leak_memalign(void) {
  memalign(32, 77);
  free(memalign(32, 770));
}

static void leak_valloc(void) {
  valloc(88);
  free(valloc(880));
}

static void leak_pvalloc(void) {
  pvalloc(99);
  free(pvalloc(990));
}

int main(void) {
  leak_malloc();
  leak_nothing_bytes();
  leak_calloc();
  leak_posix_memalign();
  leak_aligned_alloc();
  leak_memalign();
  leak_valloc();
#ifndef WITHOUT_PVALLOC
  leak_pvalloc();
#endif
  free(NULL);
  return 0;
}
