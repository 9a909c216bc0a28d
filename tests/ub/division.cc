// Divides by zero.
//
//   gcc: SIGFPE; SIGFPE
//   clang: SIGFPE; SIGFPE
//   asan: runtime error: division by zero

int main(int argc, char**) {
  return 7 / (argc - 1);
}
