// Reads a float as an int: the compiler may assume that no int was written. Only the warning finds
// it, and only if pointer and object are this close to each other.
//
//   asan: -
//   memcheck: -
//   warning: dereferencing type-punned pointer will break strict-aliasing rules
//   [-Werror=strict-aliasing]

int main(int argc, char**) {
  float number = static_cast<float>(argc);
  return *reinterpret_cast<int*>(&number) == 7 ? 1 : 0;
}
