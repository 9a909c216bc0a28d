// What the model's memory permits in some well-known programs ("litmus tests"), and what it
// forbids.

#include "model/memory.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <set>
#include <vector>

#include "fathom/base/atomic.h"
#include "model/checker.h"
#include "model/data.h"

namespace fathom::model {
namespace {

using Outcome = std::vector<int>;
using Outcomes = std::set<Outcome>;

constexpr auto kRelaxed = base::memory_order_relaxed;
constexpr auto kAcquire = base::memory_order_acquire;
constexpr auto kRelease = base::memory_order_release;
constexpr auto kAcqRel = base::memory_order_acq_rel;
constexpr auto kSeqCst = base::memory_order_seq_cst;

struct Shared {
  base::atomic<int> x{0};
  base::atomic<int> y{0};
  Data<int> data{0};
  Outcome seen = Outcome(4, -1);
};
using Step = void (*)(Shared&);

Scenario scenario_of(std::initializer_list<Step> threads, Outcomes* outcomes) {
  const auto shared = std::make_shared<Shared>();
  Scenario scenario;
  for (const Step thread : threads) {
    scenario.threads.emplace_back([shared, thread] { thread(*shared); });
  }
  scenario.check = [shared, outcomes] {
    outcomes->insert(shared->seen);
    return true;
  };
  return scenario;
}

// All outcomes that the threads can observe.
Outcomes outcomes(std::initializer_list<Step> threads) {
  Outcomes found;
  const Result result = explore([&] { return scenario_of(threads, &found); }, 6);
  EXPECT_TRUE(result.clean());
  return found;
}

bool races(std::initializer_list<Step> threads) {
  Outcomes found;
  return explore([&] { return scenario_of(threads, &found); }, 6).raced != 0;
}

TEST(ModelMemory, AStoreMayBeDelayedPastLaterLoads) {
  const Outcome neither{0, 0, -1, -1};
  EXPECT_TRUE(outcomes({[](Shared& s) {
                          s.x.store(1, kRelease);
                          s.seen[0] = s.y.load(kAcquire);
                        },
                        [](Shared& s) {
                          s.y.store(1, kRelease);
                          s.seen[1] = s.x.load(kAcquire);
                        }})
                  .contains(neither));
  EXPECT_FALSE(outcomes({[](Shared& s) {
                           s.x.store(1, kSeqCst);
                           s.seen[0] = s.y.load(kSeqCst);
                         },
                         [](Shared& s) {
                           s.y.store(1, kSeqCst);
                           s.seen[1] = s.x.load(kSeqCst);
                         }})
                   .contains(neither));
  EXPECT_FALSE(outcomes({[](Shared& s) {
                           s.x.store(1, kRelaxed);
                           base::fence(kSeqCst);
                           s.seen[0] = s.y.load(kRelaxed);
                         },
                         [](Shared& s) {
                           s.y.store(1, kRelaxed);
                           base::fence(kSeqCst);
                           s.seen[1] = s.x.load(kRelaxed);
                         }})
                   .contains(neither));
}

TEST(ModelMemory, OneFenceOfTwoIsNotEnough) {
  EXPECT_TRUE(outcomes({[](Shared& s) {
                          s.x.store(1, kRelaxed);
                          base::fence(kSeqCst);
                          s.seen[0] = s.y.load(kRelaxed);
                        },
                        [](Shared& s) {
                          s.y.store(1, kRelaxed);
                          s.seen[1] = s.x.load(kRelaxed);
                        }})
                  .contains({0, 0, -1, -1}));
}

// A seq_cst load agrees with the other seq_cst operations, not with whatever ran before.
TEST(ModelMemory, ASeqCstLoadDoesNotWaitForARelaxedOneBeforeIt) {
  const auto late = [](base::memory_order order) {
    static base::memory_order flag_order;  // Step cannot capture it
    flag_order = order;
    return outcomes({[](Shared& s) {
                       s.x.store(1, kSeqCst);
                       s.y.store(1, kRelease);
                     },
                     [](Shared& s) {
                       s.seen[0] = s.y.load(flag_order);
                       s.seen[1] = s.x.load(kSeqCst);
                     }})
        .contains({1, 0, -1, -1});
  };
  EXPECT_TRUE(late(kRelaxed));
  EXPECT_FALSE(late(kAcquire));
  EXPECT_FALSE(late(kSeqCst));
}

// A read-modify-write is a fence on x86, but not in C++.
TEST(ModelMemory, AReadModifyWriteIsNotAFence) {
  EXPECT_TRUE(outcomes({[](Shared& s) {
                          s.x.fetch_add(1, kSeqCst);
                          s.seen[0] = s.y.load(kRelaxed);
                        },
                        [](Shared& s) {
                          s.y.fetch_add(1, kSeqCst);
                          s.seen[1] = s.x.load(kRelaxed);
                        }})
                  .contains({0, 0, -1, -1}));
}

TEST(ModelMemory, AMessageNeedsReleaseAndAcquire) {
  const auto late = [](Step send, Step receive) {
    return outcomes({send, receive}).contains({1, 0, -1, -1});
  };
  const Step relaxed = [](Shared& s) {
    s.x.store(1, kRelaxed);
    s.y.store(1, kRelaxed);
  };
  const Step released = [](Shared& s) {
    s.x.store(1, kRelaxed);
    s.y.store(1, kRelease);
  };
  const Step fenced = [](Shared& s) {
    s.x.store(1, kRelaxed);
    base::fence(kRelease);
    s.y.store(1, kRelaxed);
  };
  const Step unordered = [](Shared& s) {
    s.seen[0] = s.y.load(kRelaxed);
    s.seen[1] = s.x.load(kRelaxed);
  };
  const Step acquired = [](Shared& s) {
    s.seen[0] = s.y.load(kAcquire);
    s.seen[1] = s.x.load(kRelaxed);
  };
  const Step fenced_load = [](Shared& s) {
    s.seen[0] = s.y.load(kRelaxed);
    base::fence(kAcquire);
    s.seen[1] = s.x.load(kRelaxed);
  };
  EXPECT_TRUE(late(relaxed, acquired));
  EXPECT_TRUE(late(released, unordered));
  EXPECT_FALSE(late(released, acquired));
  EXPECT_FALSE(late(fenced, acquired));
  EXPECT_FALSE(late(released, fenced_load));
}

TEST(ModelMemory, AReleaseSequenceContinuesOnlyThroughReadModifyWrites) {
  const Step send = [](Shared& s) {
    s.x.store(1, kRelaxed);
    s.y.store(1, kRelease);
  };
  const Step receive = [](Shared& s) {
    s.seen[0] = s.y.load(kAcquire);
    s.seen[1] = s.x.load(kRelaxed);
  };
  EXPECT_FALSE(outcomes({send, receive, [](Shared& s) { s.y.fetch_add(1, kRelaxed); }})
                   .contains({2, 0, -1, -1}));
  EXPECT_TRUE(outcomes({[](Shared& s) {
                          s.x.store(1, kRelaxed);
                          s.y.store(1, kRelease);
                          s.y.store(2, kRelaxed);
                        },
                        receive})
                  .contains({2, 0, -1, -1}));
}

TEST(ModelMemory, OneLocationNeverGoesBack) {
  for (const Outcome& seen : outcomes({[](Shared& s) {
                                         s.x.store(1, kRelaxed);
                                         s.x.store(2, kRelaxed);
                                       },
                                       [](Shared& s) {
                                         s.seen[0] = s.x.load(kRelaxed);
                                         s.seen[1] = s.x.load(kRelaxed);
                                       }})) {
    EXPECT_LE(seen[0], seen[1]);
  }
}

TEST(ModelMemory, TwoReadersAgreeOnTheOrderOfTwoWritersOnlyWithSeqCst) {
  const Outcome disagree{1, 0, 1, 0};
  EXPECT_TRUE(outcomes({[](Shared& s) { s.x.store(1, kRelease); },
                        [](Shared& s) { s.y.store(1, kRelease); },
                        [](Shared& s) {
                          s.seen[0] = s.x.load(kAcquire);
                          s.seen[1] = s.y.load(kAcquire);
                        },
                        [](Shared& s) {
                          s.seen[2] = s.y.load(kAcquire);
                          s.seen[3] = s.x.load(kAcquire);
                        }})
                  .contains(disagree));
  EXPECT_FALSE(
      outcomes({[](Shared& s) { s.x.store(1, kSeqCst); }, [](Shared& s) { s.y.store(1, kSeqCst); },
                [](Shared& s) {
                  s.seen[0] = s.x.load(kSeqCst);
                  s.seen[1] = s.y.load(kSeqCst);
                },
                [](Shared& s) {
                  s.seen[2] = s.y.load(kSeqCst);
                  s.seen[3] = s.x.load(kSeqCst);
                }})
          .contains(disagree));
}

TEST(ModelMemory, AFailedExchangeMayReadAnOldValueAndASuccessfulOneMayNot) {
  const Outcomes found = outcomes({[](Shared& s) {
                                     s.x.store(1, kRelaxed);
                                     s.y.store(1, kRelaxed);
                                   },
                                   [](Shared& s) {
                                     int expected = 1;
                                     s.seen[0] = s.y.load(kRelaxed);
                                     s.x.compare_exchange_strong(expected, 2, kRelaxed, kRelaxed);
                                     s.seen[1] = expected;
                                   }});
  EXPECT_TRUE(found.contains({1, 0, -1, -1}));
  for (const Outcome& seen :
       outcomes({[](Shared& s) { s.seen[0] = s.x.fetch_add(1, kRelaxed); },
                 [](Shared& s) { s.seen[1] = s.x.fetch_add(1, kRelaxed); }})) {
    EXPECT_EQ(seen[0] + seen[1], 1);
  }
}

TEST(ModelMemory, UnorderedPlainAccessesAreARace) {
  const Step write = [](Shared& s) {
    s.data.set(1);
    s.x.store(1, kRelease);
  };
  EXPECT_FALSE(races({write, [](Shared& s) {
                        if (s.x.load(kAcquire) == 1) s.data.get();
                      }}));
  EXPECT_TRUE(races({write, [](Shared& s) {
                       if (s.x.load(kRelaxed) == 1) s.data.get();
                     }}));
  EXPECT_TRUE(races({write, [](Shared& s) { s.data.get(); }}));
  EXPECT_FALSE(races({[](Shared& s) { s.data.get(); }, [](Shared& s) { s.data.get(); }}));
  EXPECT_FALSE(races({[](Shared& s) {
                        s.data.get();
                        s.x.fetch_add(1, kAcqRel);
                      },
                      [](Shared& s) {
                        if (s.x.fetch_add(1, kAcqRel) == 1) s.data.set(1);
                      }}));
}

TEST(ModelMemory, ANewAtomicIsPublishedOnlyByARelease) {
  struct Made {
    base::atomic<base::atomic<int>*> pointer{nullptr};
    std::unique_ptr<base::atomic<int>> made;
  };
  for (const bool released : {true, false}) {
    const auto make = [released] {
      const auto shared = std::make_shared<Made>();
      Scenario scenario;
      scenario.threads.emplace_back([shared, released] {
        shared->made = std::make_unique<base::atomic<int>>(1);
        shared->pointer.store(shared->made.get(), released ? kRelease : kRelaxed);
      });
      scenario.threads.emplace_back([shared] {
        if (auto* const made = shared->pointer.load(kAcquire)) made->load(kRelaxed);
      });
      scenario.check = [] { return true; };
      return scenario;
    };
    EXPECT_EQ(explore(make, 2).raced, released ? 0U : 1U);
  }
}

TEST(ModelMemory, FindsThreadsThatNeverEndOrNeverWake) {
  Outcomes ignored;
  const auto run = [&](std::initializer_list<Step> threads) {
    return explore([&] { return scenario_of(threads, &ignored); }, 1);
  };
  EXPECT_EQ(run({[](Shared& s) {
              while (s.x.load(kRelaxed) == 0) {
              }
            }}).endless,
            1U);
  const Result asleep = run({[](Shared& s) { s.x.wait(0, kRelaxed); }});
  EXPECT_EQ(asleep.deadlocked, 1U);
  EXPECT_EQ(asleep.trace, "thread 0: sleeps on atomic 0, 0\n");
  EXPECT_EQ(run({[](Shared& s) { s.x.wait(0, kRelaxed); },
                 [](Shared& s) {
                   s.x.store(1, kRelaxed);
                   s.x.notify_one();
                 }})
                .bad(),
            0U);
}

}  // namespace
}  // namespace fathom::model
