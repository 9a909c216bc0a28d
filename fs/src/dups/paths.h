// Paths: the paths of a tree's entries, each made of its directory's, which is kept.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

// Immutable: any thread may ask.
class Paths {
 public:
  explicit Paths(const Tree& tree);

  // As Tree::path(), without a walk up to the root.
  [[nodiscard]] std::string of(NodeId node) const;

  // As Tree::path_less(), without such a walk either.
  [[nodiscard]] bool less(NodeId a, NodeId b) const;

 private:
  // Empty where it is not kept.
  [[nodiscard]] std::string_view directory(DirId id) const {
    if (id == kNoDir) return {};
    return std::string_view(text_).substr(begins_[id], begins_[id + 1] - begins_[id]);
  }

  const Tree& tree_;
  std::string text_;                 // of directories, with a slash at the end, by DirId
  std::vector<std::size_t> begins_;  // in it
};

}  // namespace fathom::fs
