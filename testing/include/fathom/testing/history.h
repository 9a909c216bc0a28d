// History: what threads did to a queue or a deque, and what of it no right one could have done.
//
// Each thread writes its calls into a log of its own. Afterwards queue_flaws() and deque_flaws()
// judge them all. What they report is wrong whatever the schedule was; a wrong queue is reported
// only if a schedule showed it.
//
//   History history(2, 1000, 1000);
//   History::Log& log = history.log(0);               // one thread's
//   const auto begin = log.begin();
//   const bool pushed = ring.try_push(value);
//   log.end(begin, pushed ? Did::push : Did::full, value);
//   EXPECT_TRUE(queue_flaws(history.calls(), {.capacity = 8}).empty());  // all threads are done
//
// Time is a count of the calls that have ended. Each call takes the next number as it ends, and
// notes as it begins how many numbers it knows to be taken. If one call's number is below what
// another noted, the first happened before the second began, by the rules of the language: the
// release of the one is what the acquire of the other read. So no order is claimed that the
// structure under test could deny. A processor's clock would claim too much: it can be read before
// the stores of the call have left the processor.
//
// The same order hides from ThreadSanitizer what the structure fails to publish. Other tests, which
// record nothing, have to show that.

#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"

namespace fathom::testing {

// What became of a call.
enum class Did : std::uint8_t {
  push,       // its value is in
  pop,        // took the value; from a deque as its owner
  steal,      // took the value as a thief
  full,       // pushed nothing, for want of room
  empty,      // took nothing, for there was nothing
  closed,     // as empty, and there never will be anything
  lost_race,  // took nothing, for another thread was faster
};

// One call. It came before another if its end is less than the other's begin.
struct Call {
  Did did = Did::push;
  std::uint64_t value = 0;  // of push, pop and steal
  std::uint64_t begin = 0;  // so many calls had ended before it
  std::uint64_t end = 0;    // and so many at least before its end

  bool operator==(const Call&) const = default;
};

class History {
 public:
  // The calls of one thread. It may be used by one thread at a time.
  class alignas(base::kCacheLine) Log {
   public:
    // To call first, and to hand to end().
    [[nodiscard]] std::uint64_t begin() const noexcept {
      return history_->ended_.load(base::memory_order_acquire);  // [H1]
    }
    // Each value that was pushed or taken is kept. Others are forgotten when there are too many.
    void end(std::uint64_t begin, Did did, std::uint64_t value = 0) {
      // [H1] release: pairs with the acquire in begin(), which reads this number or a later one of
      // the same sequence.
      const std::uint64_t end = history_->ended_.fetch_add(1, base::memory_order_release);
      const bool kept = did == Did::push || did == Did::pop || did == Did::steal;
      std::vector<Call>& calls = kept ? kept_ : vain_;
      if (kept || calls.size() < calls.capacity()) calls.push_back({did, value, begin, end});
    }

   private:
    friend class History;
    History* history_ = nullptr;
    std::vector<Call> kept_;
    std::vector<Call> vain_;
  };

  // Room for so many calls of each thread that push or take, and for so many others.
  History(std::size_t threads, std::size_t kept, std::size_t vain);
  History(const History&) = delete;
  History& operator=(const History&) = delete;
  ~History() = default;

  [[nodiscard]] Log& log(std::size_t thread) { return logs_.at(thread); }
  // All calls, when no thread writes any more.
  [[nodiscard]] std::vector<Call> calls() const;

 private:
  std::vector<Log> logs_;
  alignas(base::kCacheLine) base::atomic<std::uint64_t> ended_{0};
};

enum class Flaw : std::uint8_t {
  invented,     // taken without having been pushed before, or pushed twice
  doubled,      // taken twice
  lost,         // pushed, and never taken
  reordered,    // taken before another whose turn came first
  false_empty,  // found nothing where there was something throughout
  false_full,   // found no room where there was some throughout
  overfull,     // pushed where there was certainly no room
  false_race,   // lost a race that nobody won
};

// The call that cannot be. For what was lost it is the push.
struct Finding {
  Flaw flaw = Flaw::invented;
  Call call;

  bool operator==(const Finding&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Finding& finding);

struct QueueRules {
  std::size_t capacity = std::numeric_limits<std::size_t>::max();
  // Whether "empty" and "full" are never said but truly. Otherwise "empty" may also be said while a
  // push is under way that may be older than what is there, and "full" while a pop is.
  bool exact = true;
};

// Judges a queue that is first in, first out. All that was pushed must have been taken, and no push
// may have been under way when the queue was closed.
//
// The flaws are those of Henzinger, Sezgin and Vafeiadis, "Aspect-Oriented Linearizability Proofs"
// (CONCUR 2013), which together are all that a queue of unlimited capacity can do wrong: a value
// from nowhere, a value twice, two values in the wrong order, a queue that is found empty while it
// never is. Each is found by sorting and one pass, so n calls take O(n log n).
std::vector<Finding> queue_flaws(const std::vector<Call>& calls, const QueueRules& rules = {});

// Judges a deque whose owner pushes, and pops the newest, while thieves steal the oldest. All that
// was pushed must have been taken. "Lost race" may be said only while another call took something.
// O(n log n), too.
std::vector<Finding> deque_flaws(const std::vector<Call>& calls);

}  // namespace fathom::testing
