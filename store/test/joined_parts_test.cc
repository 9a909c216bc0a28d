// Joining the parts of random trees, as many hosts might have divided them, gives the bytes of the
// whole tree, whatever the order and the numbers of devices.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fathom/fs/tree_builder.h"
#include "fathom/store/part_folder.h"
#include "fathom/testing/temp_tree.h"
#include "os/file.h"
#include "snapshot/entry_columns.h"
#include "snapshot/snapshot_files.h"
#include "tables_of.h"

namespace fathom::store {
namespace {

constexpr const char* kIds[] = {"5e8d5c6e-0001", "5e8d5c6e-0002"};  // of the filesystems

// An entry of a tree that exists only here.
struct Node {
  fs::Entry entry;
  std::uint8_t flags = 0;
  std::map<std::string, std::unique_ptr<Node>> inside;

  [[nodiscard]] bool directory() const { return entry.kind() == fs::Kind::directory; }
};

std::unique_ptr<Node> copy_of(const Node& node) {
  auto copy = std::make_unique<Node>();
  copy->entry = node.entry;
  copy->flags = node.flags;
  for (const auto& [name, inside] : node.inside) copy->inside.emplace(name, copy_of(*inside));
  return copy;
}

class RandomTree {
 public:
  explicit RandomTree(std::uint64_t seed) : random_(seed) {
    root_ = make(true, 1);
    fill(*root_, 0);
    if (below(2) == 0) mount_again();
  }

  [[nodiscard]] const Node& root() const { return *root_; }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

 private:
  std::unique_ptr<Node> make(bool directory, std::uint64_t device) {
    auto node = std::make_unique<Node>();
    fs::Entry& entry = node->entry;
    entry.inode = ++inodes_;
    entry.device = device;
    entry.mode = directory ? 0040755 : (below(9) == 0 ? 0120777 : 0100644);
    entry.links = directory ? 2 : 1;
    entry.size = below(10'000);
    entry.blocks = entry.size / 512;
    entry.mtime = static_cast<std::int64_t>(below(1'000'000));
    entry.times = {.mtime = entry.mtime * 1'000'000'000, .ctime = 5, .btime = 7};
    return node;
  }

  std::string name() {
    constexpr const char* kNames[] = {"a", "a-", "a.b", "b", "\xff", "z", "a b", "-", "~", "0"};
    return kNames[below(std::size(kNames))] + (below(3) == 0 ? std::to_string(below(30)) : "");
  }

  void fill(Node& folder, int depth) {
    const std::size_t entries = below(depth < 5 ? 9 : 3);
    for (std::size_t i = 0; i < entries; ++i) {
      const bool directory = below(2) == 0;
      const std::uint64_t device = directory && below(12) == 0 ? 2 : folder.entry.device;
      std::unique_ptr<Node> node = make(directory, device);
      if (directory) {
        node->flags = below(15) == 0 ? fs::kIncomplete : 0;
        fill(*node, depth + 1);
      } else if (below(4) == 0 && !linked_.empty()) {
        node->entry = linked_[below(linked_.size())];
      } else if (below(4) == 0) {
        node->entry.links = 3;
        linked_.push_back(node->entry);
      }
      folder.inside.try_emplace(name(), std::move(node));
    }
  }

  // As a bind mount of a directory does.
  void mount_again() {
    for (const auto& [name, node] : root_->inside) {
      if (!node->directory() || node->inside.empty()) continue;
      root_->inside["mounted"] = copy_of(*node);
      return;
    }
  }

  std::mt19937_64 random_;
  std::unique_ptr<Node> root_;
  std::uint64_t inodes_ = 0;
  std::vector<fs::Entry> linked_;
};

const Node& find(const Node& root, std::string path) {
  const Node* at = &root;
  if (path.ends_with('/')) path.pop_back();
  path.erase(0, path.find('/', 1) == std::string::npos ? path.size() : path.find('/', 1) + 1);
  while (!path.empty()) {
    const std::string name = path.substr(0, path.find('/'));
    path.erase(0, std::min(path.size(), name.size() + 1));
    at = at->inside.at(name).get();
  }
  return *at;
}

// What a shard sees: the nodes that it has, by path.
class ShardTree {
 public:
  explicit ShardTree(const Node& root) : root_(root) {}

  // The entry, with the directories above it.
  void add(const std::string& path) {
    for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
         slash = path.find('/', slash + 1)) {
      seen_.insert(path.substr(0, slash));
    }
    seen_.insert(path);
  }

  [[nodiscard]] bool has_device(std::uint64_t device) const {
    return std::any_of(seen_.begin(), seen_.end(), [&](const std::string& path) {
      return find(root_, path).entry.device == device;
    });
  }

  // `devices`: what this host adds to the numbers of devices.
  fs::Tree build(std::uint64_t devices) {
    devices_ = devices;
    fs::TreeBuilder builder(true);
    fs::NodeId root = fs::kNoNode;
    {
      fs::TreeBuilder::Appender rows(builder);
      fs::Entry entry = root_.entry;
      entry.device += devices_;
      const auto top = rows.add_directory(fs::kNoDir, 0, "/r", entry);
      root = top.node;
      add_inside(rows, root_, "/r", top.id, 1);
    }
    return builder.finish({root});
  }

 private:
  void add_inside(fs::TreeBuilder::Appender& rows, const Node& folder, const std::string& path,
                  fs::DirId id, std::uint32_t depth) {
    for (const auto& [name, node] : folder.inside) {
      const std::string inside = path + '/' + name;
      if (!seen_.contains(inside)) continue;
      fs::Entry entry = node->entry;
      entry.device += devices_;
      if (!node->directory()) {
        rows.add(id, name, entry);
        continue;
      }
      const auto added = rows.add_directory(id, depth, name, entry, node->flags);
      add_inside(rows, *node, inside, added.id, depth + 1);
    }
  }

  const Node& root_;
  std::uint64_t devices_ = 0;
  std::set<std::string> seen_;
};

class Joining {
 public:
  // `uuids`: whether the filesystems have any. If not, there is one host.
  Joining(std::uint64_t seed, bool uuids) : tree_(seed), uuids_(uuids) {}

  std::vector<std::string> whole() {
    ShardTree all(tree_.root());
    add_all(tree_.root(), "/r", all);
    place_.dir("whole");
    const base::Fd at = open_folder(place_.path("whole"));
    const fs::Scan scan = scan_of(all.build(0));
    write_snapshot(scan, facts(scan.tree, 0), executor_, at.get());
    return tables_of(place_.path("whole"));
  }

  std::vector<std::string> joined() {
    std::vector<std::pair<PartWork, std::vector<std::string>>> works = {{PartWork(), {"/r/"}}};
    while (!works.empty()) {
      std::swap(works[tree_.below(works.size())], works.back());
      auto [work, from] = std::move(works.back());
      works.pop_back();
      do_part(work, std::move(from), works);
    }
    place_.dir("joined");
    const base::Fd at = open_folder(place_.path("joined"));
    const JoinedParts result =
        folder_.join({.group_rows = 16, .most_open = 2}, executor_, at.get());
    EXPECT_EQ(Snapshot::open(place_.path("joined")).verify(), std::nullopt);
    EXPECT_EQ(result.missing.size(), 0U);
    return tables_of(place_.path("joined"));
  }

 private:
  using Work = std::pair<PartWork, std::vector<std::string>>;

  static fs::Scan scan_of(fs::Tree tree) {
    fs::Scan scan;
    scan.roots = {"/r"};
    scan.tree = std::move(tree);
    return scan;
  }

  // As fs::filesystem_ids() identifies filesystems without a UUID.
  static FilesystemIds ids_by_directory(const fs::Tree& tree) {
    std::map<std::uint64_t, std::tuple<std::uint32_t, std::string, std::uint64_t>> topmost;
    tree.for_each_directory([&](fs::DirId id) {
      const fs::NodeId node = tree.node(id);
      const std::tuple place(tree.depth(id), tree.path(node), tree.inode(node));
      const auto [known, is_new] = topmost.emplace(tree.device(node), place);
      if (!is_new) known->second = std::min(known->second, place);
    });
    FilesystemIds ids;
    for (const auto& [device, place] : topmost) {
      ids[device] = "dir-" + std::to_string(std::get<2>(place));
    }
    return ids;
  }

  [[nodiscard]] SnapshotOptions facts(const fs::Tree& tree, std::uint64_t devices) const {
    SnapshotOptions options;
    options.meta.host = "host " + std::to_string(devices);
    options.meta.roots = {"/r"};
    options.filesystem_ids = {{1 + devices, kIds[0]}, {2 + devices, kIds[1]}};
    if (!uuids_) options.filesystem_ids = ids_by_directory(tree);
    options.group_rows = 16;
    return options;
  }

  void add_all(const Node& folder, const std::string& path, ShardTree& all) {
    for (const auto& [name, node] : folder.inside) {
      all.add(path + '/' + name);
      add_all(*node, path + '/' + name, all);
    }
  }

  // Looks at some entries in random order, and leaves the rest.
  void do_part(const PartWork& work, std::vector<std::string> waiting, std::vector<Work>& works) {
    ShardTree shard(tree_.root());
    for (std::size_t budget = 1 + tree_.below(20); budget > 0 && !waiting.empty(); --budget) {
      std::swap(waiting[tree_.below(waiting.size())], waiting.back());
      std::string path = std::move(waiting.back());
      waiting.pop_back();
      if (path.ends_with('/')) path.pop_back();
      shard.add(path);
      for (const auto& [name, node] : find(tree_.root(), path).inside) {
        waiting.push_back(path + '/' + name + (node->directory() ? "/" : ""));
      }
    }
    // The host of the first part has seen each device: its numbers are used.
    const bool first = work.parent.empty() || (shard.has_device(2) && !std::exchange(seen_, true));
    const std::uint64_t devices = first || !uuids_ ? 0 : tree_.below(3);
    fs::Scan scan = scan_of(shard.build(devices));
    scan.rest = std::move(waiting);
    std::sort(scan.rest.begin(), scan.rest.end());
    const std::size_t most = 1 + tree_.below(4);
    static_cast<void>(folder_.add(work, scan, most, facts(scan.tree, devices), executor_));
    for (std::size_t i = 0; i < std::min(most, scan.rest.size()); ++i) {
      const PartWork next{.parent = work.id(), .batch = i};
      works.emplace_back(next, folder_.entries_of(next));
    }
  }

  RandomTree tree_;
  const bool uuids_;
  bool seen_ = false;  // the second device, by the first host
  testing::TempTree place_;
  PartFolder folder_ = PartFolder::open_or_create(place_.path("scan"));
  rt::Executor executor_{{.threads = 2}};
};

class JoinedParts : public ::testing::TestWithParam<bool> {};

TEST_P(JoinedParts, AreTheWholeTreeHoweverItWasDivided) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Joining joining(seed, GetParam());
    const std::vector<std::string> whole = joining.whole();
    ASSERT_TRUE(joining.joined() == whole);
  }
}

INSTANTIATE_TEST_SUITE_P(WithoutAndWithUuids, JoinedParts, ::testing::Bool());

}  // namespace
}  // namespace fathom::store
