// Tests of TreeViewRows, which selects the rows, and of the layout of the tree view.

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "columns.h"
#include "fathom/fs/owner_names.h"
#include "fathom/fs/tree_builder.h"
#include "view/tree_view.h"
#include "view/tree_view_rows.h"

namespace fathom::cli {
namespace {

// A hand-made tree: directories have no blocks, the blocks of files have 512 bytes, and each entry
// has a later modification time than the one before.
class Planted {
 public:
  explicit Planted(std::string_view root) : pen_(std::in_place, builder_) {
    root_ = pen_->add_directory(fs::kNoDir, 0, root, entry(S_IFDIR, 0));
  }

  fs::DirId root() const { return root_.id; }
  fs::DirId directory(fs::DirId parent, std::uint32_t depth, std::string_view name) {
    return pen_->add_directory(parent, depth, name, entry(S_IFDIR, 0)).id;
  }
  void file(fs::DirId parent, std::string_view name, std::uint64_t blocks) {
    pen_->add(parent, name, entry(S_IFREG, blocks));
  }
  void incomplete(fs::DirId directory) { pen_->mark_incomplete(directory); }
  void filtered_out(fs::DirId directory) { pen_->mark(directory, fs::kFilteredOut); }

  fs::Scan scan() {
    pen_.reset();
    fs::Scan scan;
    scan.tree = builder_.finish({root_.node});
    return scan;
  }

 private:
  fs::Entry entry(mode_t type, std::uint64_t blocks) {
    fs::Entry entry;
    entry.blocks = blocks;
    entry.inode = ++inodes_;
    entry.mtime = static_cast<std::int64_t>(inodes_);
    entry.links = 1;
    entry.mode = static_cast<std::uint16_t>(type | 0644U);
    return entry;
  }

  fs::TreeBuilder builder_;
  std::optional<fs::TreeBuilder::Appender> pen_;
  fs::TreeBuilder::Appender::Directory root_{};
  std::uint64_t inodes_ = 0;
};

TreeViewRows picked(const fs::Scan& scan, TreeViewLimits limits, Order order = Order::size) {
  const fs::Totals totals(scan.tree);
  return tree_view_rows(fs::ReportInput(scan, totals, fs::Measure::disk, 0), limits, order);
}

// The names of the rows with the directories that share them, indented by one blank per level.
std::vector<std::string> names(const fs::Scan& scan, TreeViewLimits limits,
                               Order order = Order::size) {
  std::vector<std::string> names;
  for (const TreeViewRow& row : picked(scan, limits, order).rows) {
    std::string name(row.depth, ' ');
    for (const fs::NodeId above : row.above) (name += scan.tree.name(above)) += '/';
    names.push_back(name += scan.tree.name(row.node));
  }
  return names;
}

using Names = std::vector<std::string>;

void plant(Planted& planted) {
  const fs::DirId big = planted.directory(planted.root(), 1, "big");
  const fs::DirId small = planted.directory(planted.root(), 1, "small");
  planted.file(big, "b1", 50);
  planted.file(big, "b2", 30);
  planted.file(small, "s1", 20);
  planted.file(small, "s2", 5);
  planted.file(planted.root(), "file", 40);
}

TEST(TreeViewRows, AreTheTopLevelAndThenTheLargestParts) {
  Planted planted("/r");
  plant(planted);
  const fs::Scan scan = planted.scan();
  EXPECT_EQ(names(scan, {.rows = 1}), Names({"/r"}));
  EXPECT_EQ(names(scan, {.rows = 3}), Names({"/r", " big", " file"}));
  EXPECT_EQ(names(scan, {.rows = 4}), Names({"/r", " big", " file", " small"}));
  EXPECT_EQ(names(scan, {.rows = 6}), Names({"/r", " big", "  b1", "  b2", " file", " small"}));
  EXPECT_EQ(names(scan, {.rows = 100}).size(), 8U);
}

TEST(TreeViewRows, ShowEachLargeEntryOfTheTopLevelBeforeDetails) {
  Planted planted("/r");
  const fs::DirId big = planted.directory(planted.root(), 1, "big");
  fs::DirId deep = big;
  for (unsigned depth = 2; depth < 6; ++depth) {
    planted.file(deep, "x", 1000);
    deep = planted.directory(deep, depth, "y");
  }
  planted.file(deep, "1", 20000);
  planted.file(deep, "2", 20000);
  for (const char* name : {"a", "b", "c"}) planted.file(planted.root(), name, 500);
  planted.file(planted.root(), "tiny", 10);
  const fs::Scan scan = planted.scan();
  EXPECT_EQ(names(scan, {.rows = 5}), Names({"/r", " big", " a", " b", " c"}));
  EXPECT_EQ(names(scan, {.rows = 6}), Names({"/r", " big", "  y", " a", " b", " c"}));
  const Names many = names(scan, {.rows = 11});
  EXPECT_EQ(std::count(many.begin(), many.end(), " tiny"), 0);  // less than 1% comes after details
}

TEST(TreeViewRows, ShowATinyEntryBeforeOnesThatAreFarBelow) {
  Planted planted("/r");
  fs::DirId deep = planted.directory(planted.root(), 1, "d");
  for (unsigned depth = 2; depth < 9; ++depth) {
    planted.file(deep, "side", 0);
    deep = planted.directory(deep, depth, "d");
  }
  for (const char* name : {"1", "2"}) planted.file(deep, name, 1000);
  planted.file(planted.root(), "small", 15);  // 0.7%, and more than 1000 halved seven times
  const Names shown = names(planted.scan(), {.rows = 10});
  EXPECT_EQ(shown.back(), " small");
  EXPECT_EQ(std::count(shown.begin(), shown.end(), "         1"), 0);
}

TEST(TreeViewRows, OfSeveralRootsShowTheRootsFirst) {
  fs::Scan scan;
  {
    fs::TreeBuilder builder;
    std::vector<fs::NodeId> roots;
    {
      fs::TreeBuilder::Appender pen(builder);
      fs::Entry file;
      file.mode = S_IFREG | 0644U;
      file.links = 1;
      fs::Entry directory = file;
      directory.mode = S_IFDIR | 0755U;
      for (const char* name : {"/a", "/b", "/c"}) {
        directory.inode += 10;
        const auto root = pen.add_directory(fs::kNoDir, 0, name, directory);
        roots.push_back(root.node);
        for (const char* part : {"1", "2"}) {
          file.inode = ++directory.inode;
          file.blocks = *name == '/' && name[1] == 'a' ? 1000 : 20;
          pen.add(root.id, part, file);
        }
      }
    }
    scan.tree = builder.finish(roots);
  }
  EXPECT_EQ(names(scan, {.rows = 3}), Names({"/a", "/b", "/c"}));
  EXPECT_EQ(names(scan, {.rows = 4}), Names({"/a", " 1", "/b", "/c"}));
}

// "/a" has more than 99%, and "/b" is nothing: it was reached through another root.
TEST(TreeViewRows, ShowTheSmallestRootBeforeDetails) {
  fs::Scan scan;
  fs::TreeBuilder builder;
  std::vector<fs::NodeId> roots;
  {
    fs::TreeBuilder::Appender pen(builder);
    fs::Entry entry;
    entry.links = 1;
    for (const char* name : {"/a", "/b", "/c"}) {
      entry.inode += 10;
      entry.mode = S_IFDIR | 0755U;
      const bool repeated = name[1] == 'b';
      const auto root = pen.add_directory(fs::kNoDir, 0, name, entry, repeated ? fs::kRepeated : 0);
      roots.push_back(root.node);
      entry.mode = S_IFREG | 0644U;
      for (const char* part : {"1", "2"}) {
        ++entry.inode;
        entry.blocks = name[1] == 'a' ? 1'000'000 : 1;
        if (!repeated) pen.add(root.id, part, entry);
      }
    }
  }
  scan.tree = builder.finish(roots);
  EXPECT_EQ(names(scan, {.rows = 3}), Names({"/a", "/c", "/b"}));
  EXPECT_EQ(names(scan, {.rows = 4}), Names({"/a", " 1", "/c", "/b"}));
  const TreeViewRows shown = picked(scan, {.rows = 100});
  EXPECT_TRUE(shown.rows.back().elsewhere);
  EXPECT_FALSE(shown.rows.front().elsewhere);
  EXPECT_EQ(shown.rest.entries, 0U);
}

TEST(TreeViewRows, GoNoDeeperThanAllowed) {
  Planted planted("/r");
  plant(planted);
  EXPECT_EQ(names(planted.scan(), {.rows = 100, .depth = 1}),
            Names({"/r", " big", " file", " small"}));
}

TEST(TreeViewRows, BreakTiesByPath) {
  Planted planted("/r");
  for (const char* name : {"d", "b", "e", "a", "c"}) planted.file(planted.root(), name, 8);
  EXPECT_EQ(names(planted.scan(), {.rows = 4}), Names({"/r", " a", " b", " c"}));
}

TEST(TreeViewRows, FoldDirectoriesWithASingleEntry) {
  Planted planted("/r");
  const fs::DirId a = planted.directory(planted.root(), 1, "a");
  const fs::DirId c = planted.directory(planted.directory(a, 2, "b"), 3, "c");
  planted.file(c, "file", 5);
  const fs::DirId two = planted.directory(planted.root(), 1, "two");
  planted.directory(two, 2, "one of them");
  planted.file(two, "other", 3);
  const fs::Scan scan = planted.scan();
  EXPECT_EQ(names(scan, {.rows = 100}),
            Names({"/r", " a/b/c/file", " two", "  other", "  one of them"}));
  const TreeViewRow row = picked(scan, {.rows = 100}).rows[1];
  EXPECT_EQ(scan.tree.node(row.top), row.above.front());
  EXPECT_EQ(row.above.size(), 3U);
  EXPECT_EQ(row.weight, 5 * 512U);
}

TEST(TreeViewRows, FoldAChainThatEndsInAnEmptyOrAFullDirectory) {
  Planted planted("/r");
  planted.directory(planted.directory(planted.root(), 1, "empty"), 2, "chain");
  const fs::DirId end = planted.directory(planted.directory(planted.root(), 1, "full"), 2, "end");
  planted.file(end, "1", 2);
  planted.file(end, "2", 1);
  EXPECT_EQ(names(planted.scan(), {.rows = 100}),
            Names({"/r", " full/end", "  1", "  2", " empty/chain"}));
}

TEST(TreeViewRows, FoldADirectoryWhoseOtherEntriesAreFilteredOut) {
  Planted planted("/r");
  const fs::DirId a = planted.directory(planted.root(), 1, "a");
  planted.filtered_out(planted.directory(a, 2, "without"));
  const fs::DirId b = planted.directory(a, 2, "b");
  planted.filtered_out(planted.directory(b, 3, "also without"));
  planted.file(b, "file", 5);
  EXPECT_EQ(names(planted.scan(), {.rows = 100}), Names({"/r", " a/b/file"}));
}

TEST(TreeViewRows, OfARootWithOneFileAreTwo) {
  Planted planted("/r");
  planted.file(planted.root(), "file", 5);
  const fs::Scan scan = planted.scan();
  EXPECT_EQ(names(scan, {.rows = 100}), Names({"/r", " file"}));
  EXPECT_EQ(names(scan, {.rows = 100, .depth = 0}), Names({"/r"}));
}

TEST(TreeViewRows, SumUpHiddenEntries) {
  Planted planted("/r");
  plant(planted);
  const fs::Scan scan = planted.scan();
  const auto rest = [&scan](TreeViewLimits limits, Order order = Order::size) {
    return picked(scan, limits, order).rest;
  };
  EXPECT_EQ(rest({.rows = 1}).entries, 0U);  // the root includes everything
  EXPECT_EQ(rest({.rows = 100, .depth = 1}).entries, 0U);
  EXPECT_EQ(rest({.rows = 100}).weight, 0U);
  // Shown are /r, big and file; hidden is small with its two files.
  EXPECT_EQ(rest({.rows = 3}).entries, 3U);
  EXPECT_EQ(rest({.rows = 3}).weight, 25 * 512U);
  EXPECT_EQ(rest({.rows = 3}, Order::count).weight, 1U);  // only file
}

TEST(TreeViewRows, AreInTheRequestedOrder) {
  Planted planted("/r");
  plant(planted);
  const fs::DirId many = planted.directory(planted.root(), 1, "a");
  for (const char* name : {"1", "2", "3"}) planted.file(many, name, 0);
  const fs::Scan scan = planted.scan();
  const auto in = [&scan](Order order) { return names(scan, {.rows = 100, .depth = 1}, order); };
  EXPECT_EQ(in(Order::size), Names({"/r", " big", " file", " small", " a"}));
  EXPECT_EQ(in(Order::name), Names({"/r", " a", " big", " file", " small"}));
  EXPECT_EQ(in(Order::count), Names({"/r", " a", " big", " small", " file"}));
  // A directory is as new as what was modified last in it.
  EXPECT_EQ(in(Order::mtime), Names({"/r", " a", " file", " small", " big"}));
}

TEST(TreeViewRows, MarkLowerBounds) {
  Planted planted("/r");
  const fs::DirId read = planted.directory(planted.root(), 1, "read");
  const fs::DirId unread = planted.directory(planted.root(), 1, "unread");
  planted.file(read, "f", 2);
  planted.file(unread, "f", 1);
  planted.incomplete(unread);
  const fs::Scan scan = planted.scan();
  EXPECT_EQ(names(scan, {.rows = 100}), Names({"/r", " read/f", " unread/f"}));
  const std::vector<TreeViewRow> rows = picked(scan, {.rows = 100}).rows;
  EXPECT_TRUE(rows[0].lower_bound);
  EXPECT_FALSE(rows[1].lower_bound);
  EXPECT_TRUE(rows[2].lower_bound);
}

std::string drawn(const fs::Scan& scan, const View& view, std::size_t beside = 0) {
  const fs::Totals totals(scan.tree);
  return tree_view(fs::ReportInput(scan, totals, view.measure, 0), view, beside);
}

TEST(TreeView, IsAlignedAndJoined) {
  Planted planted("/r");
  plant(planted);
  const fs::Scan scan = planted.scan();
  View view;
  view.terminal.width = 40;
  view.terminal.unicode = true;
  EXPECT_EQ(drawn(scan, view),
            "Tree by disk usage\n"
            "  73 KiB 100% ██████ /r/\n"
            "  40 KiB  55% ███▎   ├ big/\n"
            "  25 KiB  34% ██▏    │ ├ b1\n"
            "  15 KiB  21% █▎     │ └ b2\n"
            "  20 KiB  28% █▋     ├ file\n"
            "  13 KiB  17% █      └ small/\n"
            "  10 KiB  14% ▉        ├ s1\n"
            " 2.5 KiB   3% ▎        └ s2\n");
}

TEST(TreeView, OfDepthZeroShowsOnlyTheRoots) {
  Planted planted("/r");
  plant(planted);
  View view;
  view.terminal.width = 40;
  view.depth = 0;
  EXPECT_EQ(drawn(planted.scan(), view), "Tree by disk usage\n 73 KiB 100% ###### /r/\n");
}

TEST(TreeView, AlignsTheRestIfItsFigureIsTheWidest) {
  Planted planted("/r");
  planted.file(planted.root(), "12 MiB", 24'000);
  for (int i = 0; i < 300; ++i) planted.file(planted.root(), std::to_string(i), 1);
  View view;
  view.top = 2;
  EXPECT_EQ(drawn(planted.scan(), view),
            "Tree by disk usage\n"
            "  12 MiB  100%  ##################  /r/\n"
            "  12 MiB   99%  ##################  `- 12 MiB\n"
            " 150 KiB    1%  #                   and 300 more entries\n");
}

TEST(TreeView, UsesTheHeightThatIsLeft) {
  Planted planted("/r");
  for (int i = 0; i < 300; ++i) planted.file(planted.root(), std::to_string(i), 1);
  const fs::Scan scan = planted.scan();
  View view;
  const auto lines = [&](unsigned height, std::size_t beside) {
    view.terminal.height = height;
    const std::string text = drawn(scan, view, beside);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines(24, 7), 17);
  EXPECT_EQ(lines(60, 7), 53);
  EXPECT_EQ(lines(100, 0), 100);
  EXPECT_EQ(lines(0, 7), 1 + 24 + 1);  // unknown: two dozen rows
  EXPECT_EQ(lines(8, 7), 1 + 3 + 1);   // never fewer than three
}

TEST(TreeView, ShowsFactsOnAWideTerminal) {
  Planted planted("/r");
  plant(planted);
  planted.file(planted.root(), "old", 1);
  const fs::Scan scan = planted.scan();
  View view;
  view.terminal.width = 120;
  view.terminal.person = true;
  view.depth = 1;
  const std::string owner = fs::system_owner_names().user(0).value_or("0");
  const std::string pad(owner.size() < 5 ? 5 - owner.size() : 0, ' ');
  const std::string who = "1970-01-01  " + owner + pad + "  ";
  ::setenv("TZ", "UTC", 1);
  ::tzset();
  EXPECT_EQ(drawn(scan, view),
            "Tree by disk usage                   Entries  Modified    Owner\n"
            " 73 KiB  100%  ####################        9  " +
                who +
                "/r/\n"
                " 40 KiB   55%  ###########                 3  " +
                who +
                "|- big/\n"
                " 20 KiB   27%  #####                          " +
                who +
                "|- file\n"
                " 13 KiB   17%  ###                         3  " +
                who +
                "|- small/\n"
                "  512 B    1%  #                              " +
                who + "`- old\n");
  view.terminal.width = 119;
  EXPECT_EQ(drawn(scan, view).find("Owner"), std::string::npos);
  view.terminal.width = 120;
  view.terminal.person = false;
  EXPECT_EQ(drawn(scan, view).find("Owner"), std::string::npos);
  view.terminal.person = true;
  view.order = Order::count;
  const std::string counted = drawn(scan, view);
  EXPECT_NE(counted.find("    Size  Modified"), std::string::npos) << counted;
}

TEST(TreeView, FitsEveryWidthAtAnyDepth) {
  Planted planted("/a root with a rather long name that no narrow terminal could show");
  fs::DirId directory = planted.root();
  for (std::uint32_t depth = 1; depth <= 200; ++depth) {
    directory =
        planted.directory(directory, depth, "directory 大大大大大 " + std::to_string(depth));
    planted.file(directory, std::string(200, 'x') + "\n\xff", 1);
  }
  const fs::Scan scan = planted.scan();
  for (unsigned width = 40; width <= 210; width += 10) {
    for (const bool unicode : {false, true}) {
      View view;
      view.terminal.width = width;
      view.terminal.unicode = unicode;
      view.terminal.person = unicode;
      const std::string text = drawn(scan, view);
      ASSERT_GT(text.size(), 100U);
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = text.find('\n', begin);
        EXPECT_LE(columns_of(text.substr(begin, end - begin)), width);
        begin = end + 1;
      }
    }
  }
}

}  // namespace
}  // namespace fathom::cli
