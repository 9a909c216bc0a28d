// Reads freed memory.
//
//   gcc: varies; varies
//   clang: varies; varies
//   asan: ERROR: AddressSanitizer: heap-use-after-free
//   memcheck: Invalid read of size 4

#include <memory>

int main(int argc, char**) {
  auto owner = std::make_unique<int>(argc);
  const int* const number = owner.get();
  owner.reset();
  return *number;
}
