// Allocates before, between and after two functions.

#include <stdlib.h>

__attribute__((noinline)) void phase_begins(void) { __asm__ volatile(""); }
__attribute__((noinline)) void phase_ends(void) { __asm__ volatile(""); }

int main(void) {
  void* volatile before = malloc(11);
  phase_begins();
  void* volatile between = malloc(22);
  free(before);
  void* volatile kept = malloc(33);
  free(between);
  phase_ends();
  void* volatile after = malloc(44);
  free(kept);
  (void)after;
  return 0;
}
