// Converts a number to int that is too large for an int. -fsanitize=undefined does not include this
// check; a separate flag does.
//
//   gcc: prints -2147483648; prints -2147483648
//   clang: prints -2147483648; prints -2147483648
//   asan: -
//   float: runtime error: 1e+20 is outside the range of representable values of type 'int'

#include <cstdio>

__attribute__((noinline)) int rounded(double number) {
  return static_cast<int>(number);
}

int main(int argc, char**) {
  std::printf("%d\n", rounded(1e20 * argc));
}
