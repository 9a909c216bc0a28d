// break_when(): stops in the debugger when the program exceeds a limit.
//
// The thread that exceeds it prints a line on standard error and raises SIGTRAP. A debugger stops
// there, in the allocation or in the wait, and can continue the program. Without a debugger the
// signal ends the program, with a core dump if core dumps are enabled; report_crashes() then adds
// the stack. A program with its own handler of SIGTRAP continues after it.
//
//   diag::count_memory();
//   diag::Break on_tree = diag::break_when(diag::MemoryLimit{.tag = "tree", .bytes = 64 << 20});
//   diag::Break on_queue = diag::break_when(diag::WaitLimit{.lock = "queue", .time = 10ms});
//
//   break: tag 'tree' has 67174400 live bytes, more than 67108864 (thread 1234 walker/1)
//
// Each fires once, until it is armed again. Without any, they cost nothing measurable: memory is
// compared with its limit when a thread publishes its sums (MemoryOptions::peak_grain), and a lock
// looks at its limit only in a thread that has to wait.

#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include "fathom/diag/break_limit.h"

namespace fathom::diag {

// When the live bytes of a tag exceed the limit. Each thread may be late by peak_grain, the bytes
// that it may allocate before it publishes them. If the limit is already exceeded, it fires at the
// next allocation that is published.
struct MemoryLimit {
  const char* tag = nullptr;  // as of a MemoryScope: a literal; null: of all memory that is counted
  std::uint64_t bytes = 0;
};

// When a thread has waited longer for a ProfiledMutex with this name, whether it exists already or
// not. It fires during the wait, so that a debugger finds the thread that holds the mutex. A wait
// that began before is examined when it ends.
struct WaitLimit {
  std::string_view lock;
  std::chrono::nanoseconds time{0};
};

// Armed from its construction to its destruction, or until it fires. All functions are thread-safe,
// and may be called by a handler of SIGTRAP.
class [[nodiscard]] Break {
 public:
  Break(Break&& other) noexcept
      : limit_(std::exchange(other.limit_, nullptr)), value_(other.value_) {}
  Break& operator=(Break&&) = delete;
  Break(const Break&) = delete;
  Break& operator=(const Break&) = delete;
  ~Break() {
    if (limit_ != nullptr) limit_->give_up();
  }

  // Lets it fire once more.
  void rearm() noexcept { limit_->arm(value_); }
  // How often it has fired.
  [[nodiscard]] std::uint64_t times() const noexcept { return limit_->times(); }

 private:
  friend Break break_when(MemoryLimit limit);
  friend Break break_when(WaitLimit limit);
  Break(BreakLimit& limit, std::int64_t value) noexcept : limit_(&limit), value_(value) {
    limit.arm(value);
  }

  BreakLimit* limit_;   // lives as long as the program; null: moved from
  std::int64_t value_;  // bytes or nanoseconds
};

// Both throw std::logic_error if there is a Break for this tag or lock already. The first also
// throws std::logic_error if memory is not counted, and std::length_error if the tag is one too
// many to be counted alone; the second std::invalid_argument if the time is negative or the name
// empty, and std::bad_alloc.
Break break_when(MemoryLimit limit);
Break break_when(WaitLimit limit);

}  // namespace fathom::diag
