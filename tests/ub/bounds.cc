// Reads beyond the end of an array whose size the compiler knows.
//
//   gcc: exit 1; varies
//   clang: varies; exit 1
//   asan: runtime error: index 4 out of bounds for type 'int [4]'

int main(int argc, char**) {
  const int numbers[4] = {1, 2, 3, 4};
  return numbers[3 + argc];
}
