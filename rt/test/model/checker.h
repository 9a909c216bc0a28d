// A small model checker for a few threads that take a few steps on atomics.
//
// A program that defines FATHOM_ATOMIC_HEADER as model/atomic.h runs our own sources on it. The
// threads of a scenario are fibers. Before each access to an atomic the checker decides who goes
// on; explore() runs the scenario once for every sequence of decisions with at most so many
// deviations from going straight on. Stores are as on x86: each waits in its thread's own queue
// until it is let into memory, or until the thread passes a seq_cst fence, a seq_cst store or a
// read-modify-write. So it shows what a missing fence between a store and a load does; it does not
// show what only weaker processors do.
//
// It can be told to plant bugs: that it then finds them is what proves that it finds any.

#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace fathom::model {

// What to break below the algorithms under test, whose source stays as it is.
struct Bugs {
  bool fences_do_nothing = false;
  bool seq_cst_stores_wait = false;   // as if they were release stores
  bool exchanges_always_win = false;  // compare_exchange does not compare
};

struct Scenario {
  std::vector<std::function<void()>> threads;
  std::function<bool()> check;  // what must hold in the end
};

struct Result {
  std::uint64_t runs = 0;
  std::uint64_t wrong = 0;       // check() said no
  std::uint64_t deadlocked = 0;  // some thread slept for good
  [[nodiscard]] bool clean() const { return runs > 0 && wrong == 0 && deadlocked == 0; }
};

// A deviation is to suspend a thread that could go on, or to let a store into memory.
Result explore(const std::function<Scenario()>& make, unsigned deviations, Bugs bugs = {});

// ---- For model/atomic.h: the memory of one atomic, and what threads do to it.

struct Word {
  std::uint64_t value = 0;
};

std::uint64_t load(const Word& word);
void store(Word& word, std::uint64_t value, bool seq_cst);
// Replaces the value by a function of it, in one step; returns the former value.
std::uint64_t update(Word& word, const std::function<std::uint64_t(std::uint64_t)>& function);
bool exchange_if_equal(Word& word, std::uint64_t& expected, std::uint64_t desired);
void fence();
// As if every thread passed a fence: Linux's membarrier.
void fence_everywhere();
void wait_while_equal(const Word& word, std::uint64_t value);
void wake(const Word& word, bool all);

}  // namespace fathom::model
