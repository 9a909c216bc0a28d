// Crashes within malloc() while it holds a non-recursive lock, and reports allocations after that.

#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "fathom/base/atomic.h"
#include "fathom/base/crash_report.h"

extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_calloc(std::size_t count, std::size_t size);
extern "C" void* __libc_realloc(void* block, std::size_t size);
extern "C" void __libc_free(void* block);

namespace {

using namespace fathom::base;

atomic<bool> armed{false};
atomic<bool> crashed{false};

// Called when malloc() is entered again with its lock held.
void refuse_memory() {
  constexpr std::string_view kWords = "allocated in the handler\n";
  if (::write(2, kWords.data(), kWords.size()) < 0) ::_exit(98);
  ::_exit(99);
}

void enter() {
  if (crashed.load(memory_order_relaxed)) refuse_memory();
  if (!armed.load(memory_order_relaxed)) return;
  crashed.store(true, memory_order_relaxed);
  volatile int* volatile wild = reinterpret_cast<volatile int*>(16);
  *wild = 1;
}

}  // namespace

extern "C" void* malloc(std::size_t size) {
  enter();
  return __libc_malloc(size);
}
extern "C" void* calloc(std::size_t count, std::size_t size) {
  enter();
  return __libc_calloc(count, size);
}
extern "C" void* realloc(void* block, std::size_t size) {
  enter();
  return __libc_realloc(block, size);
}
extern "C" void free(void* block) {
  if (crashed.load(memory_order_relaxed)) refuse_memory();
  __libc_free(block);
}

int main() {
  report_crashes();
  armed.store(true, memory_order_relaxed);
  void* volatile block = std::malloc(10);
  std::free(block);
}
