// Two threads each free one block twice from one place, which its own free() permits, while other
// threads are kept busy.

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

// Each call is a new return address, for which GDB must stop all threads.
template <int kCalls>
static void allocate_from_many_places() {
  free(malloc(kCalls));
  if constexpr (kCalls > 1) allocate_from_many_places<kCalls - 1>();
}

static void run() {
  for (int i = 0; i < 20; ++i) release_twice(malloc(2000));
}

int main() {
  std::thread first(run);
  std::thread second(run);
  allocate_from_many_places<40>();
  first.join();
  second.join();
}
