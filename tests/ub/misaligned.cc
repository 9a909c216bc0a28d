// Reads an int from a misaligned address.
//
//   gcc: exit 49; exit 49
//   clang: exit 49; exit 49
//   asan: runtime error: load of misaligned address … for type 'const int'

int main(int argc, char**) {
  alignas(4) const char bytes[12] = "0123456789";
  return *reinterpret_cast<const int*>(bytes + argc);
}
