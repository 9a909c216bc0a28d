// TreeBuilder::snapshot() while several threads add rows: each tree is closed, and each row is
// unchanged.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/fs/tree.h"
#include "fathom/fs/tree_builder.h"

namespace fathom::fs {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kRowsEach = 20'000;
#else
constexpr std::uint32_t kRowsEach = 60'000;
#endif
constexpr unsigned kThreads = 4;

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 31) * 0x9e3779b97f4a7c15;
  value = (value ^ value >> 27) * 0xbf58476d1ce4e5b9;
  return value ^ value >> 32;
}

// The whole row is a function of its parent and its number.
std::string name_of(DirId parent, std::uint64_t number) {
  const std::string tail(mixed(parent * 31ULL + number) % 40, 'x');
  return std::to_string(number) + "." + tail;
}

Entry entry_of(DirId parent, std::uint64_t number, bool directory) {
  const std::uint64_t seed = mixed((std::uint64_t{parent} << 32) + number);
  return {.size = seed,
          .blocks = mixed(seed + 1),
          .inode = number + 2,
          .device = mixed(seed + 2),
          .mtime = static_cast<std::int64_t>(mixed(seed + 3) >> 1),
          .uid = static_cast<std::uint32_t>(mixed(seed + 4)),
          .gid = static_cast<std::uint32_t>(mixed(seed + 5)),
          .links = 1,
          .mode = static_cast<std::uint16_t>((directory ? S_IFDIR : S_IFREG) | (seed & 0777))};
}

struct Place {
  DirId id;
  std::uint32_t depth;
};

// Threads that add files and directories to directories of any of them, most often to recent ones.
// The thread that takes snapshots does not synchronize with them.
class Growth {
 public:
  Growth() : roots_(1) {
    roots_[0].store(kNoNode, base::memory_order_relaxed);
    TreeBuilder::Appender rows(builder_);
    const auto top = rows.add_directory(kNoDir, 0, "/t", entry_of(kNoDir, 0, true));
    roots_[0].store(top.node, base::memory_order_relaxed);
    places_.push_back({top.id, 0});
  }
  ~Growth() { join(); }
  Growth(const Growth&) = delete;
  Growth& operator=(const Growth&) = delete;

  void start() {
    for (unsigned thread = 0; thread < kThreads; ++thread) {
      threads_.emplace_back([this, thread] { add(thread); });
    }
  }
  void join() {
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  [[nodiscard]] bool is_over() const { return over_.load(base::memory_order_relaxed) == kThreads; }
  Tree snapshot() { return builder_.snapshot(roots_); }
  Tree finish() { return builder_.finish({roots_[0].load(base::memory_order_relaxed)}); }

 private:
  void add(unsigned thread) {
    TreeBuilder::Appender rows(builder_);
    for (std::uint32_t i = 0; i < kRowsEach; ++i) {
      const std::uint64_t number = std::uint64_t{i} * kThreads + thread + 1;
      const Place in = some_place(mixed(number));
      const std::string name = name_of(in.id, number);
      if (mixed(number + 7) % 3 == 0) {
        const auto added =
            rows.add_directory(in.id, in.depth + 1, name, entry_of(in.id, number, true));
        const std::lock_guard lock(mutex_);
        places_.push_back({added.id, in.depth + 1});
      } else {
        rows.add(in.id, name, entry_of(in.id, number, false));
      }
    }
    over_.fetch_add(1, base::memory_order_relaxed);
  }

  Place some_place(std::uint64_t random) {
    const std::lock_guard lock(mutex_);
    const std::size_t newest = std::min<std::size_t>(places_.size(), 5);
    return random % 8 == 0 ? places_[random / 8 % places_.size()]
                           : places_[places_.size() - 1 - random / 8 % newest];
  }

  TreeBuilder builder_;
  std::vector<base::atomic<NodeId>> roots_;
  std::mutex mutex_;
  std::vector<Place> places_;  // guarded by mutex_
  base::atomic<unsigned> over_{0};
  std::vector<std::thread> threads_;
};

::testing::AssertionResult same(const Entry& a, const Entry& b) {
  if (a.size == b.size && a.blocks == b.blocks && a.inode == b.inode && a.device == b.device &&
      a.mtime == b.mtime && a.uid == b.uid && a.gid == b.gid && a.links == b.links &&
      a.mode == b.mode) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "the row differs from what was written";
}

// Checks everything that a snapshot guarantees. Returns its number of nodes.
std::size_t judge(const Tree& tree) {
  std::vector<bool> is_there(tree.directory_limit());
  std::size_t directories = 0;
  tree.for_each_directory([&](DirId id) { is_there[id] = true, ++directories; });
  const auto holds = [&](DirId id) { return id < is_there.size() && is_there[id]; };

  std::size_t nodes = 0;
  std::size_t directory_nodes = 0;
  std::vector<NodeId> all;
  tree.for_each_node([&](NodeId node) { all.push_back(node); });
  for (const NodeId node : all) {
    ++nodes;
    const bool directory = tree.kind(node) == Kind::directory;
    if (directory) ++directory_nodes;
    const DirId parent = tree.parent(node);
    if (parent == kNoDir) {
      EXPECT_EQ(tree.roots(), std::vector<NodeId>{node});
      EXPECT_EQ(tree.name(node), "/t");
      EXPECT_TRUE(same(tree.entry(node), entry_of(kNoDir, 0, true)));
    } else {
      EXPECT_TRUE(holds(parent)) << "an entry without its directory";
      const std::uint64_t number = tree.inode(node) - 2;
      EXPECT_EQ(tree.name(node), name_of(parent, number));
      EXPECT_TRUE(same(tree.entry(node), entry_of(parent, number, directory)));
    }
    if (::testing::Test::HasFailure()) return nodes;
  }
  EXPECT_EQ(directory_nodes, directories);
  tree.for_each_directory([&](DirId id) {
    if (::testing::Test::HasFailure()) return;
    EXPECT_TRUE(std::binary_search(all.begin(), all.end(), tree.node(id)))
        << "a directory without its entry";
    const DirId parent = tree.parent_of(id);
    if (parent == kNoDir) return;
    EXPECT_TRUE(holds(parent)) << "a directory without its parent";
    if (holds(parent)) {
      EXPECT_EQ(tree.depth(id), tree.depth(parent) + 1);
    }
    EXPECT_EQ(tree.parent(tree.node(id)), parent);
  });
  return nodes;
}

TEST(AGrowingTree, IsClosedAndCorrectInEverySnapshot) {
  constexpr int kRounds = 3;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    Growth growth;
    growth.start();
    std::size_t last = 0;
    while (!growth.is_over() && !HasFailure()) {
      const std::size_t nodes = judge(growth.snapshot());
      EXPECT_GE(nodes, last);
      last = nodes;
    }
    growth.join();
    const std::size_t all = kThreads * kRowsEach + 1;
    if (!HasFailure()) {
      EXPECT_EQ(judge(growth.snapshot()), all);
      EXPECT_EQ(judge(growth.finish()), all);
    }
  }
}

// A snapshot takes much longer than adding a row, so most of what it sees is at rest. Here it is
// checked only at the end.
TEST(AGrowingTree, IsClosedAndCorrectInFrequentSnapshots) {
  Growth growth;
  growth.start();
  std::vector<Tree> trees;
  while (!growth.is_over()) {
    trees.push_back(growth.snapshot());
    if (trees.size() > 60) trees.erase(trees.begin(), trees.begin() + 30);
  }
  growth.join();
  std::size_t last = 0;
  for (const Tree& tree : trees) {
    const std::size_t nodes = judge(tree);
    EXPECT_GE(nodes, last);
    last = nodes;
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace fathom::fs
