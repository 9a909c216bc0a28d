// Uses a base object as a derived one. It seems to work if the function accesses no member, and
// crashes if the function is virtual and the base does not have it.
//
//   gcc: SIGSEGV; SIGSEGV
//   clang: SIGSEGV; SIGSEGV
//   asan: downcast of address … which does not point to an object of type 'Derived'

struct Base {
  virtual ~Base() = default;
};
struct Derived : Base {
  virtual int number() const { return 7; }
};

int main(int argc, char**) {
  Base base;
  Derived derived;
  Base* const pointer = argc > 1 ? &derived : &base;
  return static_cast<Derived*>(pointer)->number();
}
