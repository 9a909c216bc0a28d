// All forms of operators new and delete that count, for programs that link fathom::diag_memory.

#include <cstdlib>
#include <new>

#include "memory/count.h"

namespace {

using fathom::diag::MemoryCount;

// Runs before all initializers without a priority.
[[gnu::constructor(101)]] void announce() {
  MemoryCount::announce_operators();
}

constexpr std::size_t kMallocs = alignof(std::max_align_t);

void* take(std::size_t size, std::size_t alignment) noexcept {
  if (MemoryCount::counts()) [[unlikely]]
    return MemoryCount::allocate(size, alignment);
  if (size == 0) size = 1;
  if (alignment <= kMallocs) return std::malloc(size);
  void* block = nullptr;
  return ::posix_memalign(&block, alignment, size) == 0 ? block : nullptr;
}

// Calls the new-handler until there is memory, or until it throws.
void* take_or_throw(std::size_t size, std::size_t alignment) {
  for (;;) {
    if (void* const block = take(size, alignment)) [[likely]]
      return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* take_or_null(std::size_t size, std::size_t alignment) noexcept {
  try {
    return take_or_throw(size, alignment);
  } catch (...) {
    // A new-handler of the program may throw anything.
    return nullptr;
  }
}

void give_back(void* block) noexcept {
  if (MemoryCount::counts()) [[unlikely]]
    MemoryCount::leave(block);
  std::free(block);
}

}  // namespace

void* operator new(std::size_t size) {
  return take_or_throw(size, kMallocs);
}
void* operator new[](std::size_t size) {
  return take_or_throw(size, kMallocs);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return take_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return take_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return take_or_null(size, kMallocs);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return take_or_null(size, kMallocs);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take_or_null(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take_or_null(size, static_cast<std::size_t>(alignment));
}

void operator delete(void* block) noexcept {
  give_back(block);
}
void operator delete[](void* block) noexcept {
  give_back(block);
}
void operator delete(void* block, std::size_t) noexcept {
  give_back(block);
}
void operator delete[](void* block, std::size_t) noexcept {
  give_back(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  give_back(block);
}
void operator delete[](void* block, std::align_val_t) noexcept {
  give_back(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  give_back(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept {
  give_back(block);
}
void operator delete(void* block, const std::nothrow_t&) noexcept {
  give_back(block);
}
void operator delete[](void* block, const std::nothrow_t&) noexcept {
  give_back(block);
}
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  give_back(block);
}
void operator delete[](void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  give_back(block);
}
