// The model checker: runs fibers, and backtracks over schedules and visible stores.

#include "model/checker.h"

#include <setjmp.h>
#include <ucontext.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/heap.h"

namespace fathom::model {

namespace {

constexpr std::size_t kStack = std::size_t{64} * 1024;
// Far more steps than any scenario takes.
constexpr unsigned kMostSteps = 5000;

// swapcontext() would ask the kernel for the signal mask at each switch: fibers begin by
// setcontext() and continue by longjmp().
struct Fiber {
  ucontext_t beginning{};
  bool begun = false;
  jmp_buf place{};  // where it continues
  std::unique_ptr<char[]> stack;
  const std::function<void()>* function = nullptr;  // owned by the scenario
  Memory::Thread number = 0;
  const Word* sleeps_on = nullptr;
  Time time = Time::never_comes;  // whether the current sleep has a deadline
  bool timed_out = false;         // whether the last sleep timed out
  bool finished = false;
  [[nodiscard]] bool runnable() const { return !finished && sleeps_on == nullptr; }
  [[nodiscard]] bool may_time_out() const { return sleeps_on != nullptr && time == Time::may_come; }
};

// The decisions of one run, and the alternatives that are left for later runs.
class Choices {
 public:
  std::size_t choose(std::size_t options) {
    if (next_ == made_.size()) made_.push_back({0, options});
    if (made_[next_].options != options) {
      std::fputs("the scenario is not deterministic\n", stderr);
      std::abort();
    }
    return made_[next_++].chosen;
  }
  // Repeats the same decisions.
  void again() { next_ = 0; }
  // Advances to the next sequence of decisions; false if there are no more.
  bool advance() {
    while (!made_.empty() && made_.back().chosen + 1 == made_.back().options) made_.pop_back();
    next_ = 0;
    if (made_.empty()) return false;
    ++made_.back().chosen;
    return true;
  }

 private:
  struct Choice {
    std::size_t chosen;
    std::size_t options;
  };
  std::vector<Choice> made_;
  std::size_t next_ = 0;
};

struct Checker {
  Choices choices;
  Bugs bugs;
  Memory memory;
  unsigned deviations_left = 0;
  unsigned steps = 0;
  std::vector<std::unique_ptr<Fiber>> fibers;
  Fiber* current = nullptr;      // null while the scenario is constructed and checked
  jmp_buf outside{};             // where the code outside the run continues
  std::string* trace = nullptr;  // where the steps are recorded; null: nowhere
  // Used within one decision; members, because allocating them takes longer than the decision.
  std::vector<Fiber*> fibers_to_choose;
  std::vector<std::size_t> stores_to_choose;

  [[nodiscard]] Memory::Thread thread() const {
    return current == nullptr ? Memory::kOutside : current->number;
  }
};

Checker* checker = nullptr;

bool modelled(const Word& word) {
  return checker != nullptr && word.location != ~0U;
}

Order actual(Order order) {
  if (checker->bugs.all_is_relaxed) return Order::relaxed;
  if (checker->bugs.seq_cst_is_acq_rel && order == Order::seq_cst) return Order::acq_rel;
  return order;
}

// Records a step of the current thread. Atomics are numbered in the order of construction.
void tell(const char* what, const Word* word = nullptr, std::uint64_t value = 0,
          std::size_t before = 0) {
  if (checker->trace == nullptr || checker->current == nullptr) return;
  std::string& trace = *checker->trace;
  trace += "thread " + std::to_string(checker->current->number) + ": " + what;
  if (word != nullptr) {
    trace += " atomic " + std::to_string(word->location) + ", " + std::to_string(value);
  }
  if (before != 0) trace += ", which was written over " + std::to_string(before) + " times";
  trace += '\n';
}

// _longjmp() without the check of _FORTIFY_SOURCE, which refuses to continue on another stack.
extern "C" [[noreturn]] void unchecked_longjmp(jmp_buf registers, int value) __asm__("_longjmp");

// Leaves the place, to which another switch returns; null leads outside.
void switch_to(Fiber* next, jmp_buf& place) {
  if (_setjmp(place) != 0) return;
  if (next == nullptr) unchecked_longjmp(checker->outside, 1);
  if (next->begun) unchecked_longjmp(next->place, 1);
  next->begun = true;
  setcontext(&next->beginning);
}

// Continues with the fiber, whose time has come if it sleeps; null ends the run.
void resume(Fiber* next) {
  Fiber* const before = checker->current;
  if (next != nullptr && next->sleeps_on != nullptr) {
    next->sleeps_on = nullptr;
    next->timed_out = true;
  }
  if (next == before) return;
  checker->current = next;
  switch_to(next, before == nullptr ? checker->outside : before->place);
}

void collect(bool (Fiber::*are)() const) {
  checker->fibers_to_choose.clear();
  for (const auto& fiber : checker->fibers) {
    if ((fiber.get()->*are)()) checker->fibers_to_choose.push_back(fiber.get());
  }
}

// The current fiber cannot continue: another one does, or one whose time comes, or the run ends.
void give_up() {
  const std::vector<Fiber*>& next = checker->fibers_to_choose;
  collect(&Fiber::runnable);
  if (next.empty()) collect(&Fiber::may_time_out);
  resume(next.empty() ? nullptr : next[checker->choices.choose(next.size())]);
}

// Chooses one of `options` options; all but the first are deviations.
std::size_t deviate(std::size_t options) {
  if (options == 1 || checker->deviations_left == 0) return 0;
  const std::size_t choice = checker->choices.choose(options);
  if (choice != 0) --checker->deviations_left;
  return choice;
}

// Called before each access: continues, or lets another fiber run first.
void step() {
  if (checker == nullptr || checker->current == nullptr) return;
  if (++checker->steps > kMostSteps) resume(nullptr);  // never returns: the run is over
  if (checker->deviations_left == 0) return;
  std::vector<Fiber*>& options = checker->fibers_to_choose;
  options.assign(1, checker->current);
  for (const auto& fiber : checker->fibers) {
    if (fiber.get() == checker->current) continue;
    if (fiber->runnable() || fiber->may_time_out()) options.push_back(fiber.get());
  }
  resume(options[deviate(options.size())]);
}

// The body of a fiber: a function in each run.
void run_fiber() {
  Fiber& self = *checker->current;
  for (;;) {
    {
      const Heap::Own scenario(false);
      (*self.function)();
    }
    self.finished = true;
    give_up();
  }
}

void start(Fiber& fiber) {
  const bool again = fiber.finished;  // at the end of run_fiber()
  fiber.sleeps_on = nullptr;
  fiber.timed_out = false;
  fiber.finished = false;
  if (again) return;
  if (fiber.stack == nullptr) fiber.stack.reset(new char[kStack]);
  ucontext_t& beginning = fiber.beginning;
  fiber.begun = false;
  getcontext(&beginning);
  beginning.uc_stack.ss_sp = fiber.stack.get();
  beginning.uc_stack.ss_size = kStack;
  beginning.uc_link = nullptr;
  makecontext(&beginning, &run_fiber, 0);
}

// The threads of a scenario, each on a fiber that an earlier run may have used.
void start_all(Checker& all, const Scenario& scenario) {
  if (scenario.threads.empty() || scenario.threads.size() > Memory::kMostThreads) {
    throw std::invalid_argument("a scenario must have one to six threads");
  }
  while (all.fibers.size() < scenario.threads.size()) {
    all.fibers.push_back(std::make_unique<Fiber>());
  }
  all.fibers.resize(scenario.threads.size());
  for (std::size_t i = 0; i < all.fibers.size(); ++i) {
    all.fibers[i]->function = &scenario.threads[i];
    all.fibers[i]->number = static_cast<Memory::Thread>(i);
    start(*all.fibers[i]);
  }
}

void judge(const Checker& all, const Scenario& scenario, Result& result) {
  bool over = true;
  for (const auto& fiber : all.fibers) over = over && fiber->finished;
  ++result.runs;
  if (all.steps > kMostSteps) {
    ++result.endless;
  } else if (!over) {
    ++result.deadlocked;
  } else if (all.memory.raced()) {
    ++result.raced;
  } else if (!scenario.check()) {
    ++result.wrong;
  }
}

void run(Checker& all, const std::function<Scenario()>& make, unsigned deviations, Result& result) {
  all.memory.reset();
  all.deviations_left = deviations;
  all.steps = 0;
  {
    const Heap::Own scenario_is_made(false);
    const Scenario scenario = make();
    {
      const Heap::Own own;
      start_all(all, scenario);
      resume(all.fibers[all.choices.choose(all.fibers.size())].get());
    }
    judge(all, scenario, result);
  }
  Heap::end_run();
}

}  // namespace

Result explore(const std::function<Scenario()>& make, unsigned deviations, Bugs bugs) {
  Result result;
  Checker all;
  checker = &all;
  all.bugs = bugs;
  do {
    run(all, make, deviations, result);
  } while (result.bad() == 0 && all.choices.advance());
  if (result.bad() != 0) {
    Result again;
    all.choices.again();
    all.trace = &result.trace;
    run(all, make, deviations, again);
  }
  checker = nullptr;
  return result;
}

bool sleeps(Memory::Thread thread) {
  return checker->fibers[thread]->sleeps_on != nullptr;
}

bool timed_out(Memory::Thread thread) {
  return checker->fibers[thread]->timed_out;
}

Word::Word(std::uint64_t value) : outside(value) {
  const Heap::Own own;
  if (checker != nullptr) location = checker->memory.make(checker->thread(), value);
}

std::uint64_t load(const Word& word, Order order) {
  const Heap::Own own;
  if (!modelled(word)) return word.outside;
  step();
  Memory& memory = checker->memory;
  const Memory::Thread thread = checker->thread();
  const std::size_t readable = memory.readable(thread, word.location, actual(order));
  const std::size_t before = deviate(readable);
  const std::uint64_t value = memory.load(thread, word.location, actual(order), before);
  tell("loads", &word, value, before);
  return value;
}

void store(Word& word, std::uint64_t value, Order order) {
  const Heap::Own own;
  if (!modelled(word)) {
    word.outside = value;
    return;
  }
  step();
  tell("stores", &word, value);
  checker->memory.store(checker->thread(), word.location, value, actual(order));
}

std::uint64_t update(Word& word, const std::function<std::uint64_t(std::uint64_t)>& function,
                     Order order) {
  const Heap::Own own;
  if (!modelled(word)) {
    const std::uint64_t old = word.outside;
    word.outside = function(old);
    return old;
  }
  step();
  const std::uint64_t old = checker->memory.latest(word.location);
  const std::uint64_t value = function(old);
  tell("updates", &word, value);
  checker->memory.update(checker->thread(), word.location, value, actual(order));
  return old;
}

bool exchange_if_equal(Word& word, std::uint64_t& expected, std::uint64_t desired, Order success,
                       Order failure) {
  const Heap::Own own;
  if (!modelled(word)) {
    const bool equal = word.outside == expected;
    (equal ? word.outside : expected) = equal ? desired : word.outside;
    return equal;
  }
  step();
  Memory& memory = checker->memory;
  const Memory::Thread thread = checker->thread();
  // The exchange fails if it reads a different value, and may then read any value that a load may.
  // It succeeds only on the latest value.
  std::vector<std::size_t>& options = checker->stores_to_choose;
  options.assign(1, 0);
  const std::size_t readable = memory.readable(thread, word.location, actual(failure));
  for (std::size_t before = 1; before < readable; ++before) {
    if (memory.peek(word.location, before) != expected) options.push_back(before);
  }
  const std::size_t before = options[deviate(options.size())];
  const bool equal = memory.peek(word.location, before) == expected;
  if (equal || checker->bugs.exchanges_always_win) {
    tell("exchanges", &word, desired);
    memory.update(thread, word.location, desired, actual(success));
    return true;
  }
  expected = memory.load(thread, word.location, actual(failure), before);
  tell("fails to exchange", &word, expected, before);
  return false;
}

void fence(Order order) {
  const Heap::Own own;
  if (checker == nullptr) return;
  step();
  tell("passes a fence");
  if (!checker->bugs.fences_do_nothing) checker->memory.fence(checker->thread(), order);
}

void fence_everywhere() {
  fence(Order::seq_cst);
  if (checker == nullptr || checker->bugs.fences_do_nothing) return;
  for (const auto& fiber : checker->fibers) checker->memory.fence(fiber->number, Order::seq_cst);
  fence(Order::seq_cst);
}

bool has_membarrier() {
  return checker == nullptr || !checker->bugs.no_membarrier;
}

bool wait_while_equal(const Word& word, std::uint64_t value, Time time) {
  const Heap::Own own;
  step();
  Fiber& self = *checker->current;
  self.timed_out = false;
  if (checker->memory.latest(word.location) != value) return true;
  tell("sleeps on", &word, value);
  self.sleeps_on = &word;
  self.time = time;
  give_up();
  if (self.timed_out) tell("times out");
  return !self.timed_out;
}

void wake(const Word& word, bool all) {
  const Heap::Own own;
  step();
  tell("wakes");
  for (const auto& fiber : checker->fibers) {
    if (fiber->sleeps_on != &word) continue;
    fiber->sleeps_on = nullptr;
    if (!all) return;
  }
}

void read_plain(const void* address) {
  const Heap::Own own;
  if (checker == nullptr) return;
  const bool before = checker->memory.raced();
  checker->memory.read(checker->thread(), address);
  if (!before && checker->memory.raced()) tell("reads unordered data: a race");
}

void write_plain(const void* address) {
  const Heap::Own own;
  if (checker == nullptr) return;
  const bool before = checker->memory.raced();
  checker->memory.write(checker->thread(), address);
  if (!before && checker->memory.raced()) tell("writes unordered data: a race");
}

void forget(const void* memory, std::size_t size) {
  if (checker == nullptr) return;
  const Heap::Own own;
  checker->memory.forget(memory, size);
}

}  // namespace fathom::model
