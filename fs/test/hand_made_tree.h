// HandMadeTree: a tree that a test builds row by row, as a scan would.
//
//   HandMadeTree made;
//   const DirId top = made.root("/t");
//   const NodeId file = made.file(top, "file", {.size = 5, .blocks = 8});
//   const Tree tree = made.finish();

#pragma once

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/fs/tree.h"
#include "fathom/fs/tree_builder.h"

namespace fathom::fs {

// The largest size, at which every sum saturates; and times: a realistic now, the earliest and the
// latest.
inline constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
inline constexpr std::int64_t kNow = 1'800'000'000;
inline constexpr std::int64_t kFirst = kUnknownTime + 1;
inline constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

class HandMadeTree {
 public:
  HandMadeTree() { rows_.emplace(builder_); }

  // Missing values of an entry (mode, inode, links, device) are filled in: each entry is a separate
  // inode.
  DirId root(std::string_view path, Entry entry = {}) {
    const auto [node, id] = rows_->add_directory(kNoDir, 0, path, filled(entry, S_IFDIR | 0755));
    roots_.push_back(node);
    return know(node, id, 0);
  }
  NodeId file_root(std::string_view path, Entry entry = {}) {
    const NodeId node = rows_->add(kNoDir, path, filled(entry, S_IFREG | 0644));
    roots_.push_back(node);
    return node;
  }
  DirId directory(DirId parent, std::string_view name, Entry entry = {}) {
    const std::uint32_t depth = directories_.at(parent).depth + 1;
    const auto [node, id] =
        rows_->add_directory(parent, depth, name, filled(entry, S_IFDIR | 0755));
    return know(node, id, depth);
  }
  NodeId file(DirId parent, std::string_view name, Entry entry = {}) {
    return rows_->add(parent, name, filled(entry, S_IFREG | 0644));
  }

  NodeId symlink(DirId parent, std::string_view name, const LinkTarget& target, Entry entry = {}) {
    return rows_->add_link(parent, name, filled(entry, S_IFLNK | 0777), target);
  }

  // A root that could not be read at all.
  void missing_root() { roots_.push_back(kNoNode); }

  void mark(DirId directory, NodeFlag flag) { rows_->mark(directory, flag); }
  void mark_incomplete(DirId directory) { rows_->mark_incomplete(directory); }

  // The following rows come from another Appender, as if from another thread.
  void change_appender() { rows_.emplace(builder_); }

  [[nodiscard]] NodeId node_of(DirId directory) const { return directories_.at(directory).node; }
  [[nodiscard]] std::uint64_t last_inode() const { return next_inode_ - 1; }

  // A snapshot of the rows so far.
  Tree snapshot() {
    std::vector<base::atomic<NodeId>> places(roots_.size());
    for (std::size_t i = 0; i < roots_.size(); ++i) places[i] = roots_[i];
    return builder_.snapshot(places);
  }

  Tree finish() {
    rows_.reset();
    return builder_.finish(roots_);
  }

 private:
  struct Directory {
    NodeId node = kNoNode;
    std::uint32_t depth = 0;
  };

  Entry filled(Entry entry, unsigned mode) {
    if (entry.mode == 0) entry.mode = static_cast<std::uint16_t>(mode);
    if (entry.inode == 0) entry.inode = next_inode_++;
    if (entry.links == 0) entry.links = 1;
    if (entry.device == 0) entry.device = 1;
    return entry;
  }

  DirId know(NodeId node, DirId id, std::uint32_t depth) {
    if (directories_.size() <= id) directories_.resize(id + 1);
    directories_[id] = {node, depth};
    return id;
  }

  TreeBuilder builder_;
  std::optional<TreeBuilder::Appender> rows_;
  std::vector<NodeId> roots_;
  std::vector<Directory> directories_;  // by DirId
  std::uint64_t next_inode_ = 1000;
};

// Every path in the tree, in byte order.
inline std::vector<std::string> all_paths(const Tree& tree) {
  std::vector<std::string> paths;
  tree.for_each_node([&](NodeId node) { paths.push_back(tree.path(node)); });
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The first node with this path. Throws if there is none.
inline NodeId find_node(const Tree& tree, std::string_view path) {
  NodeId found = kNoNode;
  tree.for_each_node([&](NodeId node) {
    if (found == kNoNode && tree.path(node) == path) found = node;
  });
  if (found == kNoNode) throw std::runtime_error("no such path in the tree: " + std::string(path));
  return found;
}

// The DirId of the directory at this node. Throws if it is not a directory.
inline DirId directory_at(const Tree& tree, NodeId node) {
  DirId found = kNoDir;
  tree.for_each_directory([&](DirId id) {
    if (tree.node(id) == node) found = id;
  });
  if (found == kNoDir) throw std::runtime_error("no directory: " + tree.path(node));
  return found;
}

}  // namespace fathom::fs
