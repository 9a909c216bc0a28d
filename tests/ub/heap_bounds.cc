// Reads beyond the end of an allocation.
//
//   gcc: exit 0; exit 0
//   clang: exit 0; exit 0
//   asan: ERROR: AddressSanitizer: heap-buffer-overflow
//   memcheck: Invalid read of size 4

#include <vector>

int main(int argc, char**) {
  const std::vector<int> numbers(4, 7);
  return numbers.data()[3 + argc];
}
