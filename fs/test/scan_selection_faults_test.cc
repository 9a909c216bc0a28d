// Excluded entries cost no system calls, and missing types of names do not change the result.

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <vector>

#include "every_way.h"
#include "fathom/base/atomic.h"
#include "fathom/testing/temp_tree.h"
#include "faulty_kernel.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

ScanOptions options_with(const Way& way, const TempTree& tree, std::string_view rules) {
  ScanOptions options = options_for(way, {tree.path()});
  options.selection.excluded.add_text(rules);
  return options;
}

TEST(Excluding, MakesNoSystemCalls) {
  TempTree tree;
  for (int i = 0; i < 50; ++i) {
    tree.file("gone/" + std::to_string(i), 10);
    tree.file("kept/" + std::to_string(i) + ".o", 10);
  }
  tree.file("kept/file", 10);
  for (const Way& way : ways_with({1, 2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    base::atomic<int> asked{0};
    const auto forbid = [&asked](std::string_view name) {
      if (name == "gone" || name.ends_with(".o")) asked.fetch_add(1, base::memory_order_relaxed);
      return 0;
    };
    const Faults faults({.open = forbid, .stat = forbid});
    const Scan found = scan(options_with(way, tree, "gone/\n*.o\n"));
    EXPECT_EQ(asked.load(base::memory_order_relaxed), 0);
    EXPECT_EQ(found.excluded.size(), 51U);
    EXPECT_EQ(Totals(found.tree).whole().entries(), 3U);
    EXPECT_EQ(faults.calls().open_directories, 0);
  }
}

// A rule that applies to directories only needs the type of the name first.
TEST(Excluding, ChecksNamesOfUnknownType) {
  TempTree tree;
  tree.file("build/inner/x", 10);
  tree.file("src/build", 10);
  tree.file("src/x.o", 10);
  for (const Way& way : ways_with({1, 2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    base::atomic<int> opened{0};
    const Faults faults({.open =
                             [&opened](std::string_view name) {
                               const bool gone = name == "build" || name == "inner";
                               if (gone) opened.fetch_add(1, base::memory_order_relaxed);
                               return 0;
                             },
                         .unknown_types = true});
    const Scan found = scan(options_with(way, tree, "build/\n*.o\n"));
    EXPECT_EQ(opened.load(base::memory_order_relaxed), 0);
    EXPECT_EQ(all_paths(found.tree),
              std::vector<std::string>({tree.path(), tree.path("src"), tree.path("src/build")}));
    EXPECT_EQ(found.excluded.size(), 2U);
    EXPECT_TRUE(found.complete());
  }
}

TEST(Excluding, HidesErrorsOfExcludedEntries) {
  TempTree tree;
  tree.file("bad/file", 10);
  tree.file("good/file", 10);
  const auto fail = [](std::string_view name) { return name == "bad" ? EIO : 0; };
  for (const Way& way : ways_with({1, 8})) {
    const Faults faults({.open = fail, .stat = fail});
    EXPECT_FALSE(scan(options_with(way, tree, "")).complete());
    EXPECT_TRUE(scan(options_with(way, tree, "bad\n")).complete());
  }
}

}  // namespace
}  // namespace fathom::fs
