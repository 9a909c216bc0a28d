// Paths: one string with the paths of all directories that are not too deep.

#include "dups/paths.h"

#include <algorithm>
#include <cstdint>

namespace fathom::fs {

namespace {

// The paths of deeper directories are not stored: those of a long chain would fill memory.
constexpr std::uint32_t kDeepest = 64;

}  // namespace

Paths::Paths(const Tree& tree) : tree_(tree), begins_(tree.directory_limit() + std::size_t{1}) {
  DirId next = 0;
  tree.for_each_directory([&](DirId id) {
    for (; next <= id; ++next) begins_[next] = text_.size();
    if (tree.depth(id) > kDeepest) return;
    text_ += tree.path(tree.node(id));
    if (text_.back() != '/') text_ += '/';
  });
  for (; next < begins_.size(); ++next) begins_[next] = text_.size();
}

std::string Paths::of(NodeId node) const {
  const std::string_view before = directory(tree_.parent(node));
  if (before.empty()) return tree_.path(node);
  const std::string_view name = tree_.name(node);
  std::string path;
  path.reserve(before.size() + name.size());
  path += before;
  path += name;
  return path;
}

// A name does not contain a slash, and a directory's path ends with one, so a name differs from the
// continuation of a longer directory path.
bool Paths::less(NodeId a, NodeId b) const {
  const std::string_view before_a = directory(tree_.parent(a));
  const std::string_view before_b = directory(tree_.parent(b));
  if (before_a.empty() || before_b.empty()) return tree_.path_less(a, b);
  const std::size_t common = std::min(before_a.size(), before_b.size());
  int order = before_a.substr(0, common).compare(before_b.substr(0, common));
  if (order == 0) {
    const bool a_ends = before_a.size() == common;
    const bool b_ends = before_b.size() == common;
    order = (a_ends ? tree_.name(a) : before_a.substr(common))
                .compare(b_ends ? tree_.name(b) : before_b.substr(common));
  }
  return order != 0 ? order < 0 : tree_.path_less(a, b);
}

}  // namespace fathom::fs
