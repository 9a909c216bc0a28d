// Allocations: operators new and delete that count, for this test program.

#include "allocations.h"

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <utility>

#include "fathom/base/atomic.h"

namespace fathom::rt {
namespace {

base::atomic<std::size_t> alive_count{0};
thread_local const std::function<void()>* hooked = nullptr;
thread_local bool refused = false;

void* allocate(std::size_t size) {
  if (hooked != nullptr) (*std::exchange(hooked, nullptr))();
  // No malloc() grants more, but that of AddressSanitizer ends the program instead of saying so.
  const bool possible = size <= std::numeric_limits<std::ptrdiff_t>::max() && !refused;
  void* const memory = possible ? std::malloc(size == 0 ? 1 : size) : nullptr;
  if (memory == nullptr) throw std::bad_alloc();
  alive_count.fetch_add(1, base::memory_order_relaxed);
  return memory;
}

void deallocate(void* memory) noexcept {
  if (memory != nullptr) alive_count.fetch_sub(1, base::memory_order_relaxed);
  std::free(memory);
}

}  // namespace

std::size_t Allocations::alive() {
  return alive_count.load(base::memory_order_relaxed);
}

Allocations::Hook::Hook(const std::function<void()>& function) {
  hooked = &function;
}
Allocations::Hook::~Hook() {
  hooked = nullptr;
}

Allocations::Refusal::Refusal() {
  refused = true;
}
Allocations::Refusal::~Refusal() {
  refused = false;
}

}  // namespace fathom::rt

void* operator new(std::size_t size) {
  return fathom::rt::allocate(size);
}
void* operator new[](std::size_t size) {
  return fathom::rt::allocate(size);
}
// libstdc++'s own, which sanitizers replace, would not count what operator delete then does.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return fathom::rt::allocate(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept {
  fathom::rt::deallocate(memory);
}
void operator delete[](void* memory) noexcept {
  fathom::rt::deallocate(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  fathom::rt::deallocate(memory);
}
void operator delete[](void* memory, std::size_t /*size*/) noexcept {
  fathom::rt::deallocate(memory);
}
