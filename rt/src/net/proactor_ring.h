// Proactor::Ring and Proactor::Buffers: the interface to liburing.
//
// Only one thread enters a ring: the one that enables it. If the kernel does not enforce that, any
// thread may, one at a time.

#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "fathom/base/fd.h"
#include "fathom/rt/detail/fork_check.h"
#include "fathom/rt/net/proactor.h"

namespace fathom::rt {

class Proactor::Ring {
 public:
  // Throws base::SystemError with a human-readable sentence.
  explicit Ring(const Options& options);
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring();

  io_uring& get() noexcept { return ring_; }
  [[nodiscard]] bool has_feature(unsigned feature) const noexcept {
    return (ring_.features & feature) != 0;
  }

  // Whether this thread may submit and wait, now or after enable().
  [[nodiscard]] bool may_enter() const noexcept;
  // Whether this is the copy in a child of fork(), which may only close it.
  [[nodiscard]] bool in_child() const noexcept { return fork_check_.in_child(); }
  // Call before the first submission, on the submitting thread.
  void enable();
  [[nodiscard]] bool is_enabled() const noexcept { return enabled_; }

  // Submits everything prepared. Returns 0 or an errno.
  int submit() noexcept;
  // Submits and waits for a completion. Returns 0 or an errno; a time-out is not an error.
  int submit_and_wait(Duration most) noexcept;

  // Closes the ring. Returns whether the kernel has released all memory, which may take a while if
  // operations are in flight. The memory of a child of fork() is its own.
  bool close(bool in_flight) noexcept;

 private:
  void set_up(const Options& options);
  void check();
  void watch_release();

  const detail::ForkCheck fork_check_;
  io_uring ring_ = {};
  bool open_ = false;
  bool enabled_ = false;
  bool one_thread_ = false;
  std::uint64_t owner_ = 0;  // this_thread_number() of the owner
  base::Fd released_;        // one end of a pipe whose other end only the kernel holds
};

// Receive buffers from which the kernel chooses when data arrives.
class Proactor::Buffers {
 public:
  // Throws std::bad_alloc.
  Buffers(unsigned count, std::size_t bytes);
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers();

  // Registers all buffers. Returns whether the kernel accepts them.
  bool offer(io_uring& ring) noexcept;
  [[nodiscard]] std::span<const std::byte> get(unsigned number, std::size_t bytes) const noexcept;
  void give_back(unsigned number) noexcept;

 private:
  void add(unsigned number, int offset) noexcept;

  unsigned count_;
  std::size_t bytes_;
  std::size_t mapped_;
  std::byte* memory_;  // the entries, padded to whole pages, then the buffers
  std::byte* first_;
  io_uring_buf_ring* entries_;
};

}  // namespace fathom::rt
