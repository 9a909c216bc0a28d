// Converts a number to int that is too large for an int. -fsanitize=undefined does not include this
// check; a separate flag does.
//
//   asan: -
//   float: runtime error: 1e+20 is outside the range of representable values of type 'int'

__attribute__((noinline)) int rounded(double number) {
  return static_cast<int>(number);
}

int main(int argc, char**) {
  return rounded(1e20 * argc) == 7 ? 1 : 0;
}
