// Outcome: how an act ended; Applied: the totals of a run.

#pragma once

#include <cstdint>
#include <string_view>

namespace fathom::act {

enum class Outcome : std::uint8_t {
  done,
  would_be_done,     // in a dry run
  done_before,       // by an earlier run, according to the journal
  already_shared,    // it is another name of the kept file: nothing to do
  promoted_to_kept,  // the kept file is at its link limit: this file is kept for the next ones
  refused,           // something is not as planned, or is not permitted: nothing was done
  failed,            // the system reported an error, or only a part was done
};

[[nodiscard]] std::string_view to_string(Outcome outcome);

// The totals of a run.
struct Applied {
  std::uint64_t done = 0;  // in a dry run: would be done
  std::uint64_t done_before = 0;
  std::uint64_t already_shared = 0;
  std::uint64_t promoted_to_kept = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
  std::uint64_t freed = 0;  // bytes, as in the acts, as is the next
  std::uint64_t held = 0;
  bool cancelled = false;

  [[nodiscard]] bool complete() const { return refused == 0 && failed == 0 && !cancelled; }
};

}  // namespace fathom::act
