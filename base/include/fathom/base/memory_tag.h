// MemoryTag: what the calling thread allocates for, as a memory profile shows it.
//
// From construction to destruction; the innermost one counts. Costs two stores to memory of the
// thread's own, whether anybody looks or not. The name is a string literal: it is kept as a
// pointer, and read later.
//
//   void add_chunk() {
//     const MemoryTag tag("tree");
//     chunks_.push_back(std::make_unique<Chunk>());  // is memory of the tree
//   }

#pragma once

namespace fathom::base {

class MemoryTag {
 public:
  explicit MemoryTag(const char* name) noexcept : outer_(current_) { current_ = name; }
  ~MemoryTag() { current_ = outer_; }
  MemoryTag(const MemoryTag&) = delete;
  MemoryTag& operator=(const MemoryTag&) = delete;

  // The calling thread's innermost; null: none.
  [[nodiscard]] static const char* current() noexcept { return current_; }

 private:
  static constinit inline thread_local const char* current_ = nullptr;

  const char* const outer_;
};

}  // namespace fathom::base
