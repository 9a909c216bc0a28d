// Tests of TreeViewRows, which selects the rows, and of the layout of the tree view.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <optional>
#include <string>
#include <vector>

#include "columns.h"
#include "fathom/fs/tree_builder.h"
#include "scan/tree_view.h"
#include "scan/tree_view_rows.h"

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

// The names of the rows, indented by one blank per level.
std::vector<std::string> names(const fs::Scan& scan, TreeViewLimits limits,
                               Order order = Order::size) {
  const fs::Totals totals(scan.tree);
  std::vector<std::string> names;
  for (const TreeViewRow& row :
       tree_view_rows(scan.tree, fs::Children(scan.tree), totals, fs::Measure::disk, limits, order)
           .rows) {
    names.push_back(std::string(row.depth, ' ') + std::string(scan.tree.name(row.node)));
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

TEST(TreeViewRows, AreTheLargestEntriesFromTheRootDown) {
  Planted planted("/r");
  plant(planted);
  const fs::Scan scan = planted.scan();
  EXPECT_EQ(names(scan, {.rows = 1}), Names({"/r"}));
  EXPECT_EQ(names(scan, {.rows = 3}), Names({"/r", " big", "  b1"}));
  EXPECT_EQ(names(scan, {.rows = 4}), Names({"/r", " big", "  b1", " file"}));
  EXPECT_EQ(names(scan, {.rows = 6}), Names({"/r", " big", "  b1", "  b2", " file", " small"}));
  EXPECT_EQ(names(scan, {.rows = 100}).size(), 8U);
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
  const fs::DirId b = planted.directory(a, 2, "b");
  const fs::DirId c = planted.directory(b, 3, "c");
  planted.file(c, "file", 5);
  const fs::DirId two = planted.directory(planted.root(), 1, "two");
  planted.directory(two, 2, "one of them");
  planted.file(two, "other", 3);
  const fs::Scan scan = planted.scan();
  const fs::Totals totals(scan.tree);
  const auto rows =
      tree_view_rows(scan.tree, fs::Children(scan.tree), totals, fs::Measure::disk, {.rows = 100})
          .rows;
  ASSERT_EQ(rows.size(), 6U);
  ASSERT_EQ(rows[1].above.size(), 2U);
  EXPECT_EQ(scan.tree.name(rows[1].above[0]), "a");
  EXPECT_EQ(scan.tree.name(rows[1].above[1]), "b");
  EXPECT_EQ(scan.tree.name(rows[1].node), "c");
  EXPECT_EQ(scan.tree.name(rows[2].node), "file");
  EXPECT_EQ(rows[2].depth, 2U);
  EXPECT_TRUE(rows[0].above.empty());  // a root keeps its name
  EXPECT_TRUE(rows[3].above.empty());
}

TEST(TreeViewRows, SumUpHiddenEntries) {
  Planted planted("/r");
  plant(planted);
  const fs::Scan scan = planted.scan();
  const fs::Totals totals(scan.tree);
  const auto rest = [&](TreeViewLimits limits, Order order = Order::size) {
    return tree_view_rows(scan.tree, fs::Children(scan.tree), totals, fs::Measure::disk, limits,
                          order)
        .rest;
  };
  EXPECT_EQ(rest({.rows = 1}).entries, 0U);  // the root includes everything
  EXPECT_EQ(rest({.rows = 100, .depth = 1}).entries, 0U);
  EXPECT_EQ(rest({.rows = 100}).weight, 0U);
  // Shown are /r, big and b1; hidden are b2, file, and small with its two files.
  EXPECT_EQ(rest({.rows = 3}).entries, 5U);
  EXPECT_EQ(rest({.rows = 3}).weight, (30 + 40 + 25) * 512U);
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
  const fs::Totals totals(scan.tree);
  const auto rows =
      tree_view_rows(scan.tree, fs::Children(scan.tree), totals, fs::Measure::disk, {.rows = 100})
          .rows;
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_TRUE(rows[0].lower_bound);
  EXPECT_FALSE(rows[1].lower_bound);
  EXPECT_TRUE(rows[3].lower_bound);
  EXPECT_EQ(scan.tree.name(rows[3].node), "unread");
}

std::string drawn(const fs::Scan& scan, const View& view) {
  const fs::Totals totals(scan.tree);
  return tree_view(fs::ReportInput(scan, totals, view.measure, 0), view);
}

TEST(TreeView, IsAlignedAndJoined) {
  Planted planted("/r");
  plant(planted);
  const fs::Scan scan = planted.scan();
  View view;
  view.terminal.width = 40;
  view.terminal.unicode = true;
  EXPECT_EQ(drawn(scan, view),
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
  EXPECT_EQ(drawn(planted.scan(), view), " 73 KiB 100% ###### /r/\n");
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
