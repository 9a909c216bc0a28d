// Takes a base object for a derived one. It seemed to work where the function touches no member,
// and crashed where it is virtual and the base has no such entry.
//
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
