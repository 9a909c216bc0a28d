// Tests of finding flaws in histories, compared with a check by definition.

#include "fathom/testing/history.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

namespace fathom::testing {
namespace {

using Calls = std::vector<Call>;
using Findings = std::vector<Finding>;

constexpr QueueRules kExact{};
constexpr QueueRules kLoose{.exact = false};

// Calls with their begin and end, as in the tables of the papers.
Call push(std::uint64_t value, std::uint64_t begin, std::uint64_t end) {
  return {Did::push, value, begin, end};
}
Call pop(std::uint64_t value, std::uint64_t begin, std::uint64_t end) {
  return {Did::pop, value, begin, end};
}
Call steal(std::uint64_t value, std::uint64_t begin, std::uint64_t end) {
  return {Did::steal, value, begin, end};
}
Call vain(Did did, std::uint64_t begin, std::uint64_t end) {
  return {did, 0, begin, end};
}

void expect_both(const Calls& calls, const Findings& findings) {
  EXPECT_EQ(queue_flaws(calls), findings);
  EXPECT_EQ(deque_flaws(calls), findings);
}

TEST(History, NumbersCallsInTheOrderOfTheirEnds) {
  History history(2, 4, 1);
  History::Log& log = history.log(0);
  History::Log& other = history.log(1);
  const auto begin = log.begin();
  const auto within = other.begin();
  other.end(within, Did::push, 7);
  log.end(begin, Did::pop, 7);
  log.end(log.begin(), Did::empty);
  log.end(log.begin(), Did::empty);  // there is room for one such call
  EXPECT_EQ(history.calls(), (Calls{pop(7, 0, 1), vain(Did::empty, 2, 2), push(7, 0, 0)}));
}

TEST(History, ClaimsOnlyOrdersThatHappened) {
  constexpr unsigned kCalls = 5'000;
  History history(2, kCalls, 0);
  std::vector<unsigned> plain(kCalls);  // ThreadSanitizer checks the claimed order
  base::atomic<unsigned> written{0};
  std::thread other([&] {
    for (unsigned i = 0; i < kCalls; ++i) {
      const auto begin = history.log(0).begin();
      plain[i] = i + 1;
      written.store(i + 1, base::memory_order_relaxed);
      history.log(0).end(begin, Did::push, i);
    }
  });
  for (unsigned seen = 0; seen < kCalls;) {
    const auto begin = history.log(1).begin();  // only these calls end
    for (; seen < begin; ++seen) ASSERT_EQ(plain[seen], seen + 1);
    ASSERT_LE(begin, written.load(base::memory_order_relaxed));
  }
  other.join();
}

TEST(History, FindsInventedValues) {
  expect_both({pop(1, 0, 0)}, {{Flaw::invented, pop(1, 0, 0)}});
  expect_both({push(1, 1, 1), pop(1, 0, 0)},
              {{Flaw::invented, pop(1, 0, 0)}, {Flaw::lost, push(1, 1, 1)}});
  // Two equal calls would make everything else uncertain.
  expect_both({push(1, 0, 1), push(1, 0, 0), pop(1, 0, 2)},
              {{Flaw::invented, push(1, 0, 0)}, {Flaw::lost, push(1, 0, 0)}});
}

TEST(History, FindsDuplicatedValues) {
  expect_both({push(1, 0, 0), pop(1, 1, 1), pop(1, 2, 2)}, {{Flaw::doubled, pop(1, 2, 2)}});
}

TEST(History, FindsLostValues) {
  expect_both({push(1, 0, 0), push(2, 1, 1), pop(1, 1, 2)}, {{Flaw::lost, push(2, 1, 1)}});
}

TEST(QueueFlaws, AreEmptyForCorrectHistories) {
  EXPECT_EQ(queue_flaws({}), Findings{});
  // Overlapping calls may take effect in either order.
  EXPECT_EQ(queue_flaws({push(1, 0, 1), push(2, 0, 0), pop(2, 2, 2), pop(1, 3, 3)}), Findings{});
  EXPECT_EQ(queue_flaws({push(1, 0, 0), push(2, 1, 1), pop(2, 2, 2), pop(1, 2, 3)}), Findings{});
  // A value may be taken before its push has ended.
  EXPECT_EQ(queue_flaws({push(1, 0, 1), pop(1, 0, 0)}), Findings{});
}

TEST(QueueFlaws, FindsAnInvertedOrder) {
  const Calls calls{push(1, 0, 0), push(2, 1, 1), pop(2, 2, 2), pop(1, 3, 3)};
  EXPECT_EQ(queue_flaws(calls), (Findings{{Flaw::reordered, pop(2, 2, 2)}}));
  // Far apart, with calls in between that overlap everything.
  EXPECT_EQ(queue_flaws({push(1, 0, 0), push(2, 0, 5), push(3, 4, 4), pop(3, 6, 6), pop(2, 6, 9),
                         pop(1, 8, 8)}),
            (Findings{{Flaw::reordered, pop(3, 6, 6)}}));
}

TEST(QueueFlaws, FindsAFalseEmpty) {
  const Call empty = vain(Did::empty, 1, 1);
  const Findings lie{{Flaw::false_empty, empty}};
  EXPECT_EQ(queue_flaws({push(1, 0, 0), empty, pop(1, 2, 2)}, kExact), lie);
  EXPECT_EQ(queue_flaws({push(1, 0, 0), empty, pop(1, 2, 2)}, kLoose), lie);
  // Before the push has ended, or after the pop has begun, it may be true.
  EXPECT_EQ(queue_flaws({push(1, 0, 1), vain(Did::empty, 0, 0), pop(1, 2, 2)}), Findings{});
  EXPECT_EQ(queue_flaws({push(1, 0, 1), vain(Did::empty, 1, 2), pop(1, 2, 3)}), Findings{});
  EXPECT_EQ(queue_flaws({push(1, 0, 0), empty, pop(1, 1, 2)}), Findings{});
}

TEST(QueueFlaws, FindsAnEmptyThatSeveralItemsTogetherDisprove) {
  // 2 is present before 1 begins to be taken, so the queue is never empty.
  const Call empty = vain(Did::empty, 1, 4);
  const Calls calls{push(1, 0, 0), push(2, 1, 1), pop(1, 2, 2), empty, pop(2, 5, 5)};
  EXPECT_EQ(queue_flaws(calls, kExact), (Findings{{Flaw::false_empty, empty}}));
  // Here 2 may be added after 1 was taken.
  EXPECT_EQ(queue_flaws({push(1, 0, 0), push(2, 1, 3), pop(1, 2, 2), empty, pop(2, 5, 5)}),
            Findings{});
}

TEST(QueueFlaws, AnOlderPushInProgressExcusesAnEmptyIfAllowed) {
  const Call empty = vain(Did::empty, 1, 1);
  const Calls calls{push(1, 0, 3), push(2, 0, 0), empty, pop(1, 4, 4), pop(2, 4, 5)};
  EXPECT_EQ(queue_flaws(calls, kLoose), Findings{});
  EXPECT_EQ(queue_flaws(calls, kExact), (Findings{{Flaw::false_empty, empty}}));
  // This push is younger than the present item.
  const Calls younger{push(2, 0, 0), push(1, 1, 3), empty, pop(2, 4, 4), pop(1, 4, 5)};
  EXPECT_EQ(queue_flaws(younger, kLoose), (Findings{{Flaw::false_empty, empty}}));
  // "Closed" needs no excuse.
  const Call closed = vain(Did::closed, 1, 1);
  EXPECT_EQ(queue_flaws({push(1, 0, 3), push(2, 0, 0), closed, pop(1, 4, 4), pop(2, 4, 5)}, kLoose),
            (Findings{{Flaw::false_empty, closed}}));
}

TEST(QueueFlaws, FindsAFalseFull) {
  const Call full = vain(Did::full, 1, 1);
  const Calls calls{push(1, 0, 0), full, pop(1, 2, 2)};
  EXPECT_EQ(queue_flaws(calls, {.capacity = 1}), Findings{});
  EXPECT_EQ(queue_flaws(calls, {.capacity = 2}), (Findings{{Flaw::false_full, full}}));
  EXPECT_EQ(queue_flaws(calls, {.capacity = 2, .exact = false}),
            (Findings{{Flaw::false_full, full}}));
  // Items that may already be present count, and items that may not have been taken yet.
  EXPECT_EQ(queue_flaws({push(1, 0, 0), push(2, 0, 2), full, pop(1, 3, 3), pop(2, 4, 4)},
                        {.capacity = 2}),
            Findings{});
  EXPECT_EQ(queue_flaws({push(1, 0, 0), vain(Did::full, 1, 2), pop(1, 1, 1)}, {.capacity = 1}),
            Findings{});
  const Call late = vain(Did::full, 2, 2);
  EXPECT_EQ(queue_flaws({push(1, 0, 0), pop(1, 1, 1), late}, {.capacity = 1}),
            (Findings{{Flaw::false_full, late}}));
}

TEST(QueueFlaws, AnOlderPopInProgressExcusesAFullIfAllowed) {
  const Call full = vain(Did::full, 3, 3);
  const Calls calls{push(1, 0, 0), push(2, 1, 1), pop(1, 2, 4), pop(2, 2, 2), full};
  EXPECT_EQ(queue_flaws(calls, {.capacity = 1, .exact = false}),
            (Findings{{Flaw::overfull, push(2, 1, 1)}}));
  EXPECT_EQ(queue_flaws(calls, {.capacity = 2, .exact = false}), Findings{});
  EXPECT_EQ(queue_flaws(calls, {.capacity = 2}), (Findings{{Flaw::false_full, full}}));
  // This pop is younger than the one whose room would be used.
  const Calls younger{push(1, 0, 0), push(2, 1, 1), pop(1, 2, 2), pop(2, 3, 4), full};
  EXPECT_EQ(queue_flaws(younger, {.capacity = 2, .exact = false}),
            (Findings{{Flaw::false_full, full}}));
}

TEST(QueueFlaws, FindsAPushWithoutRoom) {
  const Calls calls{push(1, 0, 0), push(2, 1, 1), pop(1, 2, 2), pop(2, 3, 3)};
  EXPECT_EQ(queue_flaws(calls, {.capacity = 1}), (Findings{{Flaw::overfull, push(2, 1, 1)}}));
  EXPECT_EQ(queue_flaws(calls, {.capacity = 2}), Findings{});
  EXPECT_EQ(
      queue_flaws({push(1, 0, 0), push(2, 1, 1), pop(1, 1, 2), pop(2, 3, 3)}, {.capacity = 1}),
      Findings{});
}

TEST(DequeFlaws, AreEmptyForCorrectHistories) {
  EXPECT_EQ(deque_flaws({}), Findings{});
  EXPECT_EQ(deque_flaws({push(1, 0, 0), push(2, 1, 1), push(3, 2, 2), steal(1, 3, 3), pop(3, 4, 4),
                         pop(2, 5, 5)}),
            Findings{});
  // The pop and the steal overlap: either may come first.
  EXPECT_EQ(deque_flaws({push(1, 0, 0), push(2, 1, 1), pop(1, 2, 3), steal(2, 2, 2)}), Findings{});
}

TEST(DequeFlaws, FindsAPopThatIsNotTheNewest) {
  EXPECT_EQ(deque_flaws({push(1, 0, 0), push(2, 1, 1), pop(1, 2, 2), pop(2, 3, 3)}),
            (Findings{{Flaw::reordered, pop(1, 2, 2)}}));
  // Nothing above 1 was stolen before its pop.
  EXPECT_EQ(deque_flaws({push(1, 0, 0), push(2, 1, 1), pop(1, 2, 2), steal(2, 3, 3)}),
            (Findings{{Flaw::reordered, pop(1, 2, 2)}}));
}

TEST(DequeFlaws, FindsAStealThatIsNotTheOldest) {
  EXPECT_EQ(deque_flaws({push(1, 0, 0), push(2, 1, 1), steal(2, 2, 2), steal(1, 3, 3)}),
            (Findings{{Flaw::reordered, steal(2, 2, 2)}}));
  EXPECT_EQ(deque_flaws({push(1, 0, 0), push(2, 1, 1), steal(2, 2, 2), pop(1, 3, 3)}),
            (Findings{{Flaw::reordered, steal(2, 2, 2)}}));
}

TEST(DequeFlaws, FindsAFalseEmpty) {
  const Call empty = vain(Did::empty, 1, 1);
  EXPECT_EQ(deque_flaws({push(1, 0, 0), empty, pop(1, 2, 2)}),
            (Findings{{Flaw::false_empty, empty}}));
  EXPECT_EQ(deque_flaws({push(1, 0, 0), empty, steal(1, 1, 2)}), Findings{});
}

TEST(DequeFlaws, FindsALostRaceWithoutAWinner) {
  const Call race = vain(Did::lost_race, 2, 3);
  const Findings lie{{Flaw::false_race, race}};
  EXPECT_EQ(deque_flaws({push(1, 0, 0), steal(1, 1, 1), race}), lie);
  EXPECT_EQ(deque_flaws({push(1, 0, 0), race, steal(1, 4, 4)}), lie);
  EXPECT_EQ(deque_flaws({push(1, 0, 0), race, steal(1, 1, 2)}), Findings{});
  EXPECT_EQ(deque_flaws({push(1, 0, 0), race, pop(1, 3, 4)}), Findings{});
}

// A queue that executes each call correctly at one moment; then one call is changed.
class Simulation {
 public:
  explicit Simulation(std::uint64_t seed) : random_(seed) {}

  // Makes `count` calls that each overlap a few others, on a queue with this capacity.
  Calls run(unsigned count, std::size_t capacity) {
    for (unsigned i = 0; i < count; ++i) {
      step(random_() % 2 == 0, capacity);
    }
    while (!inside_.empty()) step(false, capacity);
    return calls_;
  }

 private:
  // The call takes effect at 16 times its number; it begins and ends up to three calls away.
  void step(bool pushing, std::size_t capacity) {
    const std::uint64_t moment = 64 + 16 * calls_.size();
    Call call{Did::empty, 0, moment - random_() % 48, moment + random_() % 48};
    if (pushing) {
      call.did = inside_.size() < capacity ? Did::push : Did::full;
      call.value = call.did == Did::push ? next_++ : 0;
      if (call.did == Did::push) inside_.push_back(call.value);
    } else if (!inside_.empty()) {
      call.did = Did::pop;
      call.value = inside_.front();
      inside_.erase(inside_.begin());
    }
    calls_.push_back(call);
  }

  std::mt19937_64 random_;
  Calls calls_;
  std::vector<std::uint64_t> inside_;
  std::uint64_t next_ = 1;
};

// Finds the same flaws as queue_flaws() from the definitions, by comparing all pairs of calls.
bool has_flaw_by_definition(const Calls& calls, std::size_t capacity) {
  const auto taken = [&](std::uint64_t value) {
    return std::find_if(calls.begin(), calls.end(), [&](const Call& call) {
      return call.did == Did::pop && call.value == value;
    });
  };
  for (const Call& a : calls) {
    if (a.did == Did::push) {
      for (const Call& b : calls) {
        if (b.did == Did::push && a.end < b.begin && taken(b.value)->end < taken(a.value)->begin) {
          return true;
        }
      }
    }
    if (a.did == Did::full) {
      std::size_t in = 0;
      std::size_t out = 0;
      for (const Call& b : calls) {
        in += b.did == Did::push && b.begin <= a.end;
        out += b.did == Did::pop && b.end < a.begin;
      }
      if (in - out < capacity) return true;
    }
    if (a.did == Did::empty) {
      // Moves from one item to the next that was present before the previous one began to be taken.
      std::uint64_t until = a.begin;
      for (bool further = true; further;) {
        further = false;
        for (const Call& b : calls) {
          if (b.did != Did::push || b.end >= until) continue;
          const std::uint64_t begin = taken(b.value)->begin;
          if (begin <= b.end || begin <= until) continue;
          until = begin;
          further = true;
        }
      }
      if (until > a.end && until != a.begin) return true;
    }
  }
  return false;
}

TEST(QueueFlaws, AgreeWithTheDefinitions) {
  unsigned flawed = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::size_t capacity = 1 + seed % 4;
    Calls calls = Simulation(seed).run(60, capacity);
    EXPECT_EQ(queue_flaws(calls, {.capacity = capacity}), Findings{}) << seed;
    EXPECT_EQ(queue_flaws(calls, {.capacity = capacity, .exact = false}), Findings{}) << seed;
    EXPECT_FALSE(has_flaw_by_definition(calls, capacity));
    // One call is moved away from where it took effect, or shortened to another moment.
    Call& moved = calls[seed * 7 % calls.size()];
    const std::uint64_t by = 16 + seed * 5 % 160;
    moved.begin += by;
    moved.end += by;
    Findings findings = queue_flaws(calls, {.capacity = capacity});
    std::erase_if(findings, [](const Finding& finding) {
      return finding.flaw == Flaw::overfull;  // not covered by the definitions above
    });
    const bool wrong = std::any_of(findings.begin(), findings.end(), [](const Finding& finding) {
      return finding.flaw == Flaw::invented;
    });
    EXPECT_EQ(!findings.empty(), wrong || has_flaw_by_definition(calls, capacity)) << seed;
    flawed += !findings.empty();
  }
  EXPECT_GT(flawed, 30U);
  EXPECT_LT(flawed, 270U);
}

}  // namespace
}  // namespace fathom::testing
