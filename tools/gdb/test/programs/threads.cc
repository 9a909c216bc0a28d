// Four threads: each leaks three blocks, frees twenty, and passes one to main, which frees it.

#include <cstdlib>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 4;
void* handed[kThreads];

void leak_in_thread() {
  for (int i = 0; i < 3; i++) static_cast<void>(std::malloc(24));
}

void work(int number) {
  for (int i = 0; i < 20; i++) {
    void* volatile block = std::malloc(100 + i);
    std::free(block);
  }
  leak_in_thread();
  void* volatile block = std::malloc(500);
  handed[number] = std::realloc(block, 5000);
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; i++) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  for (void* block : handed) std::free(block);
  return 0;
}
