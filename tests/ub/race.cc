// Two threads write one variable without synchronization.
//
//   gcc: varies; varies
//   clang: varies; varies
//   asan: -
//   tsan: WARNING: ThreadSanitizer: data race

#include <cstdio>
#include <thread>

int main() {
  int number = 0;
  std::thread other([&number] { ++number; });
  ++number;
  other.join();
  std::printf("%d\n", number);
}
