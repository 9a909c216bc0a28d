// Shifts by as many bits as the type has.
//
//   gcc: exit 1; exit 1
//   clang: exit 1; exit 1
//   asan: runtime error: shift exponent 32 is too large for 32-bit type 'int'

int main(int argc, char**) {
  return argc << (31 + argc);
}
