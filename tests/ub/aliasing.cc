// Reads a float as an int: the compiler may believe that nothing has written that int. Only the
// warning sees it, and only where pointer and object are that near.
//
//   asan: -
//   memcheck: -
//   warning: dereferencing type-punned pointer will break strict-aliasing rules
//   [-Werror=strict-aliasing]

int main(int argc, char**) {
  float number = static_cast<float>(argc);
  return *reinterpret_cast<int*>(&number) == 7 ? 1 : 0;
}
