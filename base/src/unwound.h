// Unwound: the stack of this thread, found without allocating or locking, also in signal handlers.
//
// It uses the unwinder that throws exceptions (libgcc's), so it needs neither frame pointers nor
// another library. It is safe in a signal handler if the unwinder finds its tables with
// _dl_find_object(), which takes no lock: GCC 12 with glibc 2.35, and later. Older versions use
// dl_iterate_phdr(), whose lock a thread within dlopen() may hold.

#pragma once

#include <cstddef>
#include <cstdint>

#include "fathom/base/stack.h"

namespace fathom::base {

class Unwound {
 public:
  // Begins with the caller and skips `skip` frames.
  void unwind(std::size_t skip) noexcept;

  // In the format of Stack::frames().
  [[nodiscard]] const std::uintptr_t* frames() const noexcept { return frames_; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] std::size_t left_out() const noexcept { return left_out_; }

  // Drops the innermost frames. Requires at least that many.
  void drop(std::size_t innermost) noexcept;

  // Adds an outer frame. False: counting has stopped.
  bool add(std::uintptr_t frame) noexcept;

 private:
  std::uintptr_t frames_[Stack::kMaxFrames];  // the first count_ are set
  std::size_t count_ = 0;
  std::size_t left_out_ = 0;
  std::size_t skip_ = 0;
};

}  // namespace fathom::base
