// Cancellation in all schedules of a few steps. Callbacks are tested in rt/test/cancel_test.cc: the
// threads here are fibers, which all have the same this_thread::get_id().

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>

#include "model/expect.h"
#include "model/mutex.h"

#include "fathom/rt/cancel.h"

namespace fathom::rt {
namespace {

using model::expect_clean;
using model::explore;
using model::Scenario;

struct Family {
  CancelSource parent;
  std::optional<CancelSource> child = CancelSource::linked_to(parent.token());
};

// The last handle of a linked source is destroyed while its parent is cancelled.
Scenario leaving() {
  const auto family = std::make_shared<Family>();
  Scenario scenario;
  scenario.threads.emplace_back([family] { family->child.reset(); });
  scenario.threads.emplace_back([family] { family->parent.cancel(); });
  scenario.check = [family] { return family->parent.cancelled(); };
  return scenario;
}

// A source is linked while its parent is cancelled: it is cancelled, whichever comes first.
Scenario coming() {
  const auto family = std::make_shared<Family>();
  const auto late = std::make_shared<std::optional<CancelSource>>();
  Scenario scenario;
  scenario.threads.emplace_back(
      [family, late] { late->emplace(CancelSource::linked_to(family->parent.token())); });
  scenario.threads.emplace_back([family] { family->parent.cancel(); });
  scenario.check = [family, late] { return (*late)->cancelled() && family->child->cancelled(); };
  return scenario;
}

// One thread expires a linked source whose parent is being cancelled: the result is correct.
Scenario seeing_to() {
  const auto family = std::make_shared<Family>();
  const auto right = std::make_shared<bool>(false);
  Scenario scenario;
  scenario.threads.emplace_back([family, right] {
    *right = !family->child->expire(CancelSource::TimePoint::min()) || family->child->cancelled();
  });
  scenario.threads.emplace_back([family] { family->parent.cancel(); });
  scenario.check = [right] { return *right; };
  return scenario;
}

// Two threads cancel at the same time: for each source exactly one call returns true.
Scenario cancelled_twice() {
  const auto family = std::make_shared<Family>();
  const auto done = std::make_shared<std::array<bool, 2>>();
  Scenario scenario;
  scenario.threads.emplace_back([family, done] { (*done)[0] = family->parent.cancel(); });
  scenario.threads.emplace_back([family, done] { (*done)[1] = family->parent.cancel(); });
  scenario.check = [family, done] {
    return (*done)[0] != (*done)[1] && family->child->cancelled();
  };
  return scenario;
}

TEST(ModelCancel, ALinkedSourceMayBeDestroyedWhileItsParentIsCancelled) {
  expect_clean(explore(leaving, 4));
}

TEST(ModelCancel, ASourceLinkedWhileItsParentIsCancelledIsCancelledToo) {
  expect_clean(explore(coming, 3));
}

TEST(ModelCancel, AnExpiredSourceIsCancelledThoughAnotherThreadCancelsItsParent) {
  expect_clean(explore(seeing_to, 3));
}

TEST(ModelCancel, ExactlyOneOfTwoCancelCallsReturnsTrue) {
  expect_clean(explore(cancelled_twice, 3));
}

}  // namespace
}  // namespace fathom::rt
