// Adds one to the largest int. The compiler may assume that the result is larger: a comparison may
// always hold, a loop may never end.
//
//   asan: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented

#include <climits>

__attribute__((noinline)) int after(int number) {
  return number + 1;
}

int main(int argc, char**) {
  return after(INT_MAX - argc + 1) == 7 ? 1 : 0;
}
