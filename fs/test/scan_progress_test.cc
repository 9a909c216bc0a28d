// Progress and cancellation.

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "every_way.h"
#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

// What an interrupted scan has found is a valid tree, and a part of the whole.
void expect_part_of(const Scan& part, const Counts& all) {
  const Counts whole = Totals(part.tree).whole();
  EXPECT_LE(whole.entries(), all.entries());
  EXPECT_LE(whole.disk_bytes, all.disk_bytes);
  part.tree.for_each_node(
      [&](NodeId node) { EXPECT_EQ(part.tree.path(node).find(part.roots[0]), 0U); });
  EXPECT_NO_THROW((void)parse(json_of(part, {{.kind = ReportKind::largest_dirs, .count = 100}})));
}

TEST(Cancelling, BeforeTheStartFindsNextToNothing) {
  TempTree tree;
  testing::generate(tree, {.directories = 200});
  const rt::CancelSource source;
  source.cancel();
  for (const Way& way : ways_with({1, 2, 8, 32})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = options_for(way, {tree.path(), tree.path()});
    options.cancel = source.token();
    const Scan found = scan(options);
    EXPECT_TRUE(found.cancelled);
    EXPECT_FALSE(found.complete());
    EXPECT_LE(Totals(found.tree).whole().entries(), 2U);
    EXPECT_TRUE(found.errors.empty()) << describe(found.errors);
  }
}

TEST(Cancelling, ByADeadlineThatHasPassedFindsNextToNothing) {
  TempTree tree;
  testing::generate(tree, {.directories = 200});
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = options_for(way, {tree.path()});
    options.cancel = rt::CancelSource::with_deadline(base::monotonic_now()).token();
    const Scan found = scan(options);
    EXPECT_TRUE(found.cancelled);
    EXPECT_LE(Totals(found.tree).whole().entries(), 1U);
  }
}

TEST(Cancelling, HasNoEffectWhenNotRequested) {
  TempTree tree;
  tree.file("file", 10);
  const rt::CancelSource source;
  for (const Way& way : ways_with({1, 8})) {
    ScanOptions options = options_for(way, {tree.path()});
    options.cancel = source.token();
    const Scan found = scan(options);
    EXPECT_FALSE(found.cancelled);
    EXPECT_TRUE(found.complete());
    EXPECT_EQ(Totals(found.tree).whole().entries(), 2U);
  }
}

// The workers of the lockfree engine once continued with a walk that was destroyed.
TEST(Progress, ThatThrowsStopsTheScanAndReachesTheCaller) {
  TempTree tree;
  testing::generate(tree, {.directories = 2000, .files_per_directory = 2});
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = options_for(way, {tree.path()});
    options.progress_interval = std::chrono::milliseconds(1);
    bool thrown = false;
    options.progress = [&](const Progress&) {
      thrown = true;
      throw std::runtime_error("enough");
    };
    bool caught = false;
    try {
      (void)scan(options);
    } catch (const std::runtime_error& error) {
      caught = std::string(error.what()) == "enough";
    }
    EXPECT_EQ(caught, thrown);
  }
}

TEST(Cancelling, FromTheProgressCallbackLeavesAPartOfTheTree) {
  TempTree tree;
  testing::generate(tree, {.directories = 2000, .files_per_directory = 2});
  const Counts all = Totals(scan(options_for({}, {tree.path()})).tree).whole();
  for (const Way& way : ways_with({1, 2, 8, 32})) {
    SCOPED_TRACE(::testing::Message() << way);
    const rt::CancelSource source;
    ScanOptions options = options_for(way, {tree.path()});
    options.cancel = source.token();
    options.progress_interval = std::chrono::milliseconds(1);
    bool called = false;
    options.progress = [&](const Progress&) {
      called = true;
      source.cancel();
    };
    const Scan found = scan(options);
    EXPECT_EQ(found.cancelled, called);
    EXPECT_TRUE(found.errors.empty()) << describe(found.errors);
    expect_part_of(found, all);
    if (!called) {
      EXPECT_EQ(Totals(found.tree).whole().entries(), all.entries());
    }
  }
}

TEST(Cancelling, FromAnotherThreadAtAnyMomentIsSafe) {
  const int kRounds = kSmall ? 5 : 20;
  TempTree tree;
  testing::generate(tree, {.directories = 300, .files_per_directory = 3, .hard_links = 100});
  const Counts all = Totals(scan(options_for({}, {tree.path()})).tree).whole();
  for (const Way& way : ways_with({1, 2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    for (int round = 0; round < kRounds; ++round) {
      const rt::CancelSource source;
      ScanOptions options = options_for(way, {tree.path()});
      options.cancel = source.token();
      std::thread canceller([&source, round] {
        for (int spin = 0; spin < round * 2000; ++spin) base::cpu_relax();
        source.cancel();
      });
      const Scan found = scan(options);
      canceller.join();
      expect_part_of(found, all);
      if (!found.cancelled) {
        EXPECT_EQ(Totals(found.tree).whole().entries(), all.entries());
      }
    }
  }
}

TEST(Progress, IsReportedOnTheCallingThread) {
  TempTree tree;
  testing::generate(tree, {.directories = 1000, .files_per_directory = 2});
  const Counts all = Totals(scan(options_for({}, {tree.path()})).tree).whole();
  const std::thread::id here = std::this_thread::get_id();
  for (const Way& way : ways_with({1, 2, 8, 32})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = options_for(way, {tree.path()});
    options.progress_interval = std::chrono::milliseconds(1);
    Progress last;
    options.progress = [&](const Progress& progress) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      EXPECT_GE(progress.entries, last.entries);
      EXPECT_GE(progress.seconds, last.seconds);
      EXPECT_LE(progress.entries, all.entries());
      if (!progress.directory.empty()) {
        EXPECT_EQ(progress.directory.find(tree.path()), 0U);
      }
      last = progress;
    };
    const Scan found = scan(options);
    EXPECT_EQ(Totals(found.tree).whole().entries(), all.entries());
  }
}

TEST(Threads, AreAsManyAsRequested) {
  TempTree tree;
  tree.file("a/file", 10);
  for (const Way& way : ways_with({1, 2, 8, 32})) {
    SCOPED_TRACE(::testing::Message() << way);
    const Scan found = scan(options_for(way, {tree.path()}));
    EXPECT_EQ(found.engine, way.engine);
    EXPECT_GE(found.threads, 1U);
    EXPECT_LE(found.threads, way.engine == Engine::serial ? 1U : way.threads);
    EXPECT_GE(found.seconds, 0.0);
  }
}

TEST(Threads, HaveADefaultNumber) {
  TempTree tree;
  testing::generate(tree, {.directories = 100});
  const testing::OracleTotals totals = testing::count({tree.path()});
  for (const Way& way : ways_with({0})) {
    SCOPED_TRACE(::testing::Message() << way);
    const Scan found = scan(options_for(way, {tree.path()}));
    EXPECT_GE(found.threads, 1U);
    expect_equals_oracle(found, totals);
  }
}

TEST(Threads, MayScanSeveralTreesAtTheSameTime) {
  TempTree tree;
  testing::generate(tree, {.directories = 200, .hard_links = 40});
  const std::string expected = comparable_json(scan(options_for({}, {tree.path()})));
  std::vector<std::string> found(8);
  std::vector<std::thread> threads;
  const std::vector<Way> ways = ways_with({2, 8});
  for (std::size_t i = 0; i < found.size(); ++i) {
    threads.emplace_back([&, i] {
      found[i] = comparable_json(scan(options_for(ways[i % ways.size()], {tree.path()})));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& json : found) EXPECT_TRUE(json == expected);
}

}  // namespace
}  // namespace fathom::fs
