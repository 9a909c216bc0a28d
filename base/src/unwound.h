// Unwound: the calls of this thread, found without memory and locks, for signal handlers, too.
//
// The unwinder is the one that throws exceptions (libgcc's), so it needs what is in every program
// anyway: no frame pointers, no further library. It is safe in a signal handler where it finds its
// tables by _dl_find_object(), which takes no lock: GCC 12 with glibc 2.35, and later. Before it
// asks dl_iterate_phdr(), whose lock a thread within dlopen() may hold.

#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/base/stack.h"

namespace fathom::base {

class Unwound {
 public:
  // From the caller on, without `skip` calls.
  void unwind(std::size_t skip) noexcept;

  // As Stack::frames() has them.
  [[nodiscard]] const std::uintptr_t* frames() const noexcept { return frames_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }

  // Forgets the innermost ones, of which there are as many.
  void drop(std::size_t innermost) noexcept;

  // Takes one more outer call; false: counting has ended.
  bool add(std::uintptr_t frame) noexcept;

 private:
  std::uintptr_t frames_[Stack::kMaxFrames];  // the first count_ are set
  std::size_t count_ = 0;
  std::size_t left_out_ = 0;
  std::size_t skip_ = 0;
};

}  // namespace fathom::base
