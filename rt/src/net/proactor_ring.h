// Proactor::Ring and Proactor::Buffers: what liburing is asked for.
//
// A ring is entered by one thread: the one that enables it. Where the kernel does not insist on
// that, by any, one at a time.

#pragma once

#include <liburing.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "fathom/rt/net/proactor.h"

namespace fathom::rt {

class Proactor::Ring {
 public:
  // Throws base::SystemError, with a sentence for people.
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
  // Before the first submission, on the thread that submits.
  void enable();
  [[nodiscard]] bool is_enabled() const noexcept { return enabled_; }

  // All that has been prepared, to the kernel: 0 or an errno.
  int submit() noexcept;
  // And waits for a completion. 0 or an errno: none that says no more than that there is nothing.
  int submit_and_wait(Duration most) noexcept;

  // Ends the ring. Whether the kernel has let go of all memory, which may take a while where
  // something is in flight.
  bool close(bool in_flight) noexcept;

 private:
  void set_up(const Options& options);
  void check();
  void watch_release();

  io_uring ring_ = {};
  bool open_ = false;
  bool enabled_ = false;
  bool one_thread_ = false;
  std::uint64_t owner_ = 0;  // the number of the thread
  int released_ = -1;        // the end of a pipe whose other end only the kernel holds
};

// Buffers that the kernel chooses from when something has come.
class Proactor::Buffers {
 public:
  // Throws std::bad_alloc.
  Buffers(unsigned count, std::size_t bytes);
  Buffers(const Buffers&) = delete;
  Buffers& operator=(const Buffers&) = delete;
  ~Buffers();

  // Gives all of them to the kernel. Whether it can take them.
  bool offer(io_uring& ring) noexcept;
  [[nodiscard]] std::span<const std::byte> get(unsigned number, std::size_t bytes) const noexcept;
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void give_back(unsigned number) noexcept;

 private:
  void add(unsigned number, int offset) noexcept;

  unsigned count_;
  std::size_t bytes_;
  std::size_t mapped_;
  std::byte* memory_;  // the entries, in whole pages, then the buffers
  std::byte* first_;
  io_uring_buf_ring* entries_;
};

}  // namespace fathom::rt
