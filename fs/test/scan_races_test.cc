// Races: the tree changes while it is scanned. Nothing outside the root is ever counted.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <set>
#include <string>
#include <thread>

#include "every_way.h"
#include "fathom/base/atomic.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

const int kScans = kSmall ? 15 : 60;  // for each way

// Changes the tree repeatedly on its own thread during its lifetime.
class Mutator {
 public:
  template <class Function>
  explicit Mutator(Function change)
      : thread_([this, change] {
          while (!stop_.load(base::memory_order_relaxed)) {
            change();
            rounds_.fetch_add(1, base::memory_order_relaxed);
          }
        }) {
    while (rounds_.load(base::memory_order_relaxed) == 0) std::this_thread::yield();
  }
  ~Mutator() {
    stop_.store(true, base::memory_order_relaxed);
    thread_.join();
  }
  Mutator(const Mutator&) = delete;
  Mutator& operator=(const Mutator&) = delete;

 private:
  base::atomic<bool> stop_{false};
  base::atomic<int> rounds_{0};
  std::thread thread_;
};

void expect_only_sane_errors(const Scan& scan) {
  for (const ScanError& error : scan.errors) {
    EXPECT_TRUE(error.code == ENOENT || error.code == ENOTDIR || error.code == ELOOP)
        << describe(scan.errors);
  }
}

// Scans while the change is repeated, and checks that nothing outside the root is found.
template <class Function>
void scan_while(TempTree& tree, Function change, const std::set<std::uint64_t>& forbidden) {
  const Mutator mutator(change);
  for (const Way& way : ways_with({1, 2, 8})) {
    SCOPED_TRACE(::testing::Message() << way);
    for (int round = 0; round < kScans; ++round) {
      const Scan found = scan(options_for(way, {tree.path()}));
      expect_only_sane_errors(found);
      found.tree.for_each_node([&](NodeId node) {
        ASSERT_FALSE(forbidden.contains(found.tree.entry(node).inode)) << found.tree.path(node);
        ASSERT_EQ(found.tree.name(node).find("marker"), std::string::npos) << found.tree.path(node);
        ASSERT_EQ(found.tree.path(node).find(tree.path()), 0U);
      });
      (void)Totals(found.tree);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// A tree that a scan of another one must not find.
struct Outside {
  Outside() {
    tree.file("marker", 1'000'000);
    tree.file("deep/marker too", 1'000'000);
    tree.file("victim/deep/marker", 1'000'000);
    for (const char* path : {"", "/marker", "/deep", "/deep/marker too", "/victim"}) {
      inodes.insert(inode_of(tree.path() + path));
    }
  }
  TempTree tree;
  std::set<std::uint64_t> inodes;
};

void make_surroundings(TempTree& tree) {
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 4; ++j) {
      tree.file("side" + std::to_string(i) + "/" + std::to_string(j) + "/file", 10);
    }
  }
}

TEST(Walk, NeverLeavesTheRootWhenADirectoryBecomesASymlink) {
  const Outside outside;
  TempTree tree;
  make_surroundings(tree);
  tree.file("victim/deep/file", 10);
  tree.file("victim/other/file", 10);
  tree.symlink(outside.tree.path(), "link");
  const std::string victim = tree.path("victim");
  const std::string link = tree.path("link");
  const std::string parked = tree.path("parked");
  const auto swap = [&] {
    EXPECT_EQ(std::rename(victim.c_str(), parked.c_str()), 0);
    EXPECT_EQ(std::rename(link.c_str(), victim.c_str()), 0);
    EXPECT_EQ(std::rename(victim.c_str(), link.c_str()), 0);
    EXPECT_EQ(std::rename(parked.c_str(), victim.c_str()), 0);
  };
  scan_while(tree, swap, outside.inodes);

  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_every_way({tree.path()}, [&](const Scan& scan) { expect_equals_oracle(scan, totals); });
}

TEST(Walk, NeverLeavesTheRootWhenAnAncestorBecomesASymlink) {
  // Directories deep below are reopened by name when descriptors run out.
  const Outside outside;
  TempTree tree;
  make_surroundings(tree);
  for (int i = 0; i < 5; ++i) {
    tree.file("victim/deep/" + std::to_string(i) + "/deeper/file", 10);
  }
  tree.symlink(outside.tree.path("victim"), "link");
  const std::string victim = tree.path("victim");
  const std::string link = tree.path("link");
  const std::string parked = tree.path("parked");
  const auto swap = [&] {
    EXPECT_EQ(std::rename(victim.c_str(), parked.c_str()), 0);
    EXPECT_EQ(std::rename(link.c_str(), victim.c_str()), 0);
    std::this_thread::yield();
    EXPECT_EQ(std::rename(victim.c_str(), link.c_str()), 0);
    EXPECT_EQ(std::rename(parked.c_str(), victim.c_str()), 0);
  };
  scan_while(tree, swap, outside.inodes);
}

TEST(Walk, NeverLeavesTheRootWhenADirectoryIsMovedOutOfIt) {
  const Outside outside;
  TempTree tree;
  make_surroundings(tree);
  tree.file("victim/deep/deeper/file", 10);
  const std::string victim = tree.path("victim");
  const std::string moved = outside.tree.path("moved");
  const auto move = [&] {
    // The other tree may be on another filesystem: then the test is meaningless.
    if (std::rename(victim.c_str(), moved.c_str()) != 0) return;
    EXPECT_EQ(std::rename(moved.c_str(), victim.c_str()), 0);
  };
  scan_while(tree, move, outside.inodes);
}

TEST(Walk, SurvivesDirectoriesThatAreDeletedAndCreated) {
  TempTree tree;
  make_surroundings(tree);
  const std::string base = tree.path("churn");
  const auto churn = [base] {
    ::mkdir(base.c_str(), 0755);
    for (const char* name : {"/a", "/a/b", "/a/b/c", "/d", "/d/e"}) {
      ::mkdir((base + name).c_str(), 0755);
    }
    ::mknod((base + "/a/file").c_str(), S_IFREG | 0644, 0);
    ::mknod((base + "/d/e/file").c_str(), S_IFREG | 0644, 0);
    ::unlink((base + "/a/file").c_str());
    ::unlink((base + "/d/e/file").c_str());
    for (const char* name : {"/a/b/c", "/a/b", "/a", "/d/e", "/d", ""}) {
      ::rmdir((base + name).c_str());
    }
  };
  scan_while(tree, churn, {});
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_every_way({tree.path()}, [&](const Scan& scan) { expect_equals_oracle(scan, totals); });
}

TEST(Walk, SurvivesAFileThatBecomesADirectoryAndBack) {
  TempTree tree;
  make_surroundings(tree);
  const std::string name = tree.path("changeling");
  const auto change = [name] {
    ::mknod(name.c_str(), S_IFREG | 0644, 0);
    ::unlink(name.c_str());
    ::mkdir(name.c_str(), 0755);
    ::mkdir((name + "/sub").c_str(), 0755);
    ::rmdir((name + "/sub").c_str());
    ::rmdir(name.c_str());
    ::mkfifo(name.c_str(), 0600);
    ::unlink(name.c_str());
  };
  scan_while(tree, change, {});
}

TEST(Walk, NeverFollowsARootThatBecomesASymlink) {
  const Outside outside;
  TempTree tree;
  tree.file("root/deep/file", 10);
  tree.symlink(outside.tree.path(), "link");
  const std::string root = tree.path("root");
  const std::string link = tree.path("link");
  const std::string parked = tree.path("parked");
  const Mutator mutator([&] {
    EXPECT_EQ(std::rename(root.c_str(), parked.c_str()), 0);
    EXPECT_EQ(std::rename(link.c_str(), root.c_str()), 0);
    EXPECT_EQ(std::rename(root.c_str(), link.c_str()), 0);
    EXPECT_EQ(std::rename(parked.c_str(), root.c_str()), 0);
  });
  for (const Way& way : ways_with({1, 2, 8})) {
    for (int round = 0; round < kScans; ++round) {
      const Scan found = scan(options_for(way, {root}));
      expect_only_sane_errors(found);
      found.tree.for_each_node([&](NodeId node) {
        EXPECT_FALSE(outside.inodes.contains(found.tree.entry(node).inode));
        EXPECT_EQ(found.tree.name(node).find("marker"), std::string::npos);
      });
    }
  }
}

}  // namespace
}  // namespace fathom::fs
