// SnapshotTrimmer: cuts a tree that was taken while it grew, so that it holds all that stands above
// whatever it holds.
//
// The counts of its chunks were read one after the other while Appenders went on: an entry may have
// been seen, and the directory that it stands in not, whose chunk was counted before. Chunks are
// cut from their ends until each entry has its directory, each directory has both its rows, and
// each root its place.

#pragma once

#include <vector>

#include "fathom/fs/tree_builder.h"

namespace fathom::fs {

class TreeBuilder::SnapshotTrimmer {
 public:
  // The known rows must have been counted before anything that the tree says: its directories, its
  // nodes, its roots.
  //
  // Rows before the last known one of a chunk are never cut, nor looked at. For an Appender tells
  // of a directory only when both its rows are published, and those of all directories above it. So
  // all that such a row refers to had been published by the end of the first count, and the tree's
  // own counts include it. Of the last row the directory, or the place among the roots, may have
  // been about to follow; then nothing known refers to it.
  SnapshotTrimmer(Tree& tree, const NodeRows& known);

  // Takes a step for each row that is looked at and each cut.
  void run();

 private:
  // A directory that might be cut, by both its numbers.
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
  NodeRows first_;                      // of a chunk, that may be cut
  std::vector<Directory> directories_;  // by node
};

}  // namespace fathom::fs
