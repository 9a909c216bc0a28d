// A small model checker for a few threads that execute a few steps on atomics.
//
// A program that defines FATHOM_ATOMIC_HEADER as model/atomic.h runs the library's own sources on
// it. The threads of a scenario are fibers. Before each access to an atomic the checker decides
// which thread continues, and at each load which of the stores that C++ permits (model/memory.h) it
// returns; explore() runs the scenario once for every sequence of decisions with at most the given
// number of deviations from "continue the same thread, read the latest store".
//
// The checker can plant bugs: only a checker that finds them proves anything.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/memory.h"

namespace fathom::model {

// The primitives to break; the source of the algorithms under test is unchanged.
struct Bugs {
  bool fences_do_nothing = false;
  bool seq_cst_is_acq_rel = false;    // except fences
  bool exchanges_always_win = false;  // compare_exchange does not compare
  bool all_is_relaxed = false;        // except fences
  bool no_membarrier = false;         // not a bug: selects the fences for machines without it
};

struct Scenario {
  std::vector<std::function<void()>> threads;
  std::function<bool()> check;  // must return true at the end
};

// explore() stops at the first run that fails.
struct Result {
  std::uint64_t runs = 0;
  std::uint64_t wrong = 0;       // check() returned false
  std::uint64_t raced = 0;       // non-atomic accesses were not ordered
  std::uint64_t deadlocked = 0;  // a thread slept forever
  std::uint64_t endless = 0;     // a thread exceeded the limit of steps
  std::string trace;             // of the failed run, if any: one line per step
  [[nodiscard]] bool clean() const { return runs > 0 && bad() == 0; }
  [[nodiscard]] std::uint64_t bad() const { return wrong + raced + deadlocked + endless; }
};

// A deviation is: suspending a thread that could continue, loading another store than the latest,
// or ending a timed sleep while other threads could run.
Result explore(const std::function<Scenario()>& make, unsigned deviations, Bugs bugs = {});

// Whether that thread of the scenario is asleep. Not a step, and it orders nothing. Lets a thread
// wait until another one has reached a point within a call.
bool sleeps(Memory::Thread thread);

// Whether that thread's last sleep ended by its deadline.
bool timed_out(Memory::Thread thread);

// ---- For model/atomic.h and model/data.h: the steps of threads.

// The memory of one atomic. An atomic that exists before explore() begins is not modelled.
class Word {
 public:
  explicit Word(std::uint64_t value = 0);
  std::uint64_t outside = 0;        // the value of an atomic that is not modelled
  Memory::Location location = ~0U;  // of a modelled atomic
};

std::uint64_t load(const Word& word, Order order);
void store(Word& word, std::uint64_t value, Order order);
// Applies a function to the value in one step; returns the previous value.
std::uint64_t update(Word& word, const std::function<std::uint64_t(std::uint64_t)>& function,
                     Order order);
bool exchange_if_equal(Word& word, std::uint64_t& expected, std::uint64_t desired, Order success,
                       Order failure);
void fence(Order order);
// Acts as if every thread executed a seq_cst fence: Linux's membarrier.
void fence_everywhere();
bool has_membarrier();
// Sleeps if the latest value is this one. Neither that nor the wake-up orders anything. With
// Time::may_come the sleep may end at any moment, and ends if no other thread can run; returns
// false then.
enum class Time { never_comes, may_come };
bool wait_while_equal(const Word& word, std::uint64_t value, Time time);
void wake(const Word& word, bool all);

void read_plain(const void* address);
void write_plain(const void* address);
// The memory is freed.
void forget(const void* memory, std::size_t size);

}  // namespace fathom::model
