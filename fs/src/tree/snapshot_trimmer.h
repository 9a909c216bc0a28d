// SnapshotTrimmer: trims a snapshot of a growing tree, so that it includes all ancestors of every
// entry.
//
// The rows of the chunks were counted one chunk after the other while Appenders went on: the
// snapshot may include an entry but not its directory, whose chunk was counted earlier. Rows are
// cut from the ends of chunks until each entry has its directory, each directory has both its rows,
// and each root its node.

#pragma once

#include <vector>

#include "fathom/fs/tree_builder.h"

namespace fathom::fs {

class TreeBuilder::SnapshotTrimmer {
 public:
  // The known rows must have been counted before everything else in the tree: its directories, its
  // nodes and its roots.
  //
  // Rows before the last known one of a chunk are never cut or examined. The reason: an Appender
  // makes a directory known only when both its rows, and those of all directories above it, are
  // published. So everything that such a row refers to was published by the end of the first count,
  // and the tree's own counts include it. For the last known row, the directory or the root's node
  // may not have been published yet; then no known row refers to it.
  SnapshotTrimmer(Tree& tree, const NodeRows& known);

  // Takes one step per examined row and per cut.
  void run();

 private:
  // A directory that may be cut, by both its numbers.
  struct Directory {
    NodeId node;
    DirId id;
  };

  [[nodiscard]] bool holds_node(NodeId node) const;
  [[nodiscard]] bool holds(DirId directory) const;
  [[nodiscard]] DirId directory_at(NodeId node) const;
  [[nodiscard]] bool is_whole(NodeId node) const;
  bool cut_nodes();
  bool cut_directories();

  Tree& tree_;
  NodeRows first_;                      // by chunk: the first row that may be cut
  std::vector<Directory> directories_;  // by node
};

}  // namespace fathom::fs
