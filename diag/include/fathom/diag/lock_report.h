// LockReport: which locks were waited for, by whom, and who held them meanwhile.
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

// What all locks of one name have seen, those that are gone, too. Waits and holds that are not over
// are not in it.
struct LockUsage {
  std::string name;
  std::uint64_t locks = 0;         // there have been so many of that name
  std::uint64_t acquisitions = 0;  // exact, as is all that follows, but for held
  std::uint64_t waits = 0;         // acquisitions that did not succeed at once
  std::chrono::nanoseconds waited{0};
  std::chrono::nanoseconds longest_wait{0};
  LockProfile::Histogram wait_histogram{};

  // Holds after a wait are all measured, others are sampled.
  std::uint64_t measured_holds = 0;
  std::chrono::nanoseconds held{0};          // altogether, estimated
  std::chrono::nanoseconds longest_hold{0};  // of those that were measured
  LockProfile::Histogram hold_histogram{};   // of those

  struct Holder {
    std::string thread;                   // its name when it first stood in others' way
    base::Stack site;                     // of lock(), and its caller
    std::uint64_t holds = 0;              // during which others waited
    std::chrono::nanoseconds blocked{0};  // what they waited meanwhile, together
    double share = 0;                     // of all waits that have ended, from 0 to 1
  };
  std::vector<Holder> holders;               // the worst first
  std::chrono::nanoseconds handing_over{0};  // waited while nobody held it: until the next one ran

  struct Waiter {
    base::Stack stack;
    std::uint64_t waits = 0;  // of LockProfile::kLongWait or more
    std::chrono::nanoseconds waited{0};
    std::chrono::nanoseconds longest{0};
  };
  std::vector<Waiter> waiters;  // the longest altogether first
};

struct LockReport {
  std::vector<LockUsage> locks;  // those that were waited for longest first

  // For people, in lines; with the holders and waiters of at most so many locks.
  [[nodiscard]] std::string text(std::size_t most = 5) const;
};

[[nodiscard]] LockReport lock_report();

}  // namespace fathom::diag
