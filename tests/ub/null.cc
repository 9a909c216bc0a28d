// Dereferences a null pointer.
//
//   gcc: SIGSEGV; SIGSEGV
//   clang: SIGSEGV; exit 7
//   asan: runtime error: load of null pointer of type 'int'

int main(int argc, char**) {
  int number = 7;
  int* pointer = argc > 1 ? &number : nullptr;
  return *pointer;
}
