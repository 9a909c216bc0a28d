// Paths: the paths of a tree's entries, made from stored paths of directories.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// Immutable: any thread may call it.
class Paths {
 public:
  explicit Paths(const Tree& tree);

  // Like Tree::path(), without climbing to the root.
  [[nodiscard]] std::string of(NodeId node) const;

  // Like Tree::path_less(), also without climbing.
  [[nodiscard]] bool less(NodeId a, NodeId b) const;

 private:
  // Empty if it is not stored.
  [[nodiscard]] std::string_view directory(DirId id) const {
    if (id == kNoDir) return {};
    return std::string_view(text_).substr(begins_[id], begins_[id + 1] - begins_[id]);
  }

  const Tree& tree_;
  std::string text_;                 // of directories, with a slash at the end, by DirId
  std::vector<std::size_t> begins_;  // offsets in text_, by DirId
};

}  // namespace fathom::fs
