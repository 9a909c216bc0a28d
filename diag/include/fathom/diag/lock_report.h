// LockReport: which locks threads waited for, which threads waited, and which held the lock
// meanwhile.
//
//   print(lock_report().text());
//
//   lock  acquired  waits  waited   the longest  held    the longest
//   tree     1,204     20  1.20 s        110 ms  1.30 s       112 ms
//   tree: 73 % of the wait was while main at grow() at src/tree.cc:12 held it

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "fathom/base/stack.h"
#include "fathom/diag/lock_profile.h"

namespace fathom::diag {

// The measurements of all locks with one name, including destroyed ones. Waits and holds in
// progress are not included.
struct LockUsage {
  std::string name;
  std::uint64_t locks = 0;         // the number of locks with that name
  std::uint64_t acquisitions = 0;  // exact, like all following fields except `held`
  std::uint64_t waits = 0;         // acquisitions that did not succeed immediately
  std::chrono::nanoseconds waited{0};
  std::chrono::nanoseconds longest_wait{0};
  LockProfile::Histogram wait_histogram{};

  // Holds after a wait are all measured; others are sampled.
  std::uint64_t measured_holds = 0;
  std::chrono::nanoseconds held{0};          // total, estimated
  std::chrono::nanoseconds longest_hold{0};  // of the measured holds
  LockProfile::Histogram hold_histogram{};   // of the measured holds

  struct Holder {
    std::string thread;                   // its name when it first blocked others
    base::Stack site;                     // the call of lock(), and its caller
    std::uint64_t holds = 0;              // during which others waited
    std::chrono::nanoseconds blocked{0};  // their total wait during these holds
    double share = 0;                     // of the total of all finished waits, from 0 to 1
  };
  std::vector<Holder> holders;               // highest share first
  std::chrono::nanoseconds handing_over{0};  // waited while the lock was free

  struct Waiter {
    base::Stack stack;
    std::uint64_t waits = 0;  // of LockProfile::kLongWait or more
    std::chrono::nanoseconds waited{0};
    std::chrono::nanoseconds longest{0};
  };
  std::vector<Waiter> waiters;  // longest total first
};

struct LockReport {
  std::vector<LockUsage> locks;  // longest total wait first

  // For people, as lines; with the holders and waiters of at most `most` locks.
  [[nodiscard]] std::string text(std::size_t most = 5) const;
};

[[nodiscard]] LockReport lock_report();

}  // namespace fathom::diag
