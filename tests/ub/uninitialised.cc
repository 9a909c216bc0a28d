// Branches on an uninitialised number. AddressSanitizer and UndefinedBehaviorSanitizer do not find
// it.
//
//   gcc: exit 0; exit 0
//   clang: exit 0; exit 0
//   asan: -
//   memcheck: Conditional jump or move depends on uninitialised value(s)
//   msan: WARNING: MemorySanitizer: use-of-uninitialized-value
//   warning: may be used uninitialized [-Werror=maybe-uninitialized]

#include <cstdio>

__attribute__((noinline)) int read_number(int argc) {
  int number;
  if (argc > 1) number = argc;
  return number;
}

int main(int argc, char**) {
  if (read_number(argc) == 12345) std::puts("found");
  return 0;
}
