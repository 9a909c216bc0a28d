// An uninitialised bool can be true and false at the same time: each test may read other bits of
// it.
//
//   gcc: exit 7; exit 0
//   clang: exit 0; exit 0
//   asan: runtime error: load of value 190, which is not a valid value for type 'bool'
//   memcheck: Conditional jump or move depends on uninitialised value(s)
//   msan: WARNING: MemorySanitizer: use-of-uninitialized-value

#include <cstdlib>

int main() {
  const bool* const flag = static_cast<bool*>(std::malloc(sizeof(bool)));
  if (flag == nullptr) return 2;
  int answers = 0;
  if (*flag) answers += 1;
  if (!*flag) answers += 2;
  return answers == 3 ? 7 : 0;
}
