#include "paths.h"

#include <cstdint>

namespace fathom::fs {

namespace {

// The paths of directories that lie deeper are not kept: those of a long chain would fill memory.
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
  const DirId parent = tree_.parent(node);
  if (parent == kNoDir) return std::string(tree_.name(node));
  const std::string_view before = directory(parent);
  if (before.empty()) return tree_.path(node);
  const std::string_view name = tree_.name(node);
  std::string path;
  path.reserve(before.size() + name.size());
  path += before;
  path += name;
  return path;
}

}  // namespace fathom::fs
