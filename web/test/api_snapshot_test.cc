// Tests of Snapshot: the lookup of paths, and that other spellings of them find nothing.

#include "api/snapshot.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "api_made_tree.h"

namespace fathom::web {
namespace {

// The path that the found entry reports; "nothing" if none is found, "above" above the roots.
std::string found(const Snapshot& snapshot, std::string_view path) {
  const auto place = snapshot.find(path);
  if (!place) return "nothing";
  if (place->above_roots()) return "above";
  const std::string kind = place->is_directory() ? "directory " : "entry ";
  return kind + snapshot.path(*place);
}

TEST(Snapshot, FindsEachEntryAtItsPath) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  const fs::Tree& tree = snapshot.tree();
  std::size_t entries = 0;
  tree.for_each_node([&](fs::NodeId node) {
    const auto place = snapshot.find(tree.path(node));
    ASSERT_TRUE(place) << tree.path(node);
    EXPECT_EQ(place->node, node);
    EXPECT_EQ(place->is_directory(), tree.kind(node) == fs::Kind::directory);
    if (place->is_directory()) {
      EXPECT_EQ(tree.node(place->directory), node);
    }
    ++entries;
  });
  EXPECT_EQ(entries, 901U);
}

TEST(Snapshot, FindsNothingForAnotherSpellingOfAPath) {
  MadeTree made;
  const auto top = made.root("/srv");
  const auto a = made.directory(top, "a");
  made.file(a, "b");
  made.file(top, "..");  // possible only in a saved scan
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(found(snapshot, "/srv/a/b"), "entry /srv/a/b");
  EXPECT_EQ(found(snapshot, "/srv/.."), "entry /srv/..");
  for (const char* path : {"/srv//a", "//srv/a", "/srv/./a", "/srv/a/../a", "/srv/../etc/passwd",
                           "/srv/../srv/a", "/srv/a/b/", "/srv/a/b/c", "/srv/A", "srv", "/sr",
                           "/srva", "/srvxa", "/", "/etc", "a", ".", "..", "/srv/a\n"}) {
    EXPECT_EQ(found(snapshot, path), "nothing") << path;
  }
  EXPECT_EQ(found(snapshot, std::string_view("/srv\0", 5)), "nothing");
}

TEST(Snapshot, AcceptsATrailingSlashOnlyForDirectories) {
  MadeTree made;
  const auto top = made.root("/srv");
  made.file(made.directory(top, "a"), "f");
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(found(snapshot, "/srv/"), "directory /srv");
  EXPECT_EQ(found(snapshot, "/srv/a/"), "directory /srv/a");
  EXPECT_EQ(found(snapshot, "/srv/a//"), "nothing");
  EXPECT_EQ(found(snapshot, "/srv/a/f/"), "nothing");
  EXPECT_EQ(found(snapshot, "/"), "nothing");
}

TEST(Snapshot, MapsAnEmptyPathToTheOnlyRoot) {
  MadeTree made;
  made.root("/srv");
  EXPECT_EQ(found(Snapshot(made.scan(), 0, 1, false), ""), "directory /srv");
}

TEST(Snapshot, MapsAnEmptyPathToThePlaceAboveSeveralRoots) {
  MadeTree made;
  made.root("/srv");
  made.root("/home");
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(found(snapshot, ""), "above");
  EXPECT_EQ(found(snapshot, "/home"), "directory /home");
  EXPECT_EQ(snapshot.path(Place{}), "");
}

TEST(Snapshot, HasAPlaceAboveTheRootsEvenIfOnlyOneWasReadable) {
  MadeTree made;
  made.missing_root("/gone");
  made.root("/srv");
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(found(snapshot, ""), "above");
  EXPECT_EQ(found(snapshot, "/gone"), "nothing");
  EXPECT_EQ(snapshot.roots().size(), 1U);
}

TEST(Snapshot, OfAnEmptyScanIsAPlaceWithoutRoots) {
  MadeTree made;
  made.missing_root("/gone");
  EXPECT_EQ(found(Snapshot(made.scan(), 0, 1, false), ""), "above");
}

TEST(Snapshot, FindsRootsThatEndWithASlash) {
  MadeTree made;
  made.directory(made.directory(made.root("/"), "usr"), "lib");
  made.file(made.root("/srv/"), "file");
  made.file(made.root("here"), "file");
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(found(snapshot, "/"), "directory /");
  EXPECT_EQ(found(snapshot, "/usr/lib"), "directory /usr/lib");
  EXPECT_EQ(found(snapshot, "//usr"), "nothing");
  EXPECT_EQ(found(snapshot, "/srv/"), "directory /srv/");
  EXPECT_EQ(found(snapshot, "/srv/file"), "entry /srv/file");
  EXPECT_EQ(found(snapshot, "/srv"), "nothing");
  EXPECT_EQ(found(snapshot, "here/file"), "entry here/file");
}

TEST(Snapshot, FindsRootsThatAreFiles) {
  MadeTree made;
  made.file_root("/etc/hosts");
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(found(snapshot, ""), "entry /etc/hosts");
  EXPECT_EQ(found(snapshot, "/etc/hosts"), "entry /etc/hosts");
  EXPECT_EQ(found(snapshot, "/etc/hosts/x"), "nothing");
}

// The scan reaches the directory /srv/a twice: as a root, where it is counted, and below /srv.
TEST(Snapshot, PrefersTheCountedEntryWhereOneRootContainsAnother) {
  for (const bool inner_first : {false, true}) {
    MadeTree made;
    const auto inner = [&] { made.file(made.root("/srv/a", {.inode = 7}), "f", {.inode = 8}); };
    if (inner_first) inner();
    const auto outer = made.root("/srv");
    made.file(made.directory(outer, "a", {.inode = 7}), "f", {.inode = 8});
    if (!inner_first) inner();
    const Snapshot snapshot(made.scan(), 0, 1, false);
    const fs::Tree& tree = snapshot.tree();
    for (const char* path : {"/srv/a", "/srv/a/f"}) {
      std::vector<fs::NodeId> counted;
      tree.for_each_node([&](fs::NodeId node) {
        if (tree.path(node) == path && (tree.flags(node) & fs::kRepeated) == 0) {
          counted.push_back(node);
        }
      });
      ASSERT_EQ(counted.size(), 1U) << path;
      EXPECT_EQ(snapshot.find(path)->node, counted.front()) << path;
    }
  }
}

// The file is a root, but counted in its directory.
TEST(Snapshot, PrefersTheCountedEntryToTheFirstRoot) {
  MadeTree made;
  made.file_root("/srv/f", {.inode = 8});
  made.file(made.root("/srv"), "f", {.inode = 8});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const fs::Tree& tree = snapshot.tree();
  ASSERT_EQ(tree.flags(tree.roots().front()), fs::kRepeated);
  EXPECT_NE(snapshot.find("/srv/f")->node, tree.roots().front());
}

TEST(Snapshot, FindsTheFirstOfTwoRootsWithTheSamePath) {
  MadeTree made;
  made.root("/srv", {.inode = 7});
  made.root("/srv", {.inode = 7});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(snapshot.find("/srv"), snapshot.roots().front());
}

TEST(Snapshot, ComputesDerivedDataOnceForAllThreads) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  std::vector<std::thread> threads;
  std::vector<const void*> seen(8);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    threads.emplace_back([&snapshot, &seen, i] {
      seen[i] = i % 2 == 0 ? static_cast<const void*>(&snapshot.children()) : &snapshot.exclusive();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 2; i < seen.size(); ++i) EXPECT_EQ(seen[i], seen[i - 2]);
}

TEST(Owners, AreLookedUpOnce) {
  int asked = 0;
  Owners owners({.user =
                     [&](std::uint32_t id) {
                       ++asked;
                       return id == 0 ? std::optional<std::string>("root") : std::nullopt;
                     },
                 .group = [](std::uint32_t) { return std::optional<std::string>("staff"); }});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(owners.user(0), "root");
    EXPECT_EQ(owners.user(1), std::nullopt);
    EXPECT_EQ(owners.user(fs::kUnknownOwner), std::nullopt);
    EXPECT_EQ(owners.group(0), "staff");
  }
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace fathom::web
