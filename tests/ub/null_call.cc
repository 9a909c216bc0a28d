// Calls a member function on a null pointer.
//
//   gcc: exit 0; exit 1
//   clang: exit 0; exit 1
//   asan: runtime error: member call on null pointer of type 'const struct Counter'

struct Counter {
  int count = 0;
  __attribute__((noinline)) bool is_there() const { return this != nullptr; }
};

int main(int argc, char**) {
  Counter counter;
  const Counter* pointer = argc > 1 ? &counter : nullptr;
  return pointer->is_there() ? 1 : 0;
}
