// What a user relies on in a comparison: the balance is exact, and names each change by its kind.

#include "fathom/store/diff.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/filesystem_id.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree_builder.h"
#include "fathom/rt/parallel.h"
#include "fathom/testing/oracle.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::store {
namespace {

using testing::TempTree;
using State = DiffDirectory::State;

rt::Executor& executor() {
  static rt::Executor shared({.threads = 2});
  return shared;
}

Snapshot take(const std::vector<std::string>& roots) {
  fs::ScanOptions scan_options;
  scan_options.roots = roots;
  scan_options.threads = 1;
  scan_options.read_times = true;
  const fs::Scan scan = fs::scan(scan_options);
  SnapshotOptions options;
  options.meta.roots = roots;
  options.filesystem_ids = fs::filesystem_ids(scan.tree);
  // Without an identity of the filesystem, as in some containers, these tests still are about
  // moves.
  scan.tree.for_each_node(
      [&](fs::NodeId node) { options.filesystem_ids.emplace(scan.tree.device(node), "made-up"); });
  return Snapshot::of(scan, options, executor());
}

// Takes a snapshot, changes the tree, and compares. Sizes are apparent ones: how many blocks a file
// takes is the filesystem's decision.
Diff change(const TempTree& tree, const std::function<void()>& edit, DiffOptions options = {}) {
  options.measure = fs::Measure::apparent;
  const Snapshot before = take({tree.path()});
  edit();
  return compare(before, take({tree.path()}), options, executor());
}

// What was created and removed, without directories, whose sizes differ between filesystems.
Balance of_files(const DiffList& list) {
  Balance balance;
  for (const DiffItem& item : list.items) {
    if (item.kind == fs::Kind::directory) continue;
    balance.created += item.after;
    balance.removed += item.before;
  }
  return balance;
}

std::vector<std::string> paths_of(const DiffList& list, const TempTree& tree) {
  std::vector<std::string> paths;
  for (const DiffItem& item : list.items) {
    std::string path = item.path.substr(tree.path().size());
    if (!item.from.empty()) path = item.from.substr(tree.path().size()) + " -> " + path;
    if (path.empty()) continue;  // the size of the tree's own directory
    paths.push_back(path);
  }
  return paths;
}

using Paths = std::vector<std::string>;

TEST(Diff, OfAQuietTreeIsEmpty) {
  TempTree tree;
  tree.file("a/b", 100);
  const Diff diff = change(tree, [] {});
  EXPECT_EQ(diff.balance, Balance{});
  EXPECT_EQ(diff.before, diff.after);
  EXPECT_TRUE(diff.directories.empty());
  EXPECT_EQ(diff.changed.count + diff.created.count + diff.removed.count + diff.moved.count, 0U);
}

TEST(Diff, NamesAFileThatHasGrown) {
  TempTree tree;
  tree.file("a/b", 100);
  tree.file("a/c", 100);
  const Diff diff = change(tree, [&] { tree.file("a/b", 350); });
  EXPECT_EQ(diff.balance.grown, 250U);
  EXPECT_EQ(diff.balance.total(), 250);
  ASSERT_EQ(diff.changed.items.size(), 1U);
  EXPECT_EQ(diff.changed.items[0].path, tree.path("a/b"));
  EXPECT_EQ(diff.changed.items[0].before, 100U);
  EXPECT_EQ(diff.changed.items[0].after, 350U);
  ASSERT_EQ(diff.directories.size(), 2U);
  EXPECT_EQ(diff.path_of(1), tree.path("a"));
  EXPECT_EQ(diff.directories[1].change(), 250);
}

TEST(Diff, NamesAFileThatHasShrunk) {
  TempTree tree;
  tree.file("a", 100);
  const Diff diff = change(tree, [&] { tree.file("a", 30); });
  EXPECT_EQ(diff.balance.shrunk, 70U);
  EXPECT_EQ(diff.balance.total(), -70);
}

TEST(Diff, NamesACreatedDirectoryOnceWithEverythingInIt) {
  TempTree tree;
  tree.file("old", 5);
  const Diff diff = change(tree, [&] {
    tree.file("new/deep/x", 100);
    tree.file("new/y", 20);
  });
  EXPECT_EQ(paths_of(diff.created, tree), Paths{"/new"});
  EXPECT_GE(diff.created.items[0].after, 120U);
  EXPECT_EQ(diff.created.count, 1U);
}

TEST(Diff, NamesARemovedDirectoryOnce) {
  TempTree tree;
  tree.file("gone/deep/x", 100);
  tree.file("stays", 1);
  const Diff diff = change(tree, [&] { std::filesystem::remove_all(tree.path("gone")); });
  EXPECT_EQ(paths_of(diff.removed, tree), Paths{"/gone"});
  EXPECT_EQ(diff.created.count, 0U);
}

TEST(Diff, TellsAnEntryThatBecameADirectoryFromAChange) {
  TempTree tree;
  tree.file("x", 100);
  const Diff diff = change(tree, [&] {
    std::filesystem::remove(tree.path("x"));
    tree.dir("x");
  });
  EXPECT_EQ(paths_of(diff.removed, tree), Paths{"/x"});
  EXPECT_EQ(paths_of(diff.created, tree), Paths{"/x"});
}

TEST(Diff, OrdersChangesByTheirAbsoluteSize) {
  TempTree tree;
  tree.file("a", 10);
  tree.file("b", 1000);
  tree.file("c", 500);
  const Diff diff = change(tree, [&] {
    tree.file("a", 20);
    tree.file("b", 1);
    tree.file("c", 1000);
  });
  EXPECT_EQ(paths_of(diff.changed, tree), (Paths{"/b", "/c", "/a"}));
}

TEST(Diff, KeepsTheLargestItemsAndCountsTheOthers) {
  TempTree tree;
  for (int i = 0; i < 50; ++i) tree.file("f" + std::to_string(i), 1);
  const Diff diff =
      change(tree,
             [&] {
               for (int i = 0; i < 50; ++i) {
                 tree.file("f" + std::to_string(i), 1000 + static_cast<std::size_t>(i));
               }
             },
             {.most = 3});
  EXPECT_EQ(paths_of(diff.changed, tree), (Paths{"/f49", "/f48", "/f47"}));
  EXPECT_GE(diff.changed.count, 50U);
}

// ---- Moves

TEST(Diff, RecognisesAMovedFile) {
  TempTree tree;
  tree.file("a/x", 100);
  tree.dir("b");
  const Diff diff =
      change(tree, [&] { std::filesystem::rename(tree.path("a/x"), tree.path("b/y")); });
  EXPECT_EQ(paths_of(diff.moved, tree), Paths{"/a/x -> /b/y"});
  EXPECT_EQ(diff.balance.moved_in, 100U);
  EXPECT_EQ(diff.balance.moved_out, 100U);
  EXPECT_EQ(of_files(diff.created).created, 0U);
  EXPECT_EQ(of_files(diff.removed).removed, 0U);
}

TEST(Diff, ChargesTheGrowthOfAMovedFileToItsNewPlace) {
  TempTree tree;
  tree.file("a/x", 100);
  tree.dir("b");
  const Diff diff = change(tree, [&] {
    std::filesystem::rename(tree.path("a/x"), tree.path("b/y"));
    std::filesystem::resize_file(tree.path("b/y"), 250);
  });
  EXPECT_EQ(diff.balance.moved_in, 100U);
  EXPECT_EQ(diff.balance.moved_out, 100U);
  EXPECT_EQ(diff.balance.grown, 150U);
}

TEST(Diff, TakesAMovedDirectoryAsOneMove) {
  TempTree tree;
  tree.file("a/d/x", 100);
  tree.file("a/d/deep/y", 200);
  tree.dir("b");
  const Diff diff =
      change(tree, [&] { std::filesystem::rename(tree.path("a/d"), tree.path("b/e")); });
  EXPECT_EQ(paths_of(diff.moved, tree), Paths{"/a/d -> /b/e"});
  EXPECT_EQ(diff.moved.count, 1U);
  EXPECT_GE(diff.balance.moved_in, 300U);
  EXPECT_EQ(diff.balance.moved_in, diff.balance.moved_out);
  EXPECT_EQ(diff.balance.created + diff.balance.removed, 0U);
}

TEST(Diff, ComparesInsideOfAMovedDirectory) {
  TempTree tree;
  tree.file("d/stays", 100);
  tree.file("d/grows", 100);
  tree.file("d/goes", 40);
  tree.file("d/sub/deep", 70);
  const Diff diff = change(tree, [&] {
    std::filesystem::rename(tree.path("d"), tree.path("e"));
    tree.file("e/grows", 130);
    std::filesystem::remove(tree.path("e/goes"));
    tree.file("e/comes", 7);
    tree.file("e/sub/more", 9);
  });
  EXPECT_EQ(paths_of(diff.moved, tree), Paths{"/d -> /e"});
  EXPECT_EQ(paths_of(diff.created, tree), (Paths{"/e/sub/more", "/e/comes"}));
  EXPECT_EQ(paths_of(diff.removed, tree), Paths{"/d/goes"});
  EXPECT_EQ(of_files(diff.created).created, 16U);
  EXPECT_EQ(of_files(diff.removed).removed, 40U);
}

TEST(Diff, FollowsADirectoryThatWasMovedOutOfARemovedOne) {
  TempTree tree;
  tree.file("old/keep/x", 100);
  tree.file("old/other", 5);
  const Diff diff = change(tree, [&] {
    std::filesystem::rename(tree.path("old/keep"), tree.path("kept"));
    std::filesystem::remove_all(tree.path("old"));
  });
  EXPECT_EQ(paths_of(diff.moved, tree), Paths{"/old/keep -> /kept"});
  EXPECT_EQ(paths_of(diff.removed, tree), Paths{"/old"});
}

TEST(Diff, FollowsADirectoryInsideOfAMovedOne) {
  TempTree tree;
  tree.file("a/b/c/x", 100);
  tree.dir("z");
  const Diff diff = change(tree, [&] {
    std::filesystem::rename(tree.path("a/b/c"), tree.path("z/c"));
    std::filesystem::rename(tree.path("a"), tree.path("y"));
    tree.file("y/b/c/new", 3);
  });
  EXPECT_EQ(paths_of(diff.moved, tree), (Paths{"/a -> /y", "/a/b/c -> /z/c"}));
}

TEST(Diff, FollowsFilesThatAreRotated) {
  TempTree tree;
  tree.file("log", 100);
  tree.file("log.1", 200);
  tree.file("log.2", 300);
  const Diff diff = change(tree, [&] {
    std::filesystem::rename(tree.path("log.1"), tree.path("log.2"));
    std::filesystem::rename(tree.path("log"), tree.path("log.1"));
    tree.file("log", 5);
  });
  EXPECT_EQ(paths_of(diff.moved, tree), (Paths{"/log.1 -> /log.2", "/log -> /log.1"}));
  EXPECT_EQ(paths_of(diff.created, tree), Paths{"/log"});
  EXPECT_EQ(paths_of(diff.removed, tree), Paths{"/log.2"});
  EXPECT_EQ(diff.changed.count, 0U);
}

TEST(Diff, TakesAFileThatWasSavedAnewForTheSame) {
  TempTree tree;
  tree.file("notes", 100);
  const Diff diff = change(tree, [&] {
    tree.file("notes~", 130);
    std::filesystem::rename(tree.path("notes~"), tree.path("notes"));
  });
  EXPECT_EQ(paths_of(diff.changed, tree), Paths{"/notes"});
  EXPECT_EQ(diff.balance.grown, 30U);
  EXPECT_EQ(diff.created.count + diff.removed.count + diff.moved.count, 0U);
}

TEST(Diff, FollowsDirectoriesThatAreRotated) {
  TempTree tree;
  tree.file("daily.0/x/y", 100);
  tree.file("daily.1/x/y", 200);
  const Diff diff = change(tree, [&] {
    std::filesystem::remove_all(tree.path("daily.1"));
    std::filesystem::rename(tree.path("daily.0"), tree.path("daily.1"));
    tree.file("daily.0/x/y", 300);
  });
  EXPECT_EQ(paths_of(diff.moved, tree), Paths{"/daily.0 -> /daily.1"});
  EXPECT_EQ(paths_of(diff.created, tree), Paths{"/daily.0"});
  EXPECT_EQ(paths_of(diff.removed, tree), Paths{"/daily.1"});
}

TEST(Diff, ComparesADirectoryThatWasMadeAnew) {
  TempTree tree;
  tree.file("build/sub/a", 100);
  tree.file("build/b", 100);
  const Diff diff = change(tree, [&] {
    std::filesystem::remove_all(tree.path("build"));
    tree.file("build/sub/a", 140);
    tree.file("build/b", 100);
    tree.file("build/new/c", 10);
  });
  EXPECT_EQ(paths_of(diff.changed, tree), Paths{"/build/sub/a"});
  EXPECT_EQ(paths_of(diff.created, tree), Paths{"/build/new"});
  EXPECT_EQ(diff.moved.count, 0U);
}

TEST(Diff, HasNoMovesWithoutTheIdentityOfTheFilesystem) {
  TempTree tree;
  tree.file("a", 100);
  const auto unknown = [&] {
    fs::ScanOptions options;
    options.roots = {tree.path()};
    options.read_times = true;
    SnapshotOptions snapshot;
    snapshot.meta.roots = options.roots;
    return Snapshot::of(fs::scan(options), snapshot, executor());
  };
  const Snapshot before = unknown();
  std::filesystem::rename(tree.path("a"), tree.path("b"));
  const Diff diff = compare(before, unknown(), {.measure = fs::Measure::apparent}, executor());
  EXPECT_EQ(diff.moved.count, 0U);
  EXPECT_EQ(diff.balance.created, 100U);
  EXPECT_EQ(diff.balance.removed, 100U);
  ASSERT_FALSE(diff.notes.empty());
  EXPECT_NE(diff.notes.back().find("no known identity"), std::string::npos);
}

// ---- Hard links

TEST(Diff, ReattributesAnInodeWhoseFirstNameIsGone) {
  TempTree tree;
  tree.file("a/first", 100);
  tree.dir("b");
  tree.hardlink("a/first", "b/second");
  const Diff diff = change(tree, [&] { std::filesystem::remove(tree.path("a/first")); });
  EXPECT_EQ(diff.balance.reattributed, 0);
  EXPECT_EQ(diff.balance.grown, 0U);
  EXPECT_EQ(of_files(diff.removed).removed, 0U);
  for (const DiffDirectory& directory : diff.directories) {
    if (directory.name == "a") {
      EXPECT_EQ(directory.balance.reattributed, -100);
    }
    if (directory.name == "b") {
      EXPECT_EQ(directory.balance.reattributed, 100);
    }
  }
}

TEST(Diff, ShowsDirectoriesThatChangedInOneThatIsInBalance) {
  TempTree tree;
  tree.file("top/a/first", 100);
  tree.dir("top/b");
  tree.hardlink("top/a/first", "top/b/second");
  const Snapshot before = take({tree.path()});
  std::filesystem::remove(tree.path("top/a/first"));
  // Blocks: the sizes of directories stay the same.
  const Diff diff = compare(before, take({tree.path()}), {}, executor());
  Paths paths;
  for (std::size_t i = 0; i < diff.directories.size(); ++i) paths.push_back(diff.path_of(i));
  EXPECT_EQ(paths, (Paths{tree.path(), tree.path("top"), tree.path("top/a"), tree.path("top/b")}));
  EXPECT_EQ(diff.balance, Balance{});
}

TEST(Diff, ReattributesAnInodeThatHasASmallerNameNow) {
  TempTree tree;
  tree.file("b/first", 100);
  tree.dir("a");
  const Diff diff = change(tree, [&] { tree.hardlink("b/first", "a/new"); });
  EXPECT_EQ(diff.balance.reattributed, 0);
  EXPECT_EQ(of_files(diff.created).created, 0U);
  EXPECT_EQ(diff.balance.shrunk, 0U);
}

TEST(Diff, KeepsTheGrowthOfAReattributedInode) {
  TempTree tree;
  tree.file("a", 100);
  tree.hardlink("a", "b");
  const Diff diff = change(tree, [&] {
    std::filesystem::remove(tree.path("a"));
    std::filesystem::resize_file(tree.path("b"), 160);
  });
  EXPECT_EQ(diff.balance.grown, 60U);
  EXPECT_EQ(of_files(diff.removed).removed, 0U);
}

// ---- A part of the tree

TEST(Diff, OfAPathIsAboutThisDirectoryAlone) {
  TempTree tree;
  tree.file("a/x", 100);
  tree.file("b/y", 100);
  const Diff diff = change(tree,
                           [&] {
                             tree.file("a/x", 300);
                             tree.file("b/y", 5000);
                           },
                           {.path = tree.path("a")});
  EXPECT_EQ(diff.balance.grown, 200U);
  EXPECT_EQ(diff.after - diff.before, 200U);
  EXPECT_EQ(paths_of(diff.changed, tree), Paths{"/a/x"});
  ASSERT_EQ(diff.directories.size(), 1U);
  EXPECT_EQ(diff.path_of(0), tree.path("a"));
}

TEST(Diff, OfAPathCountsWhatWasMovedInAndOut) {
  TempTree tree;
  tree.file("a/out", 100);
  tree.file("b/in", 30);
  const auto edit = [&] {
    std::filesystem::rename(tree.path("a/out"), tree.path("b/out"));
    std::filesystem::rename(tree.path("b/in"), tree.path("a/in"));
  };
  const Diff diff = change(tree, edit, {.path = tree.path("a")});
  EXPECT_EQ(diff.balance.moved_out, 100U);
  EXPECT_EQ(diff.balance.moved_in, 30U);
  EXPECT_EQ(diff.moved.count, 2U);
}

TEST(Diff, OfAPathInsideOfAMovedDirectoryIsAMove) {
  TempTree tree;
  tree.file("d/sub/x", 100);
  const auto edit = [&] { std::filesystem::rename(tree.path("d"), tree.path("e")); };
  const Diff diff = change(tree, edit, {.path = tree.path("d/sub")});
  EXPECT_EQ(diff.after, 0U);
  EXPECT_EQ(diff.balance.moved_out, diff.before);
  EXPECT_EQ(diff.balance.total(), -static_cast<std::int64_t>(diff.before));
}

TEST(Diff, OfAPathThatIsInNeitherSnapshotIsRefused) {
  TempTree tree;
  try {
    change(tree, [] {}, {.path = "/nowhere"});
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_STREQ(error.what(), "/nowhere is not a directory in either snapshot");
  }
}

// ---- Groups

TEST(Diff, SumsChangesByExtension) {
  TempTree tree;
  tree.file("a.log", 100);
  tree.file("b.txt", 100);
  const Diff diff = change(tree,
                           [&] {
                             tree.file("a.log", 400);
                             std::filesystem::remove(tree.path("b.txt"));
                             tree.file("c.LOG", 50);
                           },
                           {.by_extension = true});
  ASSERT_GE(diff.extensions.size(), 2U);
  EXPECT_EQ(diff.extensions[0].name, "log");
  EXPECT_EQ(diff.extensions[0].added, 350U);
  EXPECT_EQ(diff.extensions[1].name, "txt");
  EXPECT_EQ(diff.extensions[1].change(), -100);
}

TEST(Diff, ChargesAChangeOfTheOwnerToBoth) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  TempTree tree;
  tree.file("a", 100);
  const Diff diff = change(tree, [&] { ASSERT_EQ(::chown(tree.path("a").c_str(), 4711, 4712), 0); },
                           {.by_owner = true});
  ASSERT_EQ(diff.owners.size(), 2U);
  EXPECT_EQ(diff.owners[0].change() + diff.owners[1].change(), 0);
  EXPECT_TRUE(diff.owners[0].id == 4711 || diff.owners[1].id == 4711);
  EXPECT_EQ(diff.balance, Balance{});
}

// ---- What cannot be compared

// So many entries that several threads compare them. Each file has `size` bytes.
Snapshot many_entries(std::uint64_t size) {
  fs::Scan scan;
  fs::TreeBuilder builder;
  fs::NodeId root = fs::kNoNode;
  std::uint64_t inode = 0;
  const auto entry = [&](std::uint16_t mode) {
    return fs::Entry{.inode = ++inode, .device = 1, .links = 1, .mode = mode};
  };
  {
    fs::TreeBuilder::Appender rows(builder);
    const auto top = rows.add_directory(fs::kNoDir, 0, "/t", entry(S_IFDIR | 0755));
    root = top.node;
    for (int i = 0; i < 400; ++i) {
      const auto in = rows.add_directory(top.id, 1, "d" + std::to_string(i), entry(S_IFDIR | 0755));
      for (int j = 0; j < 500; ++j) {
        fs::Entry file = entry(S_IFREG | 0644);
        file.size = size;
        rows.add(in.id, std::to_string(j), file);
      }
    }
  }
  scan.roots = {"/t"};
  scan.tree = builder.finish({root});
  SnapshotOptions options;
  options.meta.roots = scan.roots;
  return Snapshot::of(scan, options, executor());
}

TEST(Diff, MayBeAskedForByWorkersOfAnotherExecutor) {
  const Snapshot before = many_entries(1);
  const Snapshot after = many_entries(3);
  rt::Executor other({.threads = 2});
  rt::parallel_for(other, 0, 4, [&](int) {
    rt::Executor own({.threads = 2});
    const Diff diff = compare(before, after, {.measure = fs::Measure::apparent}, own);
    EXPECT_EQ(diff.balance.grown, 400'000U);
    EXPECT_EQ(diff.changed.count, 200'000U);
  });
}

TEST(Diff, EndsWhenItIsCancelled) {
  rt::CancelSource source;
  source.cancel();
  EXPECT_THROW(static_cast<void>(compare(many_entries(1), many_entries(3),
                                         {.cancel = source.token()}, executor())),
               base::Error);
}

TEST(Diff, OfSnapshotsWithoutACommonRootIsRefused) {
  TempTree a;
  TempTree b;
  EXPECT_THROW(static_cast<void>(compare(take({a.path()}), take({b.path()}), {}, executor())),
               base::Error);
}

TEST(Diff, SaysWhichRootsAreNotCompared) {
  TempTree tree;
  tree.file("a/x", 100);
  tree.file("b/y", 100);
  const Snapshot before = take({tree.path("a")});
  tree.file("a/x", 200);
  const Snapshot after = take({tree.path("a"), tree.path("b")});
  const Diff diff = compare(before, after, {.measure = fs::Measure::apparent}, executor());
  EXPECT_EQ(diff.balance.total(), 100);
  EXPECT_EQ(diff.balance.created, 0U);
  ASSERT_FALSE(diff.notes.empty());
  EXPECT_EQ(diff.notes[0], "only in the second snapshot, and not compared: " + tree.path("b"));
}

TEST(Diff, ComparesRootsThatAreNotDirectories) {
  TempTree tree;
  tree.file("a", 100);
  tree.file("b", 100);
  const std::vector<std::string> roots = {tree.path("a"), tree.path("b")};
  const Snapshot before = take(roots);
  tree.file("b", 175);
  const Diff diff = compare(before, take(roots), {.measure = fs::Measure::apparent}, executor());
  EXPECT_EQ(diff.before, 200U);
  EXPECT_EQ(diff.after, 275U);
  EXPECT_EQ(diff.changed.items.at(0).path, tree.path("b"));
}

TEST(Diff, FollowsAReplacedRootThatIsAFileBesideOneThatIsNotCompared) {
  TempTree tree;
  tree.file("a", 100);
  tree.file("b", 100);
  const Snapshot before = take({tree.path("a"), tree.path("b")});
  tree.file("new", 130);
  std::filesystem::rename(tree.path("new"), tree.path("b"));
  const Diff diff =
      compare(before, take({tree.path("b")}), {.measure = fs::Measure::apparent}, executor());
  EXPECT_EQ(diff.changed.items.at(0).path, tree.path("b"));
  EXPECT_EQ(diff.balance.total(), 30);
  EXPECT_EQ(diff.removed.count, 0U);
}

TEST(Diff, TakesARootThatIsGoneForRemoved) {
  TempTree tree;
  tree.file("a/x", 100);
  tree.file("b/y", 100);
  const std::vector<std::string> roots = {tree.path("a"), tree.path("b")};
  const Snapshot before = take(roots);
  std::filesystem::remove_all(tree.path("b"));
  const Diff diff = compare(before, take(roots), {.measure = fs::Measure::apparent}, executor());
  EXPECT_EQ(diff.removed.items.at(0).path, tree.path("b"));
  EXPECT_EQ(diff.balance.total(), static_cast<std::int64_t>(diff.after - diff.before));
}

// ---- Any change of any tree

// Splitmix64 (Steele, Lea and Flood, 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::size_t below(std::size_t limit) {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return static_cast<std::size_t>((z ^ z >> 31) % limit);
  }

 private:
  std::uint64_t state_;
};

// Edits a tree at random. Steps that are not possible do nothing.
class Editor {
 public:
  Editor(TempTree& tree, std::uint64_t seed) : tree_(tree), random_(seed) {}

  void edit(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) step();
  }

 private:
  std::string any_path() {
    constexpr std::string_view kNames[] = {"a", "b", "c.log", "d.LOG", "e\xff", "f", "g.txt"};
    std::string path;
    const std::size_t depth = 1 + random_.below(4);
    for (std::size_t i = 0; i < depth; ++i) {
      path += (i == 0 ? "" : "/") + std::string(kNames[random_.below(std::size(kNames))]);
    }
    return tree_.path(path);
  }

  // An existing one, often.
  std::string existing() {
    std::vector<std::string> all;
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(tree_.path(), error)) {
      all.push_back(entry.path());
    }
    std::sort(all.begin(), all.end());
    return all.empty() ? any_path() : all[random_.below(all.size())];
  }

  void write(const std::string& path, int flags) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | flags, 0644);
    if (file < 0) return;
    const std::string content(random_.below(20'000), 'x');
    EXPECT_GE(::write(file, content.data(), content.size()), 0);
    ::close(file);
  }

  void step() {
    std::error_code ignored;
    switch (random_.below(12)) {
      case 0:
        std::filesystem::create_directories(any_path(), ignored);
        break;
      case 1:
      case 2:
        write(any_path(), 0);
        break;
      case 3:
        write(existing(), O_APPEND);
        break;
      case 4:
        static_cast<void>(
            ::truncate(existing().c_str(), static_cast<off_t>(random_.below(30'000))));
        break;
      case 5:
      case 6:
        std::filesystem::rename(existing(), any_path(), ignored);
        break;
      case 7:
        static_cast<void>(::link(existing().c_str(), any_path().c_str()));
        break;
      case 8:
        static_cast<void>(::unlink(existing().c_str()));
        break;
      case 9:
        static_cast<void>(::chmod(existing().c_str(), random_.below(2) == 0 ? 0755 : 0700));
        break;
      case 10: {
        // As editors save a file.
        const std::string path = existing();
        write(path + "~", O_TRUNC);
        std::filesystem::rename(path + "~", path, ignored);
        break;
      }
      default:
        if (random_.below(4) == 0) std::filesystem::remove_all(existing(), ignored);
    }
  }

  TempTree& tree_;
  Random random_;
};

// The sizes of all directories of a snapshot, as the tree has them.
std::map<std::string, std::uint64_t> sizes_of(const Snapshot& snapshot, fs::Measure measure) {
  const fs::Scan scan = snapshot.load();
  const fs::Totals totals(scan.tree);
  std::map<std::string, std::uint64_t> sizes;
  scan.tree.for_each_directory([&](fs::DirId id) {
    sizes[scan.tree.path(scan.tree.node(id))] = fs::bytes_of(totals.below(id), measure);
  });
  return sizes;
}

void expect_exact(const Diff& diff, const Snapshot& before, const Snapshot& after,
                  fs::Measure measure) {
  EXPECT_EQ(diff.before, fs::bytes_of(before.meta().totals, measure));
  EXPECT_EQ(diff.after, fs::bytes_of(after.meta().totals, measure));
  EXPECT_EQ(diff.balance.total(), static_cast<std::int64_t>(diff.after - diff.before));
  EXPECT_EQ(diff.balance.reattributed, 0);
  EXPECT_EQ(diff.balance.moved_in, diff.balance.moved_out);
  const auto was = sizes_of(before, measure);
  const auto is = sizes_of(after, measure);
  const auto size_in = [](const auto& sizes, const std::string& path) {
    const auto found = sizes.find(path);
    return found == sizes.end() ? 0 : found->second;
  };
  std::map<std::string, std::int64_t> reported;
  for (std::size_t i = 0; i < diff.directories.size(); ++i) {
    const DiffDirectory& directory = diff.directories[i];
    EXPECT_EQ(directory.balance.total(), directory.change()) << diff.path_of(i);
    reported[diff.path_of(i)] += directory.change();
  }
  for (const auto& [path, change] : reported) {
    EXPECT_EQ(change, static_cast<std::int64_t>(size_in(is, path) - size_in(was, path))) << path;
  }
  // A directory that is on both sides and is not reported has the same size.
  for (const auto& [path, size] : was) {
    if (is.contains(path) && !reported.contains(path)) {
      EXPECT_EQ(size, is.at(path)) << path;
    }
  }
  for (const auto* groups : {&diff.owners, &diff.groups, &diff.extensions}) {
    std::int64_t sum = 0;
    for (const DiffGroup& group : *groups) sum += group.change();
    EXPECT_EQ(sum, diff.balance.total());
  }
}

std::size_t scripts() {
  const char* const wanted = std::getenv("FATHOM_EDIT_SCRIPTS");
  return wanted == nullptr ? 60 : std::strtoul(wanted, nullptr, 10);
}

TEST(DiffOfAnyEdits, BalancesToTheByte) {
  for (std::size_t seed = 1; seed <= scripts() && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    TempTree tree;
    Editor editor(tree, seed);
    editor.edit(40);
    const Snapshot before = take({tree.path()});
    editor.edit(1 + seed % 30);
    const Snapshot after = take({tree.path()});
    for (const auto measure : {fs::Measure::disk, fs::Measure::apparent}) {
      expect_exact(
          compare(before, after, {.measure = measure, .by_owner = true, .by_extension = true},
                  executor()),
          before, after, measure);
    }
    const Diff back = compare(after, before, {}, executor());
    EXPECT_EQ(back.balance.total(), static_cast<std::int64_t>(back.after - back.before));
    if (seed % 20 == 0) {
      EXPECT_EQ(after.meta().totals.disk_bytes, testing::count({tree.path()}).disk_bytes);
    }
  }
}

}  // namespace
}  // namespace fathom::store
