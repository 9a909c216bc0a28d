// Makes an int of a number that is too large for one. -fsanitize=undefined does not ask for this; a
// flag of its own does.
//
//   asan: -
//   float: runtime error: 1e+20 is outside the range of representable values of type 'int'

__attribute__((noinline)) int rounded(double number) {
  return static_cast<int>(number);
}

int main(int argc, char**) {
  return rounded(1e20 * argc) == 7 ? 1 : 0;
}
