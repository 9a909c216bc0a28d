// TreeBuilder::snapshot() with everything that Appenders may do between two of its steps.
//
// One thread plays all of them: before snapshot() reads a count, other Appenders add rows; and
// snapshot() is called while one of them has written half a directory. The steps are random, with a
// fixed seed.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/fs/tree.h"
#include "fathom/fs/tree_builder.h"

namespace fathom::fs {
namespace {

constexpr unsigned kAppenders = 4;
constexpr Entry kDirectory = {.inode = 1, .links = 1, .mode = S_IFDIR | 0755};
constexpr Entry kFile = {.inode = 2, .links = 1, .mode = S_IFREG | 0644};

// Each row has its own inode number, so that no two are the same.
Entry numbered(Entry entry, std::uint64_t number) {
  entry.inode = number;
  return entry;
}

// Every entry of the tree is there with all its ancestors, and completely.
void expect_closed(const Tree& tree) {
  std::set<NodeId> nodes;
  std::set<DirId> directories;
  std::set<NodeId> nodes_of_directories;
  tree.for_each_node([&](NodeId node) { nodes.insert(node); });
  tree.for_each_directory([&](DirId id) {
    directories.insert(id);
    nodes_of_directories.insert(tree.node(id));
  });
  for (const NodeId root : tree.roots()) EXPECT_TRUE(root == kNoNode || nodes.contains(root));
  for (const NodeId node : nodes) {
    EXPECT_EQ(tree.kind(node) == Kind::directory, nodes_of_directories.contains(node));
    const DirId parent = tree.parent(node);
    if (parent == kNoDir) {
      EXPECT_NE(std::find(tree.roots().begin(), tree.roots().end(), node), tree.roots().end());
    } else {
      EXPECT_TRUE(directories.contains(parent));
    }
  }
  for (const DirId id : directories) {
    EXPECT_TRUE(nodes.contains(tree.node(id)));
    EXPECT_EQ(tree.parent(tree.node(id)), tree.parent_of(id));
    if (tree.parent_of(id) != kNoDir) {
      EXPECT_TRUE(directories.contains(tree.parent_of(id)));
    }
  }
}

class Play {
 public:
  explicit Play(unsigned seed) : random_(seed), roots_(kAppenders) {
    for (auto& root : roots_) root.store(kNoNode, base::memory_order_relaxed);
    for (unsigned i = 0; i < kAppenders; ++i) appenders_.emplace_back(builder_);
    base::before_acquire = [this] { others_add(); };
    base::after_release = [this] { now_and_then_look(); };
  }
  ~Play() {
    base::before_acquire = base::after_release = [] {};
  }
  Play(const Play&) = delete;
  Play& operator=(const Play&) = delete;

  // Runs until that many trees were taken, or one is wrong. Each Appender adds a root first, so
  // that it has its chunks and does not have to wait.
  void run(unsigned looks) {
    for (unsigned i = 0; i < kAppenders; ++i) add_root(i);
    while (looks_ < looks && !::testing::Test::HasFailure()) add(draw(kAppenders));
  }

 private:
  unsigned draw(std::size_t below) {
    return std::uniform_int_distribution<unsigned>(0, static_cast<unsigned>(below) - 1)(random_);
  }

  void add_root(unsigned appender) {
    writing_ = appender;
    const auto root = appenders_[appender].add_directory(kNoDir, 0, "/" + std::to_string(appender),
                                                         numbered(kDirectory, ++number_));
    writing_ = kAppenders;
    roots_[appender].store(root.node, base::memory_order_relaxed);
    directories_.push_back(root.id);
    whole_.push_back(root.node);
    ++begun_;
  }

  void add(unsigned appender) {
    const std::size_t newest = std::min<std::size_t>(directories_.size(), 3);
    const DirId in = draw(4) == 0 ? directories_[draw(directories_.size())]
                                  : directories_[directories_.size() - 1 - draw(newest)];
    const bool outermost = writing_ == kAppenders;
    if (outermost) writing_ = appender;
    if (draw(2) == 0) {
      whole_.push_back(appenders_[appender].add(in, "f", numbered(kFile, ++number_)));
    } else {
      const auto added =
          appenders_[appender].add_directory(in, 1, "d", numbered(kDirectory, ++number_));
      whole_.push_back(added.node);
      directories_.push_back(added.id);
    }
    if (outermost) writing_ = kAppenders;
  }

  // The Appenders that are not in the middle of a row.
  void others_add() {
    if (!looking_) return;
    for (unsigned some = draw(4); some > 0; --some) {
      const unsigned appender = draw(kAppenders);
      if (appender != writing_ && appender < begun_) add(appender);
    }
  }

  void now_and_then_look() {
    if (looking_ || draw(4) != 0) return;
    looking_ = true;
    const std::vector<NodeId> before = whole_;
    const Tree tree = builder_.snapshot(roots_);
    looking_ = false;
    ++looks_;
    expect_closed(tree);
    std::set<NodeId> nodes;
    tree.for_each_node([&](NodeId node) { nodes.insert(node); });
    for (const NodeId node : before) EXPECT_TRUE(nodes.contains(node)) << "it was there before";
  }

  std::mt19937 random_;
  TreeBuilder builder_;
  std::deque<TreeBuilder::Appender> appenders_;
  std::vector<base::atomic<NodeId>> roots_;
  std::vector<NodeId> whole_;       // entries that have been added
  std::vector<DirId> directories_;  // the same
  std::uint64_t number_ = 0;
  unsigned begun_ = 0;             // Appenders that have chunks; these come first
  unsigned writing_ = kAppenders;  // the Appender that is in the middle of a row; kAppenders: none
  bool looking_ = false;
  unsigned looks_ = 0;
};

TEST(SnapshotTrimmer, LeavesAClosedTreeWithAllEarlierEntries) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Play(seed).run(20);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace fathom::fs
