// SwitchLog: the context switches of one thread, as the kernel records them (perf_event_open).
//
// The kernel writes a record into a ring whenever a processor begins or ceases to run the thread;
// the thread itself does nothing. If nobody reads the ring in time, the kernel drops records, and
// says how many before the next one: those after which none follows are not counted. Times are
// those of CLOCK_MONOTONIC.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fathom/base/fd.h"
#include "timeline/switch_records.h"

namespace fathom::diag {

// What the system refused, and its errno.
struct SwitchRefusal {
  enum class Call : std::uint8_t { none, open_event, map_ring };

  Call call = Call::none;
  int error = 0;
};

class SwitchLog {
 public:
  // Of the calling thread, from now on. Null if the system refuses; `refusal` says then what. Needs
  // no privilege where kernel.perf_event_paranoid is at most 2, as the event excludes the kernel,
  // until the rings of all threads of the user exceed the memory that the system lets it lock for
  // them: kernel.perf_event_mlock_kb per processor, and RLIMIT_MEMLOCK on top.
  [[nodiscard]] static std::unique_ptr<SwitchLog> open(SwitchRefusal& refusal);

  ~SwitchLog();
  SwitchLog(const SwitchLog&) = delete;
  SwitchLog& operator=(const SwitchLog&) = delete;

  // For one thread at a time: the switches since the last call. Throws std::bad_alloc.
  [[nodiscard]] std::vector<Switch> read();

  // When it was opened, and on which processor the thread then ran.
  [[nodiscard]] const Switch& first() const noexcept { return first_; }

 private:
  SwitchLog(base::Fd event, void* pages, std::size_t bytes) noexcept;

  const base::Fd event_;
  void* const pages_;  // a page with the positions, then the ring
  const std::size_t bytes_;
  const long process_;  // a forked child has the descriptor, but not the pages
  Switch first_;
};

// The reason that the system gave, as text, such as "perf_event_open: Permission denied
// (kernel.perf_event_paranoid is 3)".
[[nodiscard]] std::string why_no_switches(SwitchRefusal refusal);

}  // namespace fathom::diag
