// Faults: errors that a kernel, a network filesystem or a failing disk may return at any time.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "every_way.h"
#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/base/fd.h"
#include "fathom/testing/generated_tree.h"
#include "fathom/testing/temp_tree.h"
#include "faulty_kernel.h"
#include "in_shards.h"
#include "volume_images.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

void make_tree(TempTree& tree) {
  testing::generate(
      tree,
      {.seed = 4, .directories = 60, .files_per_directory = 6, .hard_links = 20, .symlinks = 20});
}

// Scans in every way with these faults. No descriptor may stay open in any case.
template <class Function>
void scan_with_faults(const std::string& root, const Hooks& hooks, Function&& check) {
  for (const Way& way : ways_with({1, 2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    const Faults faults(hooks);
    const Scan found = scan(options_for(way, {root}));
    EXPECT_EQ(faults.calls().open_directories, 0);
    check(found, faults.calls());
    if (::testing::Test::HasFatalFailure()) return;
  }
}

void expect_one_error(const Scan& scan, const std::string& path, std::string_view operation,
                      int code) {
  ASSERT_EQ(scan.errors.size(), 1U) << describe(scan.errors);
  EXPECT_EQ(scan.errors[0].path, path);
  EXPECT_EQ(scan.errors[0].operation, operation);
  EXPECT_EQ(scan.errors[0].code, code);
  EXPECT_FALSE(scan.complete());
}

TEST(FaultyKernel, InterceptsTheScanner) {
  TempTree tree;
  tree.file("a/file", 10);
  scan_with_faults(tree.path(), {}, [&](const Scan& scan, const Calls& calls) {
    EXPECT_TRUE(scan.complete());
    EXPECT_GE(calls.opens, 2U);
    EXPECT_GE(calls.stats, 3U);
    EXPECT_GE(calls.lists, 2U);
  });
}

TEST(Interruptions, OfEveryCallChangeNothing) {
  TempTree tree;
  make_tree(tree);
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_with_faults(tree.path(), {.interruptions = 5}, [&](const Scan& scan, const Calls& calls) {
    expect_equals_oracle(scan, totals);
    EXPECT_GT(calls.interrupted, 5U * totals.dirs);
  });
}

TEST(Interruptions, ByTheThousandChangeNothing) {  // other programs gave up after 3 or 999
  TempTree tree;
  tree.file("a/b/file", 10);
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_with_faults(tree.path(), {.interruptions = 5000},
                   [&](const Scan& scan, const Calls&) { expect_equals_oracle(scan, totals); });
}

TEST(UnknownTypes, AreDeterminedByStat) {
  TempTree tree;
  make_tree(tree);
  tree.fifo("fifo");
  tree.socket("socket");
  const testing::OracleTotals totals = testing::count({tree.path()});
  const std::vector<std::string> paths = find_paths(tree.path());
  scan_with_faults(tree.path(), {.unknown_types = true}, [&](const Scan& scan, const Calls&) {
    expect_equals_oracle(scan, totals);
    EXPECT_TRUE(all_paths(scan.tree) == paths);
  });
}

// The backend remembers that statx is missing, so each case runs in a separate process.
void scan_without_statx(int error) {
  TempTree tree;
  make_tree(tree);
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_with_faults(tree.path(), {.no_statx = error}, [&](const Scan& scan, const Calls& calls) {
    expect_equals_oracle(scan, totals);
    EXPECT_GT(calls.stats, 0U);  // with the old call
  });
  ::_exit(::testing::Test::HasFailure() ? 1 : 0);
}

TEST(MissingStatxDeathTest, OnAnOldKernelIsReplaced) {
  EXPECT_EXIT(scan_without_statx(ENOSYS), ::testing::ExitedWithCode(0), "");
}

TEST(MissingStatxDeathTest, BehindAnOldFilterIsReplaced) {
  EXPECT_EXIT(scan_without_statx(EPERM), ::testing::ExitedWithCode(0), "");
}

class BrokenListing : public ::testing::TestWithParam<int> {};

TEST_P(BrokenListing, AtTheFirstBlockIsReported) {
  TempTree tree;
  tree.file("a/bad/file", 10);
  tree.file("a/good/file", 10);
  const std::uint64_t bad = inode_of(tree.path("a/bad"));
  const Hooks hooks{
      .list = [&](std::uint64_t inode, int) { return inode == bad ? GetParam() : 0; }};
  scan_with_faults(tree.path(), hooks, [&](const Scan& scan, const Calls&) {
    expect_one_error(scan, tree.path("a/bad"), "list", GetParam());
    EXPECT_EQ(Totals(scan.tree).whole().entries(), 5U);
    EXPECT_TRUE(lower_bound_at(scan, tree.path("a/bad")));
    EXPECT_TRUE(lower_bound_at(scan, tree.path("a")));
    EXPECT_TRUE(lower_bound_at(scan, tree.path()));
    EXPECT_FALSE(lower_bound_at(scan, tree.path("a/good")));
  });
}

TEST_P(BrokenListing, InTheMiddleKeepsTheNamesSoFar) {
  constexpr std::uint64_t kFiles = 6000;  // several blocks
  TempTree tree;
  for (std::uint64_t i = 0; i < kFiles; ++i)
    tree.file("bad/a name of some length" + std::to_string(i));
  const std::uint64_t bad = inode_of(tree.path("bad"));
  const Hooks hooks{.list = [&](std::uint64_t inode, int block) {
    return inode == bad && block >= 1 ? GetParam() : 0;
  }};
  std::uint64_t first_found = 0;
  scan_with_faults(tree.path(), hooks, [&](const Scan& scan, const Calls&) {
    expect_one_error(scan, tree.path("bad"), "list", GetParam());
    const std::uint64_t files = Totals(scan.tree).whole().files;
    EXPECT_GT(files, 0U);
    EXPECT_LT(files, kFiles);
    if (first_found == 0) first_found = files;
    EXPECT_EQ(files, first_found);
    EXPECT_TRUE(lower_bound_at(scan, tree.path("bad")));
    EXPECT_TRUE(lower_bound_at(scan, tree.path()));
  });
}

INSTANTIATE_TEST_SUITE_P(Errno, BrokenListing, ::testing::Values(EIO, ENOMEM, ESTALE, EACCES));

TEST(Listing, OfADirectoryThatWasDeletedEnds) {
  TempTree tree;
  tree.file("gone/file", 10);
  const std::uint64_t gone = inode_of(tree.path("gone"));
  const Hooks hooks{.list = [&](std::uint64_t inode, int) { return inode == gone ? ENOENT : 0; }};
  scan_with_faults(tree.path(), hooks, [&](const Scan& scan, const Calls&) {
    EXPECT_TRUE(scan.complete()) << describe(scan.errors);
    EXPECT_EQ(scan.changed, 1U);
    EXPECT_EQ(Totals(scan.tree).whole().entries(), 2U);
  });
}

TEST(Metadata, ThatCannotBeReadIsReported) {
  TempTree tree;
  tree.file("a/bad", 10);
  tree.file("a/good", 10);
  for (const int error : {EIO, ESTALE, ENOMEM, EACCES, EOVERFLOW, ELOOP}) {
    SCOPED_TRACE(error);
    const Hooks hooks{.stat = [&](std::string_view name) { return name == "bad" ? error : 0; }};
    scan_with_faults(tree.path(), hooks, [&](const Scan& scan, const Calls&) {
      expect_one_error(scan, tree.path("a/bad"), "stat", error);
      EXPECT_EQ(Totals(scan.tree).whole().entries(), 3U);
      EXPECT_TRUE(lower_bound_at(scan, tree.path("a")));
      EXPECT_TRUE(lower_bound_at(scan, tree.path()));
    });
  }
}

TEST(Metadata, OfADisappearedEntryIsNotAnError) {
  TempTree tree;
  tree.file("a/gone", 10);
  tree.file("a/good", 10);
  const Hooks hooks{.stat = [&](std::string_view name) { return name == "gone" ? ENOENT : 0; }};
  scan_with_faults(tree.path(), hooks, [&](const Scan& scan, const Calls&) {
    EXPECT_TRUE(scan.complete()) << describe(scan.errors);
    EXPECT_EQ(scan.changed, 1U);
    EXPECT_EQ(Totals(scan.tree).whole().entries(), 3U);
  });
}

TEST(Metadata, DeniedToEveryCallIsReported) {
  // EPERM alone does not mean that statx is missing.
  TempTree tree;
  tree.file("a/bad", 10);
  const Hooks hooks{.stat = [&](std::string_view name) { return name == "bad" ? EPERM : 0; }};
  scan_with_faults(tree.path(), hooks, [&](const Scan& scan, const Calls&) {
    expect_one_error(scan, tree.path("a/bad"), "stat", EPERM);
  });
}

TEST(Opening, ThatFailsIsReportedAndTheDirectoryItselfCounted) {
  TempTree tree;
  tree.file("a/bad/file", 10);
  tree.file("a/good/file", 10);
  for (const int error : {EIO, ESTALE, ENOMEM, EACCES, EPERM}) {
    SCOPED_TRACE(error);
    const Hooks hooks{.open = [&](std::string_view name) { return name == "bad" ? error : 0; }};
    scan_with_faults(tree.path(), hooks, [&](const Scan& scan, const Calls&) {
      expect_one_error(scan, tree.path("a/bad"), "open", error);
      EXPECT_EQ(Totals(scan.tree).whole().dirs, 4U);
      EXPECT_EQ(Totals(scan.tree).whole().files, 1U);
      EXPECT_TRUE(lower_bound_at(scan, tree.path("a/bad")));
      EXPECT_TRUE(lower_bound_at(scan, tree.path()));
      EXPECT_FALSE(lower_bound_at(scan, tree.path("a/good")));
    });
  }
}

TEST(Opening, ADirectoryWithUnreadableMetadataIsReported) {
  TempTree tree;
  tree.file("a/bad/file", 10);
  // A descriptor is available, but its metadata is not: the root and one more succeed, the third
  // fails.
  base::atomic<int> examined{0};
  const Hooks hooks{.stat = [&](std::string_view name) {
    return name.empty() && examined.fetch_add(1) == 2 ? EIO : 0;
  }};
  for (const Way& way : ways_with({1, 2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    examined.store(0);
    const Faults faults(hooks);
    const Scan found = scan(options_for(way, {tree.path()}));
    expect_one_error(found, tree.path("a/bad"), "stat", EIO);
    EXPECT_TRUE(lower_bound_at(found, tree.path("a")));
    EXPECT_EQ(faults.calls().open_directories, 0);
  }
}

TEST(Descriptors, ThatRunOutForAWhileAreRetried) {
  TempTree tree;
  make_tree(tree);
  const testing::OracleTotals totals = testing::count({tree.path()});
  for (const int error : {EMFILE, ENFILE}) {
    SCOPED_TRACE(error);
    for (const Way& way : ways_with({1, 2, 8})) {
      SCOPED_TRACE(::testing::Message() << way);
      // Every third one fails, and the first twenty in a row.
      base::atomic<int> opens{0};
      const Faults faults({.open = [&](std::string_view) {
        const int open = opens.fetch_add(1);
        return open < 20 || open % 3 == 0 ? error : 0;
      }});
      expect_equals_oracle(scan(options_for(way, {tree.path()})), totals);
      EXPECT_EQ(faults.calls().open_directories, 0);
    }
  }
}

// At each level, directories wait while the one between them is walked. Those beyond the
// descriptors would be opened again for each, by the names on the way to them.
TEST(Descriptors, AreUsedAsFarAsTheLimitOfTheProcessAllows) {
  constexpr unsigned kLevels = 5000;
  struct rlimit before = {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit more = before;
  more.rlim_cur = std::max<rlim_t>(before.rlim_cur, 2 * kLevels);
  if (::setrlimit(RLIMIT_NOFILE, &more) != 0) GTEST_SKIP() << "a process may open too few files";
  TempTree tree;
  base::Fd at(::open(tree.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (unsigned level = 0; level < kLevels; ++level) {
    for (const char* name : {"a", "b", "c"}) ASSERT_EQ(::mkdirat(at.get(), name, 0755), 0);
    at.reset(::openat(at.get(), "b", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  const Faults calls({});
  const Scan found = scan(options_for({Engine::serial, 1}, {tree.path()}));
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(Totals(found.tree).whole().dirs, 1 + 3 * kLevels);
  EXPECT_LE(calls.calls().opens, 1 + 3 * kLevels + 10) << "each once, and some of /proc";
}

TEST(Descriptors, ThatRunOutForGoodAreReported) {
  TempTree tree;
  tree.file("a/file", 10);
  const Hooks hooks{.open = [&](std::string_view name) { return name == "a" ? EMFILE : 0; }};
  scan_with_faults(tree.path(), hooks, [&](const Scan& scan, const Calls&) {
    expect_one_error(scan, tree.path("a"), "open", EMFILE);
    EXPECT_EQ(Totals(scan.tree).whole().dirs, 2U);
  });
}

TEST(Faults, EverywhereLeaveAValidTreeAndNoOpenDescriptor) {
  // Every seventh call fails, of whatever kind.
  TempTree tree;
  make_tree(tree);
  const testing::OracleTotals totals = testing::count({tree.path()});
  base::atomic<int> calls{0};
  const auto fail = [&] { return calls.fetch_add(1) % 7 == 6 ? EIO : 0; };
  const Hooks hooks{.open = [&](std::string_view) { return fail(); },
                    .stat = [&](std::string_view) { return fail(); },
                    .list = [&](std::uint64_t, int) { return fail(); }};
  scan_with_faults(tree.path(), hooks, [&](const Scan& scan, const Calls&) {
    EXPECT_FALSE(scan.errors.empty());
    const Totals found(scan.tree);
    EXPECT_LE(found.whole().entries(), totals.entries);
    EXPECT_LE(found.whole().disk_bytes, totals.disk_bytes);
    // Each error is below a lower bound.
    for (const ScanError& error : scan.errors) EXPECT_EQ(error.code, EIO);
    if (!scan.tree.roots().empty() && scan.tree.roots()[0] != kNoNode &&
        found.whole().entries() > 0) {
      EXPECT_TRUE(lower_bound_at(scan, tree.path()));
    }
  });
}

// Blocks all callers until it is opened; does not poll.
class Gate {
 public:
  void open() {
    open_.store(true);
    open_.notify_all();
  }
  void pass() const { open_.wait(false); }

 private:
  base::atomic<bool> open_{false};
};

TEST(Cancelling, WhileItRunsStopsTheScanAndKeepsWhatWasFound) {
  TempTree tree;
  for (int i = 0; i < 50; ++i) tree.file("d" + std::to_string(i) + "/gate/below/file", 10);
  const testing::OracleTotals totals = testing::count({tree.path()});
  for (const Way& way : ways_with({1, 2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    // No worker passes a directory of that name before the callback has been called.
    Gate gate;
    const rt::CancelSource source;
    const std::thread::id here = std::this_thread::get_id();
    const Faults faults({.open = [&](std::string_view name) {
      if (name == "gate") gate.pass();
      return 0;
    }});
    ScanOptions options = options_for(way, {tree.path()});
    options.cancel = source.token();
    options.progress_interval = std::chrono::milliseconds(1);
    bool called = false;
    options.progress = [&](const Progress& progress) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      EXPECT_LT(progress.entries, totals.entries);
      if (progress.entries == 0) return;  // before the root was opened
      called = true;
      source.cancel();
      gate.open();
    };
    const Scan found = scan(options);
    EXPECT_EQ(faults.calls().open_directories, 0);
    EXPECT_TRUE(called);
    EXPECT_TRUE(found.cancelled);
    EXPECT_LT(Totals(found.tree).whole().entries(), totals.entries);
    EXPECT_GE(Totals(found.tree).whole().entries(), 1U);
    EXPECT_TRUE(found.errors.empty()) << describe(found.errors);
  }
}

// Scans a tree in which no worker passes the directory "gate" before the source's callbacks have
// been called.
void expect_cancels(const rt::CancelSource& source, const Way& way, const std::string& root,
                    const std::function<void()>& cancel) {
  Gate gate;
  const rt::CancelCallback follow(source.token(), [&] { gate.open(); });
  const Faults faults({.open = [&](std::string_view name) {
    if (name == "gate") gate.pass();
    return 0;
  }});
  ScanOptions options = options_for(way, {root});
  options.cancel = source.token();
  options.progress_interval = std::chrono::milliseconds(1);
  options.progress = [&](const Progress& progress) {
    if (progress.entries != 0) cancel();
  };
  const Scan found = scan(options);
  EXPECT_TRUE(found.cancelled);
  EXPECT_TRUE(source.cancelled());
  EXPECT_EQ(faults.calls().open_directories, 0);
}

TEST(Cancelling, FromASignalIsNoticedByTheScan) {
  TempTree tree;
  tree.file("gate/file", 10);
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    const rt::CancelSource program;
    expect_cancels(program, way, tree.path(), [&] { program.cancel_from_signal(); });
    const rt::CancelSource above;
    const auto below = rt::CancelSource::linked_to(above.token());
    expect_cancels(below, way, tree.path(), [&] { above.cancel_from_signal(); });
  }
}

TEST(Cancelling, AtADeadlineNeedsNoOtherThread) {
  TempTree tree;
  tree.file("gate/file", 10);
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    const auto soon = base::monotonic_now() + std::chrono::milliseconds(20);
    expect_cancels(rt::CancelSource::with_deadline(soon), way, tree.path(), [] {});
  }
}

TEST(Cancelling, WhileAnImageIsReadIsNoErrorOfTheImage) {
  const Image image({.type = "ext4"});
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  const rt::CancelSource source;
  const Faults faults({.other = [&](std::string_view what) {
    if (what == "pread") source.cancel();
  }});
  ScanOptions options = options_for({Engine::ext4, 1}, {image.disk()});
  options.cancel = source.token();
  const Scan found = scan(options);
  EXPECT_TRUE(found.cancelled);
  ASSERT_EQ(found.volumes.size(), 1U);
  EXPECT_EQ(found.volumes.front().why_walked, "the scan was stopped");
  EXPECT_TRUE(found.errors.empty()) << describe(found.errors);
}

TEST(Memory, ThatRunsOutWhileAnImageIsReadIsTheError) {
  const Image image({.type = "ext4"});
  if (!image.why_not().empty()) GTEST_SKIP() << image.why_not();
  int reads = 0;  // the first decides whether it begins like an image
  const Faults faults({.other = [&](std::string_view what) {
    if (what == "pread" && ++reads == 2) throw std::bad_alloc();
  }});
  const Scan found = scan(options_for({Engine::ext4, 1}, {image.disk()}));
  expect_one_error(found, image.disk(), "read", ENOMEM);
}

TEST(StuckDirectories, DoNotBlockOtherWorkers) {
  TempTree tree;
  tree.file("stuck/file", 10);
  for (int i = 0; i < 40; ++i) tree.file("d" + std::to_string(i) + "/sub/file", 10);
  const testing::OracleTotals totals = testing::count({tree.path()});
  for (const Way& way : ways_with({2, 8})) {
    if (way.engine == Engine::serial) continue;
    SCOPED_TRACE(::testing::Message() << way);
    // The directory responds only after everything else has been counted.
    Gate gate;
    const Faults faults({.open = [&](std::string_view name) {
      if (name == "stuck") gate.pass();
      return 0;
    }});
    ScanOptions options = options_for(way, {tree.path()});
    options.progress_interval = std::chrono::milliseconds(1);
    options.progress = [&](const Progress& progress) {
      if (progress.entries == totals.entries - 2) gate.open();
    };
    expect_equals_oracle(scan(options), totals);
  }
}

// A scan of a tree whose directory "stuck" is not listed before the gate is opened.
class Hanging {
 public:
  Hanging() {
    tree_.file("stuck/file", 10);
    for (int i = 0; i < 40; ++i) tree_.file("d" + std::to_string(i) + "/sub/file", 10);
    totals_ = testing::count({tree_.path()});
  }

  // look(Progress) is called until the scan has ended.
  Scan scan_with(const Way& way, const std::function<void(const Progress&)>& look,
                 const rt::CancelToken& cancel = {}) {
    const std::uint64_t inode = inode_of(path());
    const Faults faults({.list = [&, inode](std::uint64_t listed, int) {
      if (listed == inode) gate_.pass();
      return 0;
    }});
    ScanOptions options = options_for(way, {tree_.path()});
    options.cancel = cancel;
    options.progress_interval = std::chrono::milliseconds(1);
    options.stuck_after = std::chrono::milliseconds(20);
    options.progress = look;
    Scan found = scan(options);
    EXPECT_EQ(faults.calls().open_directories, 0);
    return found;
  }

  void answer() { gate_.open(); }
  [[nodiscard]] std::string path() const { return tree_.path("stuck"); }
  [[nodiscard]] const testing::OracleTotals& totals() const { return totals_; }
  // Whether everything has been counted except the contents of the directory that hangs.
  [[nodiscard]] bool has_all_else(const Progress& known) const {
    return known.entries == totals_.entries - 1;
  }
  [[nodiscard]] bool is_named(const Progress& known) const {
    return std::find(known.stuck.begin(), known.stuck.end(), path()) != known.stuck.end();
  }

 private:
  TempTree tree_;
  Gate gate_;
  testing::OracleTotals totals_;
};

TEST(StuckDirectories, AreNamedWhileTheRestIsScanned) {
  for (const Way& way : ways_with({2, 8})) {
    if (way.engine == Engine::serial) continue;
    SCOPED_TRACE(::testing::Message() << way);
    Hanging hanging;
    bool named = false;
    const Scan found = hanging.scan_with(way, [&](const Progress& known) {
      named = named || hanging.is_named(known);
      if (named && hanging.has_all_else(known)) hanging.answer();
    });
    EXPECT_TRUE(named);
    expect_equals_oracle(found, hanging.totals());
  }
}

TEST(StuckDirectories, AreNamedByASingleThreadToo) {
  for (const Way& way : ways_with({1})) {
    SCOPED_TRACE(::testing::Message() << way);
    Hanging hanging;
    const Scan found = hanging.scan_with(way, [&](const Progress& known) {
      if (hanging.is_named(known)) hanging.answer();
    });
    expect_equals_oracle(found, hanging.totals());
  }
}

TEST(StuckDirectories, DoNotPreventACancelledScanFromFinishingTheRest) {
  for (const Way& way : ways_with({2, 8})) {
    if (way.engine == Engine::serial) continue;
    SCOPED_TRACE(::testing::Message() << way);
    Hanging hanging;
    const rt::CancelSource source;
    const auto look = [&](const Progress& known) {
      if (source.cancelled()) {
        hanging.answer();  // still called while the kernel does not respond
      } else if (hanging.is_named(known) && hanging.has_all_else(known)) {
        source.cancel();
      }
    };
    const Scan found = hanging.scan_with(way, look, source.token());
    EXPECT_TRUE(found.cancelled);
    EXPECT_EQ(Totals(found.tree).whole().entries(), hanging.totals().entries - 1);
    EXPECT_TRUE(lower_bound_at(found, hanging.path()));
  }
}

TEST(Pace, ChangesNothingButTheTime) {
  TempTree tree;
  make_tree(tree);
  const testing::OracleTotals totals = testing::count({tree.path()});
  for (const Way& way : ways_with({1, 2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = options_for(way, {tree.path()});
    options.max_operations_per_second = 20'000;
    expect_equals_oracle(scan(options), totals);
  }
}

TEST(Pace, ThatWouldTakeAnHourEndsWhenCancelled) {
  TempTree tree;
  for (int i = 0; i < 3600; ++i) tree.file("file" + std::to_string(i), 0);
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    const rt::CancelSource source;
    ScanOptions options = options_for(way, {tree.path()});
    options.max_operations_per_second = 1;
    options.stuck_after = std::chrono::milliseconds(0);
    options.progress_interval = std::chrono::milliseconds(1);
    options.cancel = source.token();
    options.progress = [&](const Progress&) { source.cancel(); };
    const Scan found = scan(options);
    EXPECT_TRUE(found.cancelled);
    EXPECT_LT(Totals(found.tree).whole().entries(), 3600U);
  }
}

// ---- Shards

TEST(Faults, AreTheSameForShardsAsForOneScan) {
  TempTree tree;
  make_tree(tree);
  for (const char* folder : {"one", "one/two", "three"}) {
    const std::string in = folder;
    tree.file(in + "/closed/file");
    tree.file(in + "/not looked at");
    tree.file(in + "/gone");
    tree.file(in + "/not listed/file");
  }
  const std::uint64_t not_listed = inode_of(tree.path("one/two/not listed"));
  for (const bool unknown_types : {false, true}) {
    const Faults faults(
        {.open = [](std::string_view name) { return name == "closed" ? EACCES : 0; },
         .stat =
             [](std::string_view name) {
               if (name == "gone") return ENOENT;
               return name == "not looked at" ? EIO : 0;
             },
         .list = [&](std::uint64_t inode, int) { return inode == not_listed ? EIO : 0; },
         .unknown_types = unknown_types});
    const ScanOptions options = options_for({Engine::lockfree, 4}, {tree.path()});
    const Scan whole = scan(options);
    Joined expected;
    add_found(whole, expected.entries);
    add_errors(whole, expected.errors);
    EXPECT_EQ(expected.errors.size(), 7U);
    const Joined joined = scan_in_shards(options, {.most_entries = 7}, 5);
    EXPECT_EQ(joined.entries, expected.entries);
    EXPECT_EQ(joined.errors, expected.errors);
    EXPECT_EQ(faults.calls().open_directories, 0);
  }
}

}  // namespace
}  // namespace fathom::fs
