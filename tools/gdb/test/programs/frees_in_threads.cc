// Two threads each free one block twice from one place, which its own free() permits, while another
// thread forks.

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <thread>

namespace {

alignas(16) char memory[1 << 20];
std::size_t used;

}  // namespace

extern "C" {
void* malloc(std::size_t size) {
  return memory + __atomic_fetch_add(&used, (size + 31) / 16 * 16, __ATOMIC_RELAXED);
}
void* calloc(std::size_t count, std::size_t size) {
  return malloc(count * size);
}
void* realloc(void* block, std::size_t size) {
  void* const to = malloc(size);
  return block == nullptr ? to : std::memcpy(to, block, size);
}
void free(void* /*block*/) {}
}

static void release_twice(void* block) {
  for (volatile int i = 0; i < 2; ++i) free(block);
}

// For each child, GDB must stop all threads.
static void fork_often() {
  for (int i = 0; i < 40; ++i) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
  }
}

static void run() {
  for (int i = 0; i < 20; ++i) release_twice(malloc(2000));
}

int main() {
  std::thread first(run);
  std::thread second(run);
  fork_often();
  first.join();
  second.join();
}
