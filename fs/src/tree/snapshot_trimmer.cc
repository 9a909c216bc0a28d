// SnapshotTrimmer: removes rows until every remaining row has all rows that it refers to.

#include "tree/snapshot_trimmer.h"

#include <algorithm>

namespace fathom::fs {

TreeBuilder::SnapshotTrimmer::SnapshotTrimmer(Tree& tree, const NodeRows& known)
    : tree_(tree), first_(known) {
  for (std::uint32_t& row : first_) row -= std::min(row, 1U);
  tree.for_each_directory([&](DirId id) {
    const NodeId node = tree.node(id);
    if ((node & (Tree::kRows - 1)) >= first_[node >> Tree::kRowBits]) {
      directories_.push_back({.node = node, .id = id});
    }
  });
  std::sort(directories_.begin(), directories_.end(),
            [](const Directory& a, const Directory& b) { return a.node < b.node; });
}

void TreeBuilder::SnapshotTrimmer::run() {
  for (bool cut = true; cut;) {
    cut = cut_nodes();
    cut = cut_directories() || cut;
  }
  for (NodeId& root : tree_.roots_) {
    if (!holds_node(root)) root = kNoNode;
  }
}

bool TreeBuilder::SnapshotTrimmer::holds_node(NodeId node) const {
  const std::uint32_t chunk = node >> Tree::kRowBits;
  return chunk < tree_.nodes_.size() && (node & (Tree::kRows - 1)) < tree_.node_rows_[chunk];
}

bool TreeBuilder::SnapshotTrimmer::holds(DirId directory) const {
  const std::uint32_t chunk = directory >> Tree::kDirectoryBits;
  return chunk < tree_.directories_.size() &&
         (directory & (Tree::kDirectories - 1)) < tree_.directory_rows_[chunk];
}

// kNoDir if the directory's row did not exist when directories were counted.
DirId TreeBuilder::SnapshotTrimmer::directory_at(NodeId node) const {
  const auto found = std::lower_bound(
      directories_.begin(), directories_.end(), node,
      [](const Directory& directory, NodeId wanted) { return directory.node < wanted; });
  return found == directories_.end() || found->node != node ? kNoDir : found->id;
}

bool TreeBuilder::SnapshotTrimmer::is_whole(NodeId node) const {
  if (tree_.kind(node) == Kind::directory && !holds(directory_at(node))) return false;
  const DirId parent = tree_.parent(node);
  if (parent != kNoDir) return holds(parent);
  return std::find(tree_.roots_.begin(), tree_.roots_.end(), node) != tree_.roots_.end();
}

// Cuts each chunk at the first incomplete row. Returns whether any row was cut.
bool TreeBuilder::SnapshotTrimmer::cut_nodes() {
  bool cut = false;
  for (std::uint32_t chunk = 0; chunk < tree_.nodes_.size(); ++chunk) {
    std::uint32_t& rows = tree_.node_rows_[chunk];
    for (std::uint32_t row = first_[chunk]; row < rows; ++row) {
      if (is_whole(chunk << Tree::kRowBits | row)) continue;
      rows = row;
      cut = true;
    }
  }
  return cut;
}

// Cuts directories whose own entry was cut. Returns whether any row was cut.
bool TreeBuilder::SnapshotTrimmer::cut_directories() {
  bool cut = false;
  for (const Directory& directory : directories_) {
    if (!holds(directory.id) || holds_node(directory.node)) continue;
    tree_.directory_rows_[directory.id >> Tree::kDirectoryBits] =
        directory.id & (Tree::kDirectories - 1);
    cut = true;
  }
  return cut;
}

}  // namespace fathom::fs
