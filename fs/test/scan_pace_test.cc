// The pace of a scan: each system call waits for its slot, and a waiting worker is not stuck.
//
// This test replaces Pacer::take(), which the linker then does not take from the library. It counts
// the slots, and determines their times.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "every_way.h"
#include "fathom/base/atomic.h"
#include "fathom/testing/temp_tree.h"
#include "faulty_kernel.h"
#include "walk/pacer.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

base::atomic<std::uint64_t> turns{0};      // slots that were taken
std::chrono::nanoseconds turns_are_in{0};  // after the call; set while no scan runs

}  // namespace

std::chrono::nanoseconds Pacer::take(std::chrono::nanoseconds now) {
  turns.fetch_add(1, base::memory_order_release);  // pairs with the acquire in turns_taken()
  return now + turns_are_in;
}

namespace {

std::uint64_t turns_taken() {
  return turns.load(base::memory_order_acquire);  // pairs with the release in take()
}

// Counts system calls on a tree, except the scanner's own in /proc.
class Questions {
 public:
  explicit Questions(std::set<std::uint64_t> directories) : directories_(std::move(directories)) {}

  [[nodiscard]] Hooks hooks() {
    return {
        .open = [this](std::string_view name) { return count(!name.starts_with("/proc/")); },
        .stat = [this](std::string_view) { return count(true); },
        .list = [this](std::uint64_t inode, int) { return count(directories_.contains(inode)); },
        .other =
            [this](std::string_view what) {
              count(what == "CACHEDIR.TAG" || what.find('/') == what.npos);
            }};
  }
  [[nodiscard]] std::uint64_t asked() const { return asked_.load(base::memory_order_relaxed); }

 private:
  int count(bool counts) {
    if (counts) asked_.fetch_add(1, base::memory_order_relaxed);
    return 0;
  }

  const std::set<std::uint64_t> directories_;  // that are listed, by inode
  base::atomic<std::uint64_t> asked_{0};
};

std::set<std::uint64_t> directories_of(const Scan& scan) {
  std::set<std::uint64_t> inodes;
  scan.tree.for_each_directory(
      [&](DirId id) { inodes.insert(scan.tree.inode(scan.tree.node(id))); });
  return inodes;
}

// Calls check(Scan) with a scan of each way; each of its system calls must have waited for a slot.
void expect_a_turn_for_each_question(const std::string& root, const Selection& selection,
                                     const std::function<void(const Scan&)>& check) {
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    ScanOptions options = options_for(way, {root});
    options.selection = selection;
    options.read_links = true;
    options.max_operations_per_second = 1;
    Questions questions(directories_of(scan(options)));
    const Faults faults(questions.hooks());
    const std::uint64_t before = turns_taken();
    const Scan found = scan(options);
    EXPECT_EQ(turns_taken() - before, questions.asked());
    EXPECT_GT(questions.asked(), 4U);
    check(found);
  }
}

TEST(Pace, AppliesToEverySystemCall) {
  TempTree tree;
  tree.file("a/b/file", 1);
  tree.symlink("file", "a/b/link");
  tree.write("cache/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n");
  tree.write("no cache/CACHEDIR.TAG", "Signature: none\n");
  Selection selection;
  selection.caches = false;
  selection.one_file_system = true;
  expect_a_turn_for_each_question(tree.path(), selection, [](const Scan& found) {
    EXPECT_TRUE(found.complete()) << describe(found.errors);
    EXPECT_EQ(found.excluded.size(), 1U);
    EXPECT_EQ(Totals(found.tree).whole().entries(), 7U);
  });
}

TEST(Pace, AppliesToReadingTheMountTable) {
  Selection selection;
  selection.kernel_filesystems = false;
  selection.excluded.add_text("/*\n!/proc/\n");
  expect_a_turn_for_each_question("/", selection, [](const Scan& found) {
    EXPECT_TRUE(found.complete()) << describe(found.errors);
    EXPECT_EQ(Totals(found.tree).whole().entries(), 1U);  // without /proc
  });
}

// A directory was once reported as stuck although no call on it was pending.
TEST(Pace, DoesNotMakeADirectoryStuck) {
  TempTree tree;
  tree.file("file", 1);
  for (const Way& way : ways_with({1, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    turns_are_in = std::chrono::hours(1000);
    const std::uint64_t before = turns_taken();
    const rt::CancelSource source;
    ScanOptions options = options_for(way, {tree.path()});
    options.max_operations_per_second = 1;
    options.cancel = source.token();
    options.stuck_after = std::chrono::milliseconds(0);
    options.progress_interval = std::chrono::milliseconds(1);
    int looks = 0;
    bool waits = false;
    options.progress = [&](const Progress& known) {
      if (source.cancelled()) return;
      if (waits) {
        EXPECT_EQ(known.stuck, std::vector<std::string>());
        EXPECT_EQ(known.directory, tree.path());
        if (++looks == 4) source.cancel();
      }
      waits = turns_taken() > before;  // from the next check on
    };
    EXPECT_TRUE(scan(options).cancelled);
    EXPECT_EQ(looks, 4);
    turns_are_in = std::chrono::nanoseconds(0);
  }
}

}  // namespace
}  // namespace fathom::fs
