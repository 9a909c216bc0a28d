// Two threads write one variable without synchronization.
//
//   asan: -
//   tsan: WARNING: ThreadSanitizer: data race

#include <thread>

int main() {
  int number = 0;
  std::thread other([&number] { ++number; });
  ++number;
  other.join();
  return number > 2 ? 1 : 0;
}
