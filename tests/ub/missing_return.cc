// Reaches the end of a function that must return a value.
//
//   gcc: exit 0; exit 255
//   clang: SIGILL; exit 255
//   asan: execution reached the end of a value-returning function without returning a value
//   warning: control reaches end of non-void function [-Werror=return-type]

__attribute__((noinline)) int sign(int number) {
  if (number > 0) return 1;
  if (number < 0) return -1;
}

int main(int argc, char**) {
  return sign(argc - 1);
}
