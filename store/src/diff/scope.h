// Scope: what a difference is about, DiffOptions::path or everything.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "diff/directory_pairs.h"
#include "snapshot/directory_table.h"

namespace fathom::store {

// DiffOptions::path, or everything.
class Scope {
 public:
  // Throws NotFound if the path is in neither snapshot. It must outlive the scope.
  Scope(const std::string& path, DirectoryTable& before, DirectoryTable& after);

  // Must be called before the functions that are about nodes.
  void find(const std::vector<DiffNode>& nodes);

  [[nodiscard]] bool all() const { return all_; }
  [[nodiscard]] bool has(DiffNode::Index node) const { return nodes_[node]; }
  [[nodiscard]] const std::string& path() const { return path_; }
  // The node of the path on each side, where it may be another directory; none if nothing in it has
  // changed, or if it is inside of a directory that moved as a whole.
  [[nodiscard]] DiffNode::Index top_before() const { return top_before_; }
  [[nodiscard]] DiffNode::Index top_after() const { return top_after_; }
  [[nodiscard]] bool is_top(DiffNode::Index node) const {
    return node == top_before_ || node == top_after_;
  }
  // Its row on each side.
  [[nodiscard]] std::optional<std::uint64_t> before() const { return before_; }
  [[nodiscard]] std::optional<std::uint64_t> after() const { return after_; }
  [[nodiscard]] ComparedRows rows(DirectoryTable& before, DirectoryTable& after) const {
    return {.before = before_ ? before.entries(*before_) : RowInterval{},
            .after = after_ ? after.entries(*after_) : RowInterval{}};
  }

 private:
  const std::string& path_;
  const bool all_;
  std::vector<bool> nodes_;  // whether each is in scope
  DiffNode::Index top_before_ = DiffNode::kNone;
  DiffNode::Index top_after_ = DiffNode::kNone;
  std::optional<std::uint64_t> before_;
  std::optional<std::uint64_t> after_;
};

}  // namespace fathom::store
