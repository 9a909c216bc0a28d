// Blocks in each kind of region: the heap, with a hole of a known size; the arena of a thread; a
// mapping of its own.

#include <pthread.h>
#include <stdlib.h>

static void* in_thread(void* nothing) {
  malloc(1000);
  free(malloc(500));
  return nothing;
}

static void* in_heap(void) {
  return malloc(10000);
}

int main(void) {
  void* blocks[4];
  for (int i = 0; i < 4; i++) blocks[i] = in_heap();
  pthread_t thread;
  if (pthread_create(&thread, NULL, in_thread, NULL) != 0) abort();
  pthread_join(thread, NULL);
  free(malloc(1 << 20));
  free(blocks[1]);
  free(realloc(blocks[2], 4000));
  return 0;
}
