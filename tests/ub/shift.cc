// Shifts by as many bits as the type has.
//
//   asan: runtime error: shift exponent 32 is too large for 32-bit type 'int'

int main(int argc, char**) {
  return argc << (31 + argc);
}
