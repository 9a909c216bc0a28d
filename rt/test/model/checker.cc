#include "model/checker.h"

#include <ucontext.h>

#include <cstddef>
#include <deque>
#include <memory>

namespace fathom::model {

namespace {

constexpr std::size_t kStack = std::size_t{256} * 1024;

struct Store {
  Word* word;
  std::uint64_t value;
};

struct Fiber {
  ucontext_t context{};
  std::unique_ptr<char[]> stack;
  std::function<void()> function;
  std::deque<Store> stores;  // not in memory yet, the oldest first
  const Word* sleeps_on = nullptr;
  bool finished = false;
  [[nodiscard]] bool runnable() const { return !finished && sleeps_on == nullptr; }
};

// The decisions of one run, and those that have been left for later runs.
class Choices {
 public:
  std::size_t choose(std::size_t options) {
    if (next_ == made_.size()) made_.push_back({0, options});
    return made_[next_++].chosen;
  }
  // The next sequence of decisions; false when all have been made.
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
  unsigned deviations_left = 0;
  std::vector<std::unique_ptr<Fiber>> fibers;
  Fiber* current = nullptr;  // null while the scenario is made and checked
  ucontext_t outside{};
};

Checker* checker = nullptr;

void drain(Fiber& fiber) {
  for (const Store& store : fiber.stores) store.word->value = store.value;
  fiber.stores.clear();
}

void resume(Fiber* next) {
  Fiber* const before = checker->current;
  if (next == before) return;
  checker->current = next;
  swapcontext(before == nullptr ? &checker->outside : &before->context,
              next == nullptr ? &checker->outside : &next->context);
}

std::vector<Fiber*> runnable() {
  std::vector<Fiber*> found;
  for (const auto& fiber : checker->fibers) {
    if (fiber->runnable()) found.push_back(fiber.get());
  }
  return found;
}

// The current fiber cannot go on: any other does, or the run is over.
void give_up() {
  drain(*checker->current);
  const auto next = runnable();
  resume(next.empty() ? nullptr : next[checker->choices.choose(next.size())]);
}

// Before each access: goes on, or lets stores into memory, or lets other fibers go on before.
void step() {
  if (checker == nullptr || checker->current == nullptr) return;
  while (checker->deviations_left > 0) {
    std::vector<Fiber*> others;
    std::vector<Fiber*> with_stores;
    for (const auto& fiber : checker->fibers) {
      if (fiber->runnable() && fiber.get() != checker->current) others.push_back(fiber.get());
      if (!fiber->stores.empty()) with_stores.push_back(fiber.get());
    }
    const std::size_t choice = checker->choices.choose(1 + others.size() + with_stores.size());
    if (choice == 0) return;
    --checker->deviations_left;
    if (choice <= others.size()) return resume(others[choice - 1]);
    Fiber& fiber = *with_stores[choice - 1 - others.size()];
    fiber.stores.front().word->value = fiber.stores.front().value;
    fiber.stores.pop_front();
  }
}

void run_fiber() {
  Fiber& self = *checker->current;
  self.function();
  step();  // its last stores may wait while others go on
  self.finished = true;
  give_up();
}

void start(Fiber& fiber) {
  fiber.stack.reset(new char[kStack]);
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStack;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, &run_fiber, 0);
}

}  // namespace

Result explore(const std::function<Scenario()>& make, unsigned deviations, Bugs bugs) {
  Result result;
  Checker all;
  checker = &all;
  all.bugs = bugs;
  do {
    all.deviations_left = deviations;
    all.fibers.clear();
    const Scenario scenario = make();
    for (const auto& function : scenario.threads) {
      all.fibers.push_back(std::make_unique<Fiber>());
      all.fibers.back()->function = function;
      start(*all.fibers.back());
    }
    resume(all.fibers[all.choices.choose(all.fibers.size())].get());

    bool over = true;
    for (const auto& fiber : all.fibers) over = over && fiber->finished;
    ++result.runs;
    if (!over) {
      ++result.deadlocked;
    } else if (!scenario.check()) {
      ++result.wrong;
    }
  } while (all.choices.advance());
  checker = nullptr;
  return result;
}

std::uint64_t load(const Word& word) {
  step();
  if (checker != nullptr && checker->current != nullptr) {
    const auto& stores = checker->current->stores;
    for (auto store = stores.rbegin(); store != stores.rend(); ++store) {
      if (store->word == &word) return store->value;
    }
  }
  return word.value;
}

void store(Word& word, std::uint64_t value, bool seq_cst) {
  step();
  if (checker == nullptr || checker->current == nullptr) {
    word.value = value;
    return;
  }
  checker->current->stores.push_back({&word, value});
  if (seq_cst && !checker->bugs.seq_cst_stores_wait) drain(*checker->current);
}

std::uint64_t update(Word& word, const std::function<std::uint64_t(std::uint64_t)>& function) {
  step();
  if (checker != nullptr && checker->current != nullptr) drain(*checker->current);
  const std::uint64_t old = word.value;
  word.value = function(old);
  return old;
}

bool exchange_if_equal(Word& word, std::uint64_t& expected, std::uint64_t desired) {
  bool won = false;
  const std::uint64_t old = update(word, [&](std::uint64_t now) {
    won = now == expected || (checker != nullptr && checker->bugs.exchanges_always_win);
    return won ? desired : now;
  });
  if (!won) expected = old;
  return won;
}

void fence() {
  step();
  if (checker == nullptr || checker->current == nullptr || checker->bugs.fences_do_nothing) return;
  drain(*checker->current);
}

void fence_everywhere() {
  step();
  if (checker == nullptr || checker->current == nullptr || checker->bugs.fences_do_nothing) return;
  for (const auto& fiber : checker->fibers) drain(*fiber);
}

void wait_while_equal(const Word& word, std::uint64_t value) {
  step();
  drain(*checker->current);
  if (word.value != value) return;
  checker->current->sleeps_on = &word;
  give_up();
}

void wake(const Word& word, bool all) {
  step();
  drain(*checker->current);
  for (const auto& fiber : checker->fibers) {
    if (fiber->sleeps_on != &word) continue;
    fiber->sleeps_on = nullptr;
    if (!all) return;
  }
}

}  // namespace fathom::model
