// Subtree: one entry of a tree with everything below it, or the whole tree.
//
// For reports, which are about either. Goes through the entries as the functions of Tree with the
// same names do, in no particular order, and takes time by their number, however large the rest of
// the tree is.
//
//   const fs::Subtree part(tree, children, node, directory);
//   part.for_each_node([&](fs::NodeId node) { bytes += tree.size(node); });
//
// Immutable: any number of threads may read it. The tree and the children must outlive it.

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/fs/children.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

class Subtree {
 public:
  // The whole tree, with all its roots.
  explicit Subtree(const Tree& tree) : tree_(&tree) {}
  // An entry. directory: its number, or kNoDir if it is not a directory.
  Subtree(const Tree& tree, const Children& children, NodeId top, DirId directory);

  [[nodiscard]] NodeId top() const { return top_; }             // kNoNode: the whole tree
  [[nodiscard]] DirId directory() const { return directory_; }  // kNoDir: none, or the whole tree
  [[nodiscard]] bool is_whole() const { return top_ == kNoNode; }

  template <class Function>
  void for_each_node(Function&& function) const;  // function(NodeId)
  template <class Function>
  void for_each_directory(Function&& function) const;  // function(DirId)

 private:
  const Tree* tree_;
  const Children* children_ = nullptr;
  NodeId top_ = kNoNode;
  DirId directory_ = kNoDir;
  std::vector<DirId> directories_;  // unless it is the whole tree
};

template <class Function>
void Subtree::for_each_node(Function&& function) const {
  if (is_whole()) return tree_->for_each_node(function);
  if (directory_ == kNoDir) return function(top_);
  for (const DirId id : directories_) {
    function(tree_->node(id));
    for (const NodeId node : children_->others(id)) function(node);
  }
}

template <class Function>
void Subtree::for_each_directory(Function&& function) const {
  if (is_whole()) return tree_->for_each_directory(function);
  for (const DirId id : directories_) function(id);
}

}  // namespace fathom::fs
