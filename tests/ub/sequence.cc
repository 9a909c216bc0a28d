// Modifies a variable twice in one expression, without an order.
//
//   gcc: prints 6; prints 6
//   clang: prints 5; prints 5
//   asan: -
//   warning: operation on 'number' may be undefined [-Werror=sequence-point]

#include <cstdio>

int main(int argc, char**) {
  int number = argc;
  number = ++number + ++number;
  std::printf("%d\n", number);
}
