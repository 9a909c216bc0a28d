// Heap: operator new and delete with the addresses of a scenario.

#include "model/heap.h"

#include <cstddef>
#include <cstdlib>
#include <new>

#include "model/checker.h"

namespace fathom::model {

// The header of each block that the program allocates, except over-aligned ones, whose addresses no
// scenario compares.
struct alignas(std::max_align_t) Block {
  static void* allocate(std::size_t size) {
    const std::size_t whole =
        sizeof(Block) + (size + sizeof(Block) - 1) / sizeof(Block) * sizeof(Block);
    Block* block = Heap::own_ ? nullptr : take_freed(whole);
    if (block == nullptr) block = static_cast<Block*>(std::malloc(whole));
    if (block == nullptr) throw std::bad_alloc();
    block->whole = whole;
    return block + 1;
  }

  static void free(void* memory) noexcept {
    if (memory == nullptr) return;
    Block* const block = static_cast<Block*>(memory) - 1;
    if (Heap::own_) {
      std::free(block);
      return;
    }
    // The allocator orders the two lifetimes of the memory, which the checker cannot see.
    forget(memory, block->whole - sizeof(Block));
    block->next = freed;
    freed = block;
  }

  static Block* take_freed(std::size_t whole) noexcept {
    for (Block** at = &freed; *at != nullptr; at = &(*at)->next) {
      if ((*at)->whole == whole) return std::exchange(*at, (*at)->next);
    }
    return nullptr;
  }

  std::size_t whole;  // including this header
  Block* next;        // in the list of freed blocks
  inline static Block* freed = nullptr;
};

void Heap::end_run() noexcept {
  while (Block::freed != nullptr) std::free(std::exchange(Block::freed, Block::freed->next));
}

}  // namespace fathom::model

using fathom::model::Block;

void* operator new(std::size_t size) {
  return Block::allocate(size);
}
void operator delete(void* memory) noexcept {
  Block::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  Block::free(memory);
}
