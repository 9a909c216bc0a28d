// Shifts by as many bits as there are.
//
//   asan: runtime error: shift exponent 32 is too large for 32-bit type 'int'

int main(int argc, char**) {
  return argc << (31 + argc);
}
