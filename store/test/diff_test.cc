// What a user relies on in a comparison: the balance is exact, and names each change by its kind.

#include "fathom/store/diff.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "compared.h"
#include "fathom/base/error.h"
#include "fathom/fs/table.h"
#include "fathom/fs/tree_builder.h"
#include "fathom/rt/parallel.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::store {
namespace {

using testing::TempTree;
using State = DiffDirectory::State;

// Takes a snapshot, changes the tree, and compares. Sizes are apparent ones: how many blocks a file
// takes is the filesystem's decision.
Diff change(const TempTree& tree, const std::function<void()>& edit, DiffOptions options = {}) {
  options.measure = fs::Measure::apparent;
  const Snapshot before = take({tree.path()});
  const KeptInodes kept(tree.path());
  edit();
  return compare(before, take({tree.path()}), options, executor());
}

// Also the size of a directory itself is the filesystem's decision. It may change with each entry
// that comes or goes, so what these tests expect exactly is about files.

// What was created and removed.
Balance of_files(const DiffList& list) {
  Balance balance;
  for (const DiffItem& item : list.items) {
    if (item.kind == fs::Kind::directory) continue;
    balance.created += item.after;
    balance.removed += item.before;
  }
  return balance;
}

// The balance without what directories have grown or shrunk themselves.
Balance without_directories(const Diff& diff) {
  Balance balance = diff.balance;
  for (const DiffItem& item : diff.changed.items) {
    if (item.kind != fs::Kind::directory) continue;
    balance.grown -= item.after > item.before ? item.after - item.before : 0;
    balance.shrunk -= item.before > item.after ? item.before - item.after : 0;
  }
  return balance;
}

std::vector<std::string> paths_of(const DiffList& list, const TempTree& tree) {
  std::vector<std::string> paths;
  for (const DiffItem& item : list.items) {
    std::string path = item.path.substr(tree.path().size());
    if (!item.from.empty()) path = item.from.substr(tree.path().size()) + " -> " + path;
    paths.push_back(path);
  }
  return paths;
}

std::vector<std::string> changed_files(const Diff& diff, const TempTree& tree) {
  DiffList files = diff.changed;
  std::erase_if(files.items, [](const DiffItem& item) { return item.kind == fs::Kind::directory; });
  return paths_of(files, tree);
}

using Paths = std::vector<std::string>;
using Moved = std::pair<std::uint64_t, std::uint64_t>;  // in, out

// Of the directory that is at the path, or was.
Moved moved_in(const Diff& diff, const TempTree& tree, const std::string& path) {
  for (std::size_t i = 0; i < diff.directories.size(); ++i) {
    if (diff.path_of(i) != tree.path(path)) continue;
    return {diff.directories[i].balance.moved_in, diff.directories[i].balance.moved_out};
  }
  ADD_FAILURE() << path << " is not reported";
  return {};
}

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
  EXPECT_EQ(changed_files(diff, tree), (Paths{"/b", "/c", "/a"}));
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
  EXPECT_EQ(changed_files(diff, tree), (Paths{"/f49", "/f48", "/f47"}));
  EXPECT_GE(diff.changed.count, 50U);
}

TEST(Diff, LeavesOutEntriesWithVeryLongPaths) {
  TempTree tree;
  std::string folder = "top";
  while (tree.path(folder).size() < fs::kLongestPath - 200) folder += "/some-directory";
  const std::string longest(fs::kLongestPath - tree.path(folder).size() - 1, 'l');
  tree.dir(folder);
  tree.file("to-be-moved", 30);
  const Snapshot before = take({tree.path()});
  tree.file(folder + '/' + longest, 10);
  tree.file(folder + '/' + longest + "er", 20);
  const base::Fd in(::open(tree.path(folder).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::string moved = longest + "-moved";
  ASSERT_EQ(::renameat(AT_FDCWD, tree.path("to-be-moved").c_str(), in.get(), moved.c_str()), 0);
  const Snapshot after = take({tree.path()});
  for (const bool back : {false, true}) {
    SCOPED_TRACE(back);
    const Diff diff =
        back ? compare(after, before, {}, executor()) : compare(before, after, {}, executor());
    const DiffList& found = back ? diff.removed : diff.created;
    EXPECT_EQ(paths_of(found, tree), Paths{'/' + folder + '/' + longest});
    EXPECT_EQ(found.count, 2U);
    EXPECT_EQ(found.too_long, 1U);
    EXPECT_EQ(paths_of(diff.moved, tree), Paths{});
    EXPECT_EQ(diff.moved.count, 1U);
    EXPECT_EQ(diff.moved.too_long, 1U);
  }
}

// ---- Moves

TEST(Diff, RecognisesAMovedFile) {
  TempTree tree;
  tree.file("a/x", 100);
  tree.dir("b");
  const Diff diff =
      change(tree, [&] { std::filesystem::rename(tree.path("a/x"), tree.path("b/y")); });
  EXPECT_EQ(paths_of(diff.moved, tree), Paths{"/a/x -> /b/y"});
  EXPECT_EQ(moved_in(diff, tree, "a"), Moved(0, 100));
  EXPECT_EQ(moved_in(diff, tree, "b"), Moved(100, 0));
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
  EXPECT_EQ(moved_in(diff, tree, "a"), Moved(0, 100));
  EXPECT_EQ(moved_in(diff, tree, "b"), Moved(100, 0));
  EXPECT_EQ(without_directories(diff).grown, 150U);
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
  EXPECT_GE(moved_in(diff, tree, "b").first, 300U);
  EXPECT_EQ(moved_in(diff, tree, "a").second, moved_in(diff, tree, "b").first);
  EXPECT_EQ(diff.balance.created + diff.balance.removed, 0U);
}

TEST(Diff, CountsAMoveInTheDirectoriesOfWhichItCrossedTheBorder) {
  // The directory has moved as a whole, or something in it has grown or was replaced.
  for (const std::string other : {"", "to/in/d/other", "new"}) {
    SCOPED_TRACE(other);
    TempTree tree;
    tree.file("top/from/d/x", 100);
    tree.file("top/from/d/other", 50);
    tree.dir("top/to/in");
    const Diff diff = change(tree, [&] {
      std::filesystem::rename(tree.path("top/from/d"), tree.path("top/to/in/d"));
      if (!other.empty()) tree.file("top/" + other, 70);
      if (other == "new") {
        std::filesystem::rename(tree.path("top/new"), tree.path("top/to/in/d/other"));
      }
    });
    const std::uint64_t bytes = moved_in(diff, tree, "top/from").second;
    EXPECT_GE(bytes, 150U);
    EXPECT_EQ(moved_in(diff, tree, "top/from"), Moved(0, bytes));
    EXPECT_EQ(moved_in(diff, tree, "top/to/in"), Moved(bytes, 0));
    EXPECT_EQ(moved_in(diff, tree, "top/to"), Moved(bytes, 0));
    EXPECT_EQ(moved_in(diff, tree, "top"), Moved(0, 0));
    EXPECT_EQ(Moved(diff.balance.moved_in, diff.balance.moved_out), Moved(0, 0));
  }
}

TEST(Diff, FindsTheBordersThatAMoveCrossedAtAnyDepth) {
  TempTree tree;
  std::vector<std::string> folders;
  for (const auto& [name, levels] : {std::pair("main", 20), std::pair("side", 10)}) {
    std::string folder = levels == 20 ? "top" : folders[9];
    for (int i = 0; i < levels; ++i) folders.push_back(folder += '/' + std::string(name));
  }
  const auto path = [&](std::size_t folder, std::size_t file) {
    return folders[folder % folders.size()] + "/f" + std::to_string(file);
  };
  constexpr std::size_t kFiles = 60;
  for (std::size_t i = 0; i < kFiles; ++i) tree.file(path(7 * i, i), i);
  const Diff diff = change(tree, [&] {
    for (std::size_t i = 0; i < kFiles; ++i) {
      std::filesystem::rename(tree.path(path(7 * i, i)), tree.path(path(11 * i + 3, i)));
    }
  });
  for (const std::string& folder : folders) {
    Moved expected;
    for (std::size_t i = 0; i < kFiles; ++i) {
      const bool was = path(7 * i, i).starts_with(folder + '/');
      const bool is = path(11 * i + 3, i).starts_with(folder + '/');
      if (is && !was) expected.first += i;
      if (was && !is) expected.second += i;
    }
    EXPECT_EQ(moved_in(diff, tree, folder), expected) << folder;
  }
}

TEST(Diff, ReportsADirectoryInWhichAFileHasAnotherName) {
  TempTree tree;
  tree.file("a/x", 100'000);
  const Snapshot before = take({tree.path()});
  std::filesystem::rename(tree.path("a/x"), tree.path("a/y"));
  // Blocks: on most filesystems, those of directories stay the same.
  EXPECT_EQ(moved_in(compare(before, take({tree.path()}), {}, executor()), tree, "a"), Moved(0, 0));
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

TEST(Diff, NamesWhatADirectoryHasLostOnceThatWasMovedOutOfARemovedOne) {
  TempTree tree;
  tree.file("gone/keep/lost", 100);
  tree.file("gone/keep/x", 10);
  tree.file("gone/y", 7);
  const auto edit = [&] {
    std::filesystem::rename(tree.path("gone/keep"), tree.path("keep"));
    std::filesystem::remove(tree.path("keep/lost"));
    std::filesystem::remove_all(tree.path("gone"));
  };
  const Diff diff = change(tree, edit);
  std::uint64_t removed = 0;
  for (const DiffItem& item : diff.removed.items) removed += item.before;
  EXPECT_EQ(removed, diff.balance.removed);
  EXPECT_EQ(of_files(diff.removed).removed, 100U);
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

TEST(Diff, FollowsADirectoryIntoTheOneThatReplacedIt) {
  TempTree tree;
  tree.file("d/x", 100);
  const Diff diff = change(tree, [&] {
    std::filesystem::rename(tree.path("d"), tree.path("t"));
    tree.dir("d");
    std::filesystem::rename(tree.path("t"), tree.path("d/old"));
  });
  EXPECT_EQ(paths_of(diff.moved, tree), Paths{"/d -> /d/old"});
  EXPECT_EQ(paths_of(diff.created, tree), Paths{"/d"});
  EXPECT_EQ(paths_of(diff.removed, tree), Paths{});
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
  EXPECT_EQ(changed_files(diff, tree), Paths{});
}

TEST(Diff, TakesAFileThatWasSavedAgainForTheSame) {
  TempTree tree;
  tree.file("notes", 100);
  const Diff diff = change(tree, [&] {
    tree.file("notes~", 130);
    std::filesystem::rename(tree.path("notes~"), tree.path("notes"));
  });
  EXPECT_EQ(changed_files(diff, tree), Paths{"/notes"});
  EXPECT_EQ(without_directories(diff).grown, 30U);
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

TEST(Diff, ComparesADirectoryThatWasMadeAgain) {
  TempTree tree;
  tree.file("build/sub/a", 100);
  tree.file("build/b", 100);
  const Diff diff = change(tree, [&] {
    std::filesystem::remove_all(tree.path("build"));
    tree.file("build/sub/a", 140);
    tree.file("build/b", 100);
    tree.file("build/new/c", 10);
  });
  EXPECT_EQ(changed_files(diff, tree), Paths{"/build/sub/a"});
  EXPECT_EQ(paths_of(diff.created, tree), Paths{"/build/new"});
  EXPECT_EQ(diff.moved.count, 0U);
}

// A snapshot of a filesystem with this identity, on which the first root is; empty: unknown.
Snapshot take_identified(const std::vector<std::string>& roots, const std::string& identity,
                         SnapshotFilesystem filesystem = {}) {
  fs::ScanOptions options;
  options.roots = roots;
  options.read_times = true;
  const fs::Scan scan = fs::scan(options);
  SnapshotOptions snapshot;
  snapshot.meta.roots = roots;
  filesystem.fs_uuid = identity;
  filesystem.roots = {0};
  snapshot.meta.filesystems = {filesystem};
  if (!identity.empty()) {
    scan.tree.for_each_node([&](fs::NodeId node) {
      snapshot.filesystem_ids.emplace(scan.tree.device(node), identity);
    });
  }
  return Snapshot::of(scan, snapshot, executor());
}

constexpr const char* kUnidentified =
    "a filesystem has no known identity, so what was moved there counts as removed and created";

TEST(Diff, HasNoMovesWithoutTheIdentityOfTheFilesystem) {
  // Without a UUID, a directory stands for the filesystem, and may be another one.
  for (const auto& [was, is] :
       {std::pair("", ""), std::pair("dir-2-1", "dir-3-1"), std::pair("dir-2-1", "some-uuid")}) {
    SCOPED_TRACE(was);
    TempTree tree;
    tree.file("a", 100);
    const Snapshot before = take_identified({tree.path()}, was);
    std::filesystem::rename(tree.path("a"), tree.path("b"));
    const Snapshot after = take_identified({tree.path()}, is);
    const Diff diff = compare(before, after, {.measure = fs::Measure::apparent}, executor());
    EXPECT_EQ(diff.moved.count, 0U);
    EXPECT_EQ(diff.balance.created, 100U);
    EXPECT_EQ(diff.balance.removed, 100U);
    EXPECT_EQ(diff.notes, std::vector<std::string>{kUnidentified});
  }
}

TEST(Diff, NotesNoIdentityOfARootThatIsNoDirectoryOrIsNotCompared) {
  TempTree tree;
  tree.file("a/x", 100);
  tree.file("b/y", 100);
  tree.symlink("a", "link");
  const auto roots = [&](const Paths& names) {
    Paths paths;
    for (const std::string& name : names) paths.push_back(tree.path(name));
    return paths;
  };
  const Snapshot before = take_identified(roots({"a", "b", "link", "missing"}), "some-uuid");
  const Snapshot after = take_identified(roots({"a", "link", "missing"}), "some-uuid");
  for (const std::string& note : compare(before, after, {}, executor()).notes) {
    EXPECT_NE(note, kUnidentified);
  }
}

TEST(Diff, NotesThatAnotherFilesystemIsThere) {
  TempTree tree;
  const Snapshot before = take_identified({tree.path()}, "some-uuid");
  const Snapshot after = take_identified({tree.path()}, "other-uuid");
  EXPECT_EQ(compare(before, after, {}, executor()).notes,
            Paths{"another filesystem is at " + tree.path() + " now"});
}

TEST(Diff, NotesAnotherFilesystemOfWhichOneHasNoUuidByItsMountPointAndType) {
  TempTree tree;
  const auto take_on = [&](const std::string& identity, const std::string& type,
                           const std::string& mount_point) {
    return take_identified({tree.path()}, identity,
                           {.fs_uuid = identity, .type = type, .mount_point = mount_point});
  };
  const Snapshot disk = take_on("some-uuid", "ext4", "/mnt");
  const auto notes = [&](const Snapshot& other) {
    return compare(disk, other, {}, executor()).notes;
  };
  const Paths another = {"another filesystem is at " + tree.path() + " now"};
  EXPECT_EQ(notes(take_on("", "overlay", "/")), another);  // it was unmounted
  EXPECT_EQ(notes(take_on("dir-2-1", "ext4", "/")), another);
  EXPECT_EQ(notes(take_on("dir-2-1", "tmpfs", "/mnt")), another);
  // The system may not tell the UUID any more.
  EXPECT_EQ(notes(take_on("dir-2-1", "ext4", "/mnt")), Paths{kUnidentified});
  EXPECT_EQ(notes(take_on("", "", "/mnt")), Paths{kUnidentified});
}

// A snapshot of /t, and in it directories of these names, on each of which a filesystem with this
// identity is mounted; empty: it is on that of /t.
Snapshot take_mounted(const std::map<std::string, std::string>& mounts,
                      const std::string& identity = "some-uuid") {
  fs::Scan scan;
  fs::TreeBuilder builder(true);
  SnapshotOptions options;
  fs::Entry entry{.inode = 2, .device = 1, .links = 1, .mode = S_IFDIR | 0755};
  entry.times = {.mtime = 1, .ctime = 1, .btime = 1};
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    const auto top = rows.add_directory(fs::kNoDir, 0, "/t", entry);
    root = top.node;
    options.filesystem_ids = {{1, identity}};
    for (const auto& [name, mounted] : mounts) {
      if (!mounted.empty()) {
        entry.device = options.filesystem_ids.size() + 1;
        options.filesystem_ids[entry.device] = mounted;
      } else {
        entry.device = 1;
      }
      ++entry.inode;
      const auto data = rows.add_directory(top.id, 1, name, entry);
      ++entry.inode;
      rows.add_directory(data.id, 2, "inside", entry);
    }
  }
  scan.roots = {"/t"};
  scan.tree = builder.finish({root});
  options.meta.roots = scan.roots;
  return Snapshot::of(scan, options, executor());
}

TEST(Diff, NotesThatAnotherFilesystemIsMountedBelowARoot) {
  const auto notes = [](const std::string& was, const std::string& is, const std::string& path) {
    return compare(take_mounted({{"data", was}, {"other", ""}}),
                   take_mounted({{"data", is}, {"other", ""}}), {.path = path}, executor())
        .notes;
  };
  const Paths noted = {"another filesystem is at /t/data now"};
  for (const auto& [was, is] : {std::pair("uuid-2", "uuid-3"), std::pair("uuid-2", ""),
                                std::pair("", "uuid-2"), std::pair("uuid-2", "dir-2-1"),
                                std::pair("dir-2-1", ""), std::pair("dir-2-1", "dir-2-2")}) {
    SCOPED_TRACE(std::string(was) + " to " + is);
    for (const char* path : {"", "/t", "/t/data", "/t/data/inside"}) {
      EXPECT_EQ(notes(was, is, path), noted);
    }
    EXPECT_EQ(notes(was, is, "/t/other"), Paths{});
  }
  for (const char* same : {"", "uuid-2", "dir-2-1"}) EXPECT_EQ(notes(same, same, ""), Paths{});
}

// The identity of all directories may be another one than before, as with a new kernel.
TEST(Diff, NotesNoMountWhereOnlyTheIdentityOfTheRootIsAnotherOne) {
  const auto notes = [](const std::string& was, const std::string& is) {
    return compare(take_mounted({{"data", was}}, "dir-1-1"), take_mounted({{"data", is}}), {},
                   executor())
        .notes;
  };
  EXPECT_EQ(notes("", ""), Paths{kUnidentified});
  EXPECT_EQ(notes("dir-2-1", "uuid-2"), Paths{kUnidentified});
}

TEST(Diff, NamesTheFirstOfManyOtherFilesystemsAndCountsTheRest) {
  std::map<std::string, std::string> before;
  std::map<std::string, std::string> after;
  for (char name = 'a'; name <= 'l'; ++name) {
    before[{name}] = std::string("was-") + name;
    after[{name}] = std::string("is-") + name;
  }
  const Paths notes = compare(take_mounted(before), take_mounted(after), {}, executor()).notes;
  ASSERT_EQ(notes.size(), 11U);
  EXPECT_EQ(notes[0], "another filesystem is at /t/a now");
  EXPECT_EQ(notes[9], "another filesystem is at /t/j now");
  EXPECT_EQ(notes[10], "another filesystem is at 2 more paths now");
}

// ---- Hard links

TEST(Diff, ReattributesAnInodeWhoseFirstNameIsGone) {
  TempTree tree;
  tree.file("a/first", 100);
  tree.dir("b");
  tree.hardlink("a/first", "b/second");
  const Diff diff = change(tree, [&] { std::filesystem::remove(tree.path("a/first")); });
  EXPECT_EQ(diff.balance.reattributed, 0);
  EXPECT_EQ(without_directories(diff).grown, 0U);
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
  tree.file("top/a/first", 100'000);
  tree.dir("top/b");
  tree.hardlink("top/a/first", "top/b/second");
  const Snapshot before = take({tree.path()});
  std::filesystem::remove(tree.path("top/a/first"));
  // Blocks: on most filesystems, those of directories stay the same.
  const Diff diff = compare(before, take({tree.path()}), {}, executor());
  Paths paths;
  for (std::size_t i = 0; i < diff.directories.size(); ++i) paths.push_back(diff.path_of(i));
  EXPECT_EQ(paths, (Paths{tree.path(), tree.path("top"), tree.path("top/a"), tree.path("top/b")}));
  EXPECT_EQ(without_directories(diff), Balance{});
}

TEST(Diff, ReattributesAnInodeThatHasASmallerNameNow) {
  TempTree tree;
  tree.file("b/first", 100);
  tree.dir("a");
  const Diff diff = change(tree, [&] { tree.hardlink("b/first", "a/new"); });
  EXPECT_EQ(diff.balance.reattributed, 0);
  EXPECT_EQ(of_files(diff.created).created, 0U);
  EXPECT_EQ(without_directories(diff).shrunk, 0U);
}

TEST(Diff, KeepsTheGrowthOfAReattributedInode) {
  TempTree tree;
  tree.file("a", 100);
  tree.hardlink("a", "b");
  const Diff diff = change(tree, [&] {
    std::filesystem::remove(tree.path("a"));
    std::filesystem::resize_file(tree.path("b"), 160);
  });
  EXPECT_EQ(without_directories(diff).grown, 60U);
  EXPECT_EQ(of_files(diff.removed).removed, 0U);
}

TEST(Diff, TakesTheSameNameOfAnInodeForMovedInBothDirections) {
  TempTree tree;
  tree.file("0", 100);
  tree.file("b/stays", 1);
  tree.hardlink("0", "b/x");
  tree.hardlink("0", "c/y");
  const Snapshot before = take({tree.path()});
  std::filesystem::remove(tree.path("b/x"));
  std::filesystem::remove_all(tree.path("c"));
  tree.hardlink("0", "z");
  for (int i = 0; i < 50; ++i) tree.file("a/" + std::to_string(i));  // b is in a later row
  const Snapshot after = take({tree.path()});
  EXPECT_EQ(paths_of(compare(before, after, {}, executor()).moved, tree), Paths{"/b/x -> /z"});
  EXPECT_EQ(paths_of(compare(after, before, {}, executor()).moved, tree), Paths{"/z -> /b/x"});
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
  EXPECT_EQ(changed_files(diff, tree), Paths{"/a/x"});
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
  ASSERT_EQ(diff.directories.size(), 1U);
  EXPECT_EQ(diff.path_of(0), tree.path("d/sub"));
  EXPECT_EQ(diff.directories[0].state, State::moved_away);
}

TEST(Diff, OfAPathIsAboutBothDirectoriesThatWereThere) {
  TempTree tree;
  tree.file("a/sub/x", 100);
  tree.file("b/sub/y", 30);
  const auto edit = [&] {
    std::filesystem::rename(tree.path("a"), tree.path("t"));
    std::filesystem::rename(tree.path("b"), tree.path("a"));
    std::filesystem::rename(tree.path("t"), tree.path("b"));
  };
  for (const std::string path : {"a", "a/sub"}) {  // the second time, it is the other way round
    SCOPED_TRACE(path);
    const Diff diff = change(tree, edit, {.path = tree.path(path)});
    EXPECT_EQ(diff.balance.moved_out, diff.before);
    EXPECT_EQ(diff.balance.moved_in, diff.after);
    EXPECT_EQ(diff.balance.total(), static_cast<std::int64_t>(diff.after - diff.before));
    std::vector<State> states;
    for (std::size_t i = 0; i < diff.directories.size(); ++i) {
      if (diff.path_of(i) == tree.path(path)) states.push_back(diff.directories[i].state);
    }
    EXPECT_EQ(states, (std::vector<State>{State::moved_away, State::moved_here}));
  }
}

// The path and what is in it are those of another directory now; on one side, nothing in the moved
// directory has a node of its own.
TEST(Diff, OfAPathIsInBalanceIfAnotherDirectoryIsThereNow) {
  for (const std::string path : {"a", "a/sub"}) {
    SCOPED_TRACE(path);
    TempTree tree;
    tree.file("a/sub/x", 100);
    const auto edit = [&] {
      std::filesystem::rename(tree.path("a"), tree.path("c"));
      tree.file("a/sub/y", 30);
    };
    const Diff diff = change(tree, edit, {.path = tree.path(path)});
    EXPECT_EQ(diff.balance.moved_out, diff.before);
    EXPECT_EQ(diff.balance.created, diff.after);
    EXPECT_EQ(diff.balance.total(), static_cast<std::int64_t>(diff.after - diff.before));
    for (std::size_t i = 0; i < diff.directories.size(); ++i) {
      EXPECT_TRUE(diff.path_of(i).starts_with(tree.path(path))) << diff.path_of(i);
    }
  }
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

TEST(Diff, OfAPathInDifferentRootsComparesThisAlone) {
  TempTree tree;
  tree.file("t/src/x", 100);
  tree.file("t/src/sub/y", 100);
  tree.file("t/z", 30);
  const std::string src = tree.path("t/src");
  const Snapshot before = take({tree.path("t")});
  tree.file("t/src/x", 350);
  std::filesystem::rename(tree.path("t/z"), tree.path("t/src/z"));
  const Snapshot after = take({src});
  const auto options = [&](const std::string& path) {
    return DiffOptions{.measure = fs::Measure::apparent, .path = path};
  };
  const Diff diff = compare(before, after, options(src), executor());
  EXPECT_EQ(without_directories(diff).grown, 250U);
  EXPECT_EQ(diff.balance.created, 30U);
  EXPECT_EQ(diff.balance.moved_in, 0U);  // where it was is not compared
  EXPECT_EQ(diff.balance.total(), static_cast<std::int64_t>(diff.after - diff.before));
  EXPECT_EQ(diff.path_of(0), src);
  EXPECT_EQ(diff.notes.at(0),
            "the snapshots are of different paths: what was moved into " + src +
                " or out of it counts as created or removed, and a hard link that another path "
                "counts in one of them as grown or shrunk");
  EXPECT_EQ(without_directories(compare(after, before, options(src), executor())).shrunk, 250U);
  EXPECT_EQ(compare(before, after, options(src + "/sub"), executor()).balance, Balance{});
}

// What is in such a root is counted there, or below the other one.
TEST(Diff, OfAPathInDifferentRootsIsRefusedIfItContainsARoot) {
  TempTree tree;
  tree.file("t/src/sub/y", 100);
  const std::string src = tree.path("t/src");
  const Snapshot before = take({tree.path("t"), src + "/sub"});
  const Snapshot after = take({src});
  try {
    static_cast<void>(compare(before, after, {.path = src}, executor()));
    ADD_FAILURE();
  } catch (const NotFound& error) {
    EXPECT_EQ(error.what(), src + " is not compared: it contains a root of one of the snapshots");
  }
}

TEST(Diff, OfAPathThatIsInNoCommonRootIsRefused) {
  TempTree tree;
  tree.file("a/x", 100);
  tree.file("b/sub/y", 100);
  const Snapshot b = take({tree.path("b")});
  const Snapshot both = take({tree.path("a"), tree.path("b")});
  for (const auto& [before, after] : {std::pair(&b, &both), {&both, &b}}) {
    try {
      static_cast<void>(compare(*before, *after, {.path = tree.path("a")}, executor()));
      ADD_FAILURE();
    } catch (const NotFound& error) {
      EXPECT_EQ(error.what(), tree.path("a") +
                                  " is not compared: it is in roots that only one of the snapshots "
                                  "has");
    }
    const DiffOptions inside{.path = tree.path("b/sub")};
    EXPECT_EQ(compare(*before, *after, inside, executor()).balance, Balance{});
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
  std::vector<DiffGroup> files = diff.extensions;
  std::erase_if(files, [](const DiffGroup& group) { return group.name.empty(); });  // directories
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].name, "log");
  EXPECT_EQ(files[0].added, 350U);
  EXPECT_EQ(files[1].name, "txt");
  EXPECT_EQ(files[1].change(), -100);
}

// The changes of extensions, without those that are in balance.
std::map<std::string, std::int64_t> changes_of_extensions(const Diff& diff) {
  std::map<std::string, std::int64_t> changes;
  for (const DiffGroup& group : diff.extensions) {
    if (group.change() != 0) changes[group.name] = group.change();
  }
  return changes;
}

// Whether something in the directory changes, or nothing, and the path is the directory itself, or
// above it, or in it.
TEST(Diff, OfAPathSumsWhatLeavesOrEntersItInAMovedDirectory) {
  for (const bool grows : {false, true}) {
    SCOPED_TRACE(grows);
    TempTree tree;
    tree.file("from/d/deep/x.log", 100);
    tree.file("from/d/deep/y.txt", 30);
    tree.dir("to");
    const Snapshot before = take({tree.path()});
    std::filesystem::rename(tree.path("from/d"), tree.path("to/d"));
    if (grows) tree.file("to/d/deep/y.txt", 37);
    const Snapshot after = take({tree.path()});
    for (const std::string path : {"from", "from/d", "from/d/deep", "to", "to/d", "to/d/deep"}) {
      SCOPED_TRACE(path);
      const DiffOptions options{.measure = fs::Measure::apparent,
                                .path = tree.path(path),
                                .by_owner = true,
                                .by_extension = true};
      const Diff diff = compare(before, after, options, executor());
      const bool is_new = path.starts_with("to");
      auto changes = changes_of_extensions(diff);
      EXPECT_EQ(changes["log"], is_new ? 100 : -100);
      EXPECT_EQ(changes["txt"], is_new ? (grows ? 37 : 30) : -30);
      ASSERT_EQ(diff.owners.size(), 1U);
      EXPECT_EQ(diff.owners[0].change(), diff.balance.total());
    }
  }
}

TEST(Diff, OfAPathSumsWhatWasReplacedInADirectoryThatLeftIt) {
  TempTree tree;
  tree.file("from/d/x.log", 100);
  tree.dir("to");
  const auto edit = [&] {
    std::filesystem::rename(tree.path("from/d"), tree.path("to/d"));
    tree.file("to/d/new", 130);
    std::filesystem::rename(tree.path("to/d/new"), tree.path("to/d/x.log"));
  };
  for (const std::string path : {"from", "to"}) {
    SCOPED_TRACE(path);
    const Diff diff = change(tree, edit, {.path = tree.path(path), .by_extension = true});
    EXPECT_EQ(changes_of_extensions(diff)["log"], path == "from" ? -100 : 130);
    std::filesystem::rename(tree.path("to/d"), tree.path("from/d"));
    tree.file("from/d/x.log", 100);
  }
}

TEST(Diff, OfAPathSumsNothingOfADirectoryThatWasMovedInIt) {
  TempTree tree;
  tree.file("in/a/x.log", 100);
  tree.dir("in/b");
  const auto edit = [&] { std::filesystem::rename(tree.path("in/a"), tree.path("in/b/a")); };
  const Diff diff = change(tree, edit, {.path = tree.path("in"), .by_extension = true});
  for (const DiffGroup& group : diff.extensions) EXPECT_NE(group.name, "log");
}

TEST(Diff, ChargesAReattributedInodeToTheExtensionOfItsNameNow) {
  TempTree tree;
  tree.file("a.txt", 100);
  tree.hardlink("a.txt", "b.log");
  const Diff diff =
      change(tree, [&] { std::filesystem::remove(tree.path("a.txt")); }, {.by_extension = true});
  auto changes = changes_of_extensions(diff);
  EXPECT_EQ(changes["txt"], -100);
  EXPECT_EQ(changes["log"], 100);
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

// A directory with sparse files of almost 8 EiB each.
Snapshot sparse_files(int count) {
  fs::Scan scan;
  fs::TreeBuilder builder;
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    const fs::Entry folder{.inode = 1, .device = 1, .links = 1, .mode = S_IFDIR | 0755};
    const auto top = rows.add_directory(fs::kNoDir, 0, "/t", folder);
    root = top.node;
    for (int i = 0; i < count; ++i) {
      rows.add(top.id, std::to_string(i),
               {.size = std::numeric_limits<std::int64_t>::max() - 1000,
                .inode = static_cast<std::uint64_t>(i) + 2,
                .device = 1,
                .links = 1,
                .mode = S_IFREG | 0644});
    }
  }
  scan.roots = {"/t"};
  scan.tree = builder.finish({root});
  SnapshotOptions options;
  options.meta.roots = scan.roots;
  return Snapshot::of(scan, options, executor());
}

TEST(Diff, SaturatesInsteadOfWrapping) {
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const Snapshot none = sparse_files(0);
  const Snapshot three = sparse_files(3);
  const DiffOptions options{.measure = fs::Measure::apparent, .by_extension = true};
  const Diff grown = compare(none, three, options, executor());
  EXPECT_EQ(grown.after, kAll);
  EXPECT_EQ(grown.balance.created, kAll);
  EXPECT_EQ(grown.balance.total(), kLargest);
  EXPECT_EQ(grown.directories.at(0).change(), kLargest);
  EXPECT_EQ(grown.extensions.at(0).change(), kLargest);
  const Diff shrunk = compare(three, none, options, executor());
  EXPECT_EQ(shrunk.before, kAll);
  EXPECT_EQ(shrunk.after, 0U);
  EXPECT_EQ(shrunk.balance.total(), std::numeric_limits<std::int64_t>::min());
}

TEST(Diff, SaysHowLargeCommonRootsAreThatAreFiles) {
  TempTree tree;
  tree.file("a", 100);
  tree.file("b/y", 100);
  tree.file("c", 1000);
  const Snapshot before = take({tree.path("a"), tree.path("c")});
  tree.file("a", 175);
  const Snapshot after = take({tree.path("a"), tree.path("b")});
  const Diff diff = compare(before, after, {.measure = fs::Measure::apparent}, executor());
  EXPECT_EQ(diff.before, 100U);
  EXPECT_EQ(diff.after, 175U);
  EXPECT_EQ(diff.balance.total(), 75);
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

TEST(Diff, SaysHowManyEntriesCouldNotBeRead) {
  TempTree tree;
  tree.file("a/x", 100);
  const Snapshot before = take({tree.path("a"), tree.path("missing")});
  const Snapshot after = take({tree.path("a"), tree.path("missing"), tree.path("none")});
  const auto notes = compare(before, after, {}, executor()).notes;
  const auto has = [&notes](const std::string& note) {
    return std::find(notes.begin(), notes.end(), note) != notes.end();
  };
  const std::string end = " that could not be read, so its sizes are lower bounds";
  EXPECT_TRUE(has("the first snapshot lacks 1 entry" + end));
  EXPECT_TRUE(has("the second snapshot lacks 2 entries" + end));
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

TEST(Diff, ComparesARootWhereItIsCountedIfAnotherOneContainsIt) {
  TempTree tree;
  tree.file("r/a/sub/x", 100);
  const std::string inner = tree.path("r/a");
  const Snapshot before = take({inner});
  const Snapshot same = take({tree.path("r"), inner});
  tree.file("r/a/sub/x", 300);
  const Snapshot grown = take({tree.path("r"), inner});
  for (const std::string& path : {std::string(), inner}) {
    SCOPED_TRACE(path);
    const DiffOptions options{.measure = fs::Measure::apparent, .path = path};
    const Diff none = compare(before, same, options, executor());
    EXPECT_EQ(none.balance, Balance{});
    EXPECT_EQ(none.before, none.after);
    EXPECT_GT(none.before, 100U);
    for (const Snapshot* earlier : {&before, &same}) {
      const Diff diff = compare(*earlier, grown, options, executor());
      EXPECT_EQ(diff.balance.grown, 200U);
      EXPECT_EQ(diff.balance.total(), 200);
      EXPECT_EQ(diff.after - diff.before, 200U);
      EXPECT_EQ(paths_of(diff.changed, tree), Paths{"/r/a/sub/x"});
      ASSERT_FALSE(diff.directories.empty());
      const bool outer = earlier == &same && path.empty();
      EXPECT_EQ(diff.path_of(0), outer ? tree.path("r") : inner);
    }
  }
}

TEST(Diff, ListsNoMovesFromAPathToTheSamePath) {
  TempTree tree;
  tree.file("t/a/big/f", 100);
  tree.file("t/a/g", 300);
  tree.file("t/a/h", 300);
  const Diff diff = change(tree, [&] {
    std::filesystem::rename(tree.path("t/a"), tree.path("t/old"));
    tree.dir("t/a");
    std::filesystem::rename(tree.path("t/old/big"), tree.path("t/a/big"));
    std::filesystem::rename(tree.path("t/old/g"), tree.path("t/a/g"));
    std::filesystem::rename(tree.path("t/old/h"), tree.path("t/a/h"));
    tree.file("t/a/h", 900);
  });
  EXPECT_EQ(paths_of(diff.moved, tree), Paths{"/t/a -> /t/old"});
  EXPECT_EQ(diff.moved.count, 1U);
  EXPECT_EQ(changed_files(diff, tree), Paths{"/t/a/h"});
}

TEST(Diff, ListsAMoveOnceIfOneRootContainsAnother) {
  TempTree tree;
  tree.file("t/A/old", 50);
  tree.file("t/B/f", 100);
  tree.file("t/g", 300);
  const std::vector<std::string> roots = {tree.path("t"), tree.path("t/A")};
  const DiffOptions options{.measure = fs::Measure::apparent};
  const Snapshot before = take(roots);
  std::filesystem::rename(tree.path("t/B"), tree.path("t/A/B"));
  std::filesystem::rename(tree.path("t/g"), tree.path("t/A/g"));
  std::filesystem::remove(tree.path("t/A/old"));
  tree.file("t/A/new/h", 20);
  const Snapshot after = take(roots);
  const Diff diff = compare(before, after, options, executor());
  EXPECT_EQ(paths_of(diff.moved, tree), (Paths{"/t/g -> /t/A/g", "/t/B -> /t/A/B"}));
  EXPECT_EQ(paths_of(diff.created, tree), Paths{"/t/A/new"});
  EXPECT_EQ(paths_of(diff.removed, tree), Paths{"/t/A/old"});
  EXPECT_EQ(changed_files(diff, tree), Paths{});
  EXPECT_EQ(moved_in(diff, tree, "t"), Moved(0, 0));
  EXPECT_GE(moved_in(diff, tree, "t/A").first, 400U);
  const Diff back = compare(after, before, options, executor());
  EXPECT_EQ(paths_of(back.moved, tree), (Paths{"/t/A/g -> /t/g", "/t/A/B -> /t/B"}));
  EXPECT_EQ(paths_of(back.created, tree), Paths{"/t/A/old"});
  EXPECT_EQ(paths_of(back.removed, tree), Paths{"/t/A/new"});
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

}  // namespace
}  // namespace fathom::store
