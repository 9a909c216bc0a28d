// History: records what threads do to a queue or a deque, and finds results that no correct one
// could produce.
//
// Each thread writes its calls to its own log. Afterwards queue_flaws() and deque_flaws() check all
// of them. What they report is wrong under any schedule; a wrong queue is reported only if the
// schedule exposed the error.
//
//   History history(2, 1000, 1000);
//   History::Log& log = history.log(0);               // the log of one thread
//   const auto begin = log.begin();
//   const bool pushed = ring.try_push(value);
//   log.end(begin, pushed ? Did::push : Did::full, value);
//   EXPECT_TRUE(queue_flaws(history.calls(), {.capacity = 8}).empty());  // all threads have ended
//
// Time is the number of calls that have ended. Each call takes the next number when it ends, and
// records when it begins how many numbers it knows to be taken. If one call's number is below what
// another recorded, the first happened before the second began, by the rules of C++: the acquire of
// the second read the release of the first, or a later one. So no order is claimed that the
// structure under test could deny. The processor's clock would claim too much: it can be read
// before the stores of the call have left the processor.
//
// The same synchronization hides from ThreadSanitizer what the structure fails to publish. Tests
// that record nothing must cover that.

#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"

namespace fathom::testing {

// The result of a call.
enum class Did : std::uint8_t {
  push,       // the value was added
  pop,        // took the value; from a deque, as its owner
  steal,      // took the value as a thief
  full,       // pushed nothing, because there was no room
  empty,      // took nothing, because there was nothing
  closed,     // like empty, and there will never be anything
  lost_race,  // took nothing, because another thread was faster
};

// One call. It precedes another call if its `end` is less than the other's `begin`.
struct Call {
  Did did = Did::push;
  std::uint64_t value = 0;  // for push, pop and steal
  std::uint64_t begin = 0;  // the number of calls that had ended before it
  std::uint64_t end = 0;    // its place in the order in which calls ended

  bool operator==(const Call&) const = default;
};

class History {
 public:
  // The calls of one thread. A log may be used by one thread at a time.
  class alignas(base::kCacheLine) Log {
   public:
    // Call this first, and pass the result to end().
    [[nodiscard]] std::uint64_t begin() const noexcept {
      return history_->ended_.load(base::memory_order_acquire);  // [H1]
    }
    // Calls that pushed or took a value are always kept. Others are dropped beyond the limit.
    void end(std::uint64_t begin, Did did, std::uint64_t value = 0) {
      // [H1] release: pairs with the acquire in begin(), which reads this number or a later one of
      // the same release sequence.
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

  // Allocates room, per thread, for `kept` calls that push or take, and for `vain` others.
  History(std::size_t threads, std::size_t kept, std::size_t vain);
  History(const History&) = delete;
  History& operator=(const History&) = delete;
  ~History() = default;

  [[nodiscard]] Log& log(std::size_t thread) { return logs_.at(thread); }
  // All calls. Call it when no thread writes any more.
  [[nodiscard]] std::vector<Call> calls() const;

 private:
  std::vector<Log> logs_;
  alignas(base::kCacheLine) base::atomic<std::uint64_t> ended_{0};
};

enum class Flaw : std::uint8_t {
  invented,     // taken without having been pushed before, or pushed twice
  doubled,      // taken twice
  lost,         // pushed and never taken
  reordered,    // taken before another whose turn came first
  false_empty,  // found nothing although there was always something
  false_full,   // found no room although there was always some
  overfull,     // pushed although there was certainly no room
  false_race,   // lost a race that no thread won
};

// The impossible call. For a lost value it is the push.
struct Finding {
  Flaw flaw = Flaw::invented;
  Call call;

  bool operator==(const Finding&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Finding& finding);

struct QueueRules {
  std::size_t capacity = std::numeric_limits<std::size_t>::max();
  // Whether "empty" and "full" must always be true. Otherwise "empty" is also allowed while a push
  // is in progress that may be older than the present items, and "full" while a pop is.
  bool exact = true;
};

// Checks a FIFO queue. Everything that was pushed must have been taken, and no push may have been
// in progress when the queue was closed.
//
// The flaws are those of Henzinger, Sezgin and Vafeiadis, "Aspect-Oriented Linearizability Proofs"
// (CONCUR 2013), which together cover everything that an unbounded queue can do wrong: an invented
// value, a duplicated value, two values in the wrong order, and an "empty" while the queue is never
// empty. Each is found by sorting and one pass, so n calls take O(n log n).
std::vector<Finding> queue_flaws(const std::vector<Call>& calls, const QueueRules& rules = {});

// Checks a deque whose owner pushes, and pops the newest item, while thieves steal the oldest.
// Everything that was pushed must have been taken. "Lost race" is allowed only while another call
// took something. O(n log n).
std::vector<Finding> deque_flaws(const std::vector<Call>& calls);

}  // namespace fathom::testing
