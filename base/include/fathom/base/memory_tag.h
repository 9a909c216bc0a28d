// MemoryTag: names what the calling thread allocates memory for, for a memory profile.
//
// It is in effect from its construction to its destruction; the innermost one counts. It costs two
// stores to thread-local memory, whether or not a profile is recorded. The name must be a string
// literal: only the pointer is kept, and it is read later.
//
//   void add_chunk() {
//     const MemoryTag tag("tree");
//     chunks_.push_back(std::make_unique<Chunk>());  // counted as memory of the tree
//   }

#pragma once

namespace fathom::base {

class MemoryTag {
 public:
  explicit MemoryTag(const char* name) noexcept : outer_(current_) { current_ = name; }
  ~MemoryTag() { current_ = outer_; }
  MemoryTag(const MemoryTag&) = delete;
  MemoryTag& operator=(const MemoryTag&) = delete;

  // The innermost tag of the calling thread; null if there is none.
  [[nodiscard]] static const char* current() noexcept { return current_; }

 private:
  static constinit inline thread_local const char* current_ = nullptr;

  const char* const outer_;
};

}  // namespace fathom::base
