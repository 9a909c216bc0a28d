// Adds one to the largest int. The compiler may assume that the result is larger: a comparison may
// always hold, a loop may never end.
//
//   gcc: prints -2147483648; prints -2147483648
//   clang: prints -2147483648; prints -2147483648
//   asan: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented

#include <climits>
#include <cstdio>

__attribute__((noinline)) int after(int number) {
  return number + 1;
}

int main(int argc, char**) {
  std::printf("%d\n", after(INT_MAX - argc + 1));
}
