// Reads a float as an int: the compiler may assume that no int was written. Only the warning finds
// it, and only if pointer and object are this close to each other.
//
//   gcc: prints 1065353216; prints 1065353216
//   clang: prints 1065353216; prints 1065353216
//   asan: -
//   memcheck: -
//   warning: dereferencing type-punned pointer will break strict-aliasing rules
//   [-Werror=strict-aliasing]

#include <cstdio>

int main(int argc, char**) {
  float number = static_cast<float>(argc);
  std::printf("%d\n", *reinterpret_cast<int*>(&number));
}
