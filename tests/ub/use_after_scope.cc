// Reads a variable after the end of its scope.
//
//   gcc: exit 1; varies
//   clang: exit 1; varies
//   asan: ERROR: AddressSanitizer: stack-use-after-scope

int main(int argc, char**) {
  const int* volatile kept = nullptr;
  {
    const int number = argc;
    kept = &number;
  }
  return *kept;
}
