// Tests of sessions: which results of searches reach the state.

#include "session.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/rt/observer.h"
#include "fathom/testing/temp_tree.h"
#include "model/press.h"
#include "model/update.h"
#include "sample.h"

namespace fathom::tui {
namespace {

// The snapshots of a session: each comparison waits until the test lets it end.
class Comparisons {
 public:
  Growth compare(fs::Measure measure, const rt::CancelToken& cancel) {
    std::unique_lock lock(mutex_);
    begun_.push_back(cancel);
    changed_.notify_all();
    const std::size_t number = begun_.size();
    changed_.wait(lock, [&] { return may_end_ >= number; });
    if (cancel.cancelled()) throw base::Error("the comparison was cancelled");
    Growth growth;
    growth.since = static_cast<std::int64_t>(measure);
    growth.roots = {"/home/ada/code"};
    return growth;
  }

  // The token of the comparison with that number, from 1, once it has begun.
  rt::CancelToken begun(std::size_t number) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_.size() >= number; });
    return begun_[number - 1];
  }

  void end(std::size_t number) {
    {
      const std::lock_guard lock(mutex_);
      may_end_ = number;
    }
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<rt::CancelToken> begun_;
  std::size_t may_end_ = 0;
};

// Holds up a scan, which tells how far it is all the same, and counts its snapshots.
class HeldScan : public rt::Observer {
 public:
  ~HeldScan() override { release(); }

  void release() {
    {
      const std::lock_guard lock(mutex_);
      released_ = true;
    }
    changed_.notify_all();
  }

  // Waits until so many snapshots have begun.
  void await_snapshots(std::size_t number) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return snapshots_ >= number; });
  }

  Moment task_begins() const noexcept override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return released_; });
    return 0;
  }

  Moment phase_begins(const char* name) const noexcept override {
    if (std::string_view(name) != "snapshot") return 0;
    {
      const std::lock_guard lock(mutex_);
      ++snapshots_;
    }
    changed_.notify_all();
    return 0;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::size_t snapshots_ = 0;
  bool released_ = false;
};

class SessionTest : public ::testing::Test {
 protected:
  SessionTest()
      : state_(sample_state()),
        session_(
            {}, {},
            [this](const fs::Scan&, fs::Measure measure, const rt::CancelToken& cancel) {
              return comparisons_.compare(measure, cancel);
            },
            [this] { wake(); }) {}
  ~SessionTest() override { comparisons_.end(100); }

  void press_key(const char* key) {
    static_cast<void>(press(state_, {Key::Kind::text, key}));
    const auto search = wanted_search(state_);
    if (!search) return;
    begin_search(state_, *search);
    session_.search(*search, state_.facts, state_.how.measure);
  }

  // Waits until there have been so many results, and takes those that are left.
  void take_results(std::size_t number) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return results_ >= number; });
    }
    for (const Session::Result& result : session_.take_results()) result(state_);
  }

  [[nodiscard]] const FindingList& growth() const { return state_.search(Search::growth); }

  Comparisons comparisons_;
  State state_;
  std::mutex may_wake_;  // while a test holds it, the session waits with the next result

 private:
  void wake() {
    const std::lock_guard may_wake(may_wake_);
    {
      const std::lock_guard lock(mutex_);
      ++results_;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t results_ = 0;

 protected:
  Session session_;  // last: it uses all of the above
};

TEST_F(SessionTest, ASearchThatIsBegunAnewEndsTheOneBefore) {
  press_key("7");
  const rt::CancelToken first = comparisons_.begun(1);
  EXPECT_FALSE(first.cancelled());
  press_key("a");
  EXPECT_TRUE(first.cancelled());
}

TEST_F(SessionTest, EscapeEndsTheSearchOfTheViewAndSaysHowToBeginItAgain) {
  press_key("7");
  const rt::CancelToken first = comparisons_.begun(1);
  EXPECT_EQ(press(state_, {Key::Kind::escape, ""}).kind, Effect::Kind::cancel_search);
  session_.cancel_search(Search::growth);
  EXPECT_TRUE(first.cancelled());
  EXPECT_EQ(press(state_, {Key::Kind::escape, ""}).kind, Effect::Kind::none);  // it ends already
  comparisons_.end(1);
  take_results(1);
  EXPECT_FALSE(growth().running);
  EXPECT_NE(growth().why.find("r begins it again"), std::string::npos);
  EXPECT_EQ(wanted_search(state_), std::nullopt);
  press_key("r");
  EXPECT_TRUE(growth().running);
}

TEST_F(SessionTest, OnlyTheSearchThatWasBegunLastIsShown) {
  press_key("7");
  press_key("a");
  press_key("a");  // the measure of the first search, which was ended early
  comparisons_.end(1);
  take_results(1);
  EXPECT_EQ(growth().findings(), nullptr);
  EXPECT_TRUE(growth().running);
  comparisons_.end(3);
  take_results(3);
  EXPECT_NE(growth().findings(), nullptr);
  EXPECT_FALSE(growth().running);
}

TEST_F(SessionTest, AComparisonByAnotherMeasureIsNotShown) {
  press_key("7");
  press_key("1");
  press_key("a");
  comparisons_.end(1);
  take_results(1);
  EXPECT_EQ(growth().findings(), nullptr);
  press_key("7");
  EXPECT_TRUE(growth().running);
  comparisons_.end(2);
  take_results(2);
  ASSERT_NE(growth().findings(), nullptr);
  EXPECT_EQ(growth().findings()->since, static_cast<std::int64_t>(fs::Measure::apparent));
}

TEST(Session, OnlyTheNewestSnapshotOfAScanWaits) {
  const testing::TempTree tree;
  HeldScan held;
  fs::ScanOptions scan;
  scan.roots = {tree.path()};
  scan.observer = &held;
  Session session(scan, {}, nullptr, [] {});
  session.scan();
  held.await_snapshots(4);  // the one before the last may not have been told yet
  EXPECT_EQ(session.take_results().size(), 1U);
  held.release();
}

TEST(Session, AScanThatIsEndedEarlyIsNotBegunAgain) {
  const testing::TempTree tree;
  State state = initial_state({}, std::make_shared<const Facts>(fs::Scan(), 0, fs::OwnerNames()),
                              fs::Measure::disk);
  state.outdated = {0};
  HeldScan held;
  fs::ScanOptions scan;
  scan.roots = {tree.path()};
  scan.observer = &held;
  std::condition_variable told;
  std::mutex mutex;
  bool done = false;
  Session session(scan, {}, nullptr, [&] {
    const std::lock_guard lock(mutex);
    done = true;
    told.notify_all();
  });
  session.scan();
  session.cancel();
  held.release();
  for (state.progress.running = true; state.progress.running;) {
    std::unique_lock lock(mutex);
    told.wait(lock, [&] { return std::exchange(done, false); });
    for (const Session::Result& result : session.take_results()) result(state);
  }
  EXPECT_TRUE(state.facts->scan().cancelled);
  EXPECT_TRUE(state.outdated.empty());
}

TEST_F(SessionTest, AScanAgainThatIsEndedEarlyChangesNothing) {
  static_cast<void>(press(state_, {Key::Kind::text, "d"}));
  const auto before = state_.facts;
  state_.progress.running = true;
  {
    const std::lock_guard hold(may_wake_);
    session_.make_extras(state_.facts, fs::Measure::disk);
    session_.rescan(state_.facts, state_.facts->top(), ".");
    session_.cancel();  // before it begins, because the extras wait
  }
  for (std::size_t results = 1; state_.progress.running; ++results) take_results(results);
  EXPECT_EQ(state_.facts, before);
  EXPECT_EQ(state_.plan.size(), 1U);
  EXPECT_EQ(state_.message, "the scan was ended early: the earlier results stay");
}

}  // namespace
}  // namespace fathom::tui
