// A small model checker for a few threads that take a few steps on atomics.
//
// A program that defines FATHOM_ATOMIC_HEADER as model/atomic.h runs our own sources on it. The
// threads of a scenario are fibers. Before each access to an atomic the checker decides who goes
// on, and at each load which of the stores that C++ allows (model/memory.h) it returns; explore()
// runs the scenario once for every sequence of decisions with at most so many deviations from going
// straight on with the latest store.
//
// It can be told to plant bugs: that it then finds them is what proves that it finds any.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/memory.h"

namespace fathom::model {

// What to break below the algorithms under test, whose source stays as it is.
struct Bugs {
  bool fences_do_nothing = false;
  bool seq_cst_is_acq_rel = false;    // but for fences
  bool exchanges_always_win = false;  // compare_exchange does not compare
  bool all_is_relaxed = false;        // but for fences
  bool no_membarrier = false;         // no bug: machines without it have other fences
};

struct Scenario {
  std::vector<std::function<void()>> threads;
  std::function<bool()> check;  // what must hold in the end
};

// explore() stops at the first run that is not as it should be.
struct Result {
  std::uint64_t runs = 0;
  std::uint64_t wrong = 0;       // check() said no
  std::uint64_t raced = 0;       // accesses to what is not atomic were not ordered
  std::uint64_t deadlocked = 0;  // some thread slept for good
  std::uint64_t endless = 0;     // some thread took more steps than any should
  std::string trace;             // of the bad run, if any: a line per step
  [[nodiscard]] bool clean() const { return runs > 0 && bad() == 0; }
  [[nodiscard]] std::uint64_t bad() const { return wrong + raced + deadlocked + endless; }
};

// A deviation is to suspend a thread that could go on, to load another store than the latest, or
// that the time of a sleeper comes while others could go on.
Result explore(const std::function<Scenario()>& make, unsigned deviations, Bugs bugs = {});

// Whether that thread of the scenario sleeps now: no step, and nothing is ordered by it. It tells
// threads how far another one has come within a call.
bool sleeps(Memory::Thread thread);

// Whether that thread's last sleep ended because its time had come.
bool timed_out(Memory::Thread thread);

// ---- For model/atomic.h and model/data.h: what threads do.

// The memory of one atomic. One that exists before explore() begins is not modelled.
class Word {
 public:
  explicit Word(std::uint64_t value = 0);
  std::uint64_t outside = 0;        // the value of one that is not modelled
  Memory::Location location = ~0U;  // of one that is
};

std::uint64_t load(const Word& word, Order order);
void store(Word& word, std::uint64_t value, Order order);
// Replaces the value by a function of it, in one step; returns the former value.
std::uint64_t update(Word& word, const std::function<std::uint64_t(std::uint64_t)>& function,
                     Order order);
bool exchange_if_equal(Word& word, std::uint64_t& expected, std::uint64_t desired, Order success,
                       Order failure);
void fence(Order order);
// As if every thread passed a seq_cst fence: Linux's membarrier.
void fence_everywhere();
bool has_membarrier();
// Sleeps if the latest value is this one. That orders nothing, nor does being woken. Where its time
// may come, it may do so at any moment, and does where nobody else could go on: false then.
enum class Time { never_comes, may_come };
bool wait_while_equal(const Word& word, std::uint64_t value, Time time);
void wake(const Word& word, bool all);

void read_plain(const void* address);
void write_plain(const void* address);
// The memory is given back.
void forget(const void* memory, std::size_t size);

}  // namespace fathom::model
