// Modifies a variable twice in one expression, without an order.
//
//   asan: -
//   warning: operation on 'number' may be undefined [-Werror=sequence-point]

int main(int argc, char**) {
  int number = argc;
  number = number++ + ++number;
  return number == 700 ? 1 : 0;
}
