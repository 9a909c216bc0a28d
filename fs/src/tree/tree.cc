// Tree: whole entries, paths, and their order.

#include "fathom/fs/tree.h"

#include <algorithm>

#include "tree/path_less.h"

namespace fathom::fs {

Tree::Tree() = default;
Tree::~Tree() = default;
Tree::Tree(Tree&&) noexcept = default;
Tree& Tree::operator=(Tree&&) noexcept = default;

Entry Tree::entry(NodeId node) const {
  const NodeChunk& chunk = *nodes_[node >> kRowBits];
  const std::uint32_t row = node & (kRows - 1);
  return {.size = chunk.sizes[row],
          .blocks = chunk.blocks[row],
          .inode = chunk.inodes[row],
          .device = chunk.devices[row],
          .mtime = chunk.mtimes[row],
          .uid = chunk.uids[row],
          .gid = chunk.gids[row],
          .links = chunk.links[row],
          .mode = chunk.modes[row],
          .times = times(node)};
}

std::string Tree::path(NodeId node) const {
  std::vector<std::string_view> names;  // from the entry to its root
  std::size_t length = 0;
  for (NodeId at = node;; at = this->node(parent(at))) {
    names.push_back(name(at));
    length += names.back().size() + 1;
    if (parent(at) == kNoDir) break;
  }
  std::string path;
  path.reserve(length);
  for (auto it = names.rbegin(); it != names.rend(); ++it) {
    // A root may be "/" or end with a slash, as the user typed it.
    if (!path.empty() && path.back() != '/') path += '/';
    path += *it;
  }
  return path;
}

std::optional<LinkTarget> Tree::link_target(NodeId node) const {
  if (!knows_targets_) return std::nullopt;
  const NodeChunk& chunk = *nodes_[node >> kRowBits];
  const std::uint32_t row = node & (kRows - 1);
  const auto found = std::lower_bound(
      chunk.targets.begin(), chunk.targets.end(), row,
      [](const NodeChunk::Target& target, std::uint32_t at) { return target.row < at; });
  if (found == chunk.targets.end() || found->row != row) return std::nullopt;
  return LinkTarget{
      .path = std::string_view(chunk.target_paths).substr(found->begin, found->length),
      .end = found->end};
}

std::size_t Tree::root_index(NodeId node) const {
  while (parent(node) != kNoDir) node = this->node(parent(node));
  return static_cast<std::size_t>(std::find(roots_.begin(), roots_.end(), node) - roots_.begin());
}

// Does not build the paths: the names at the point where they diverge decide.
bool Tree::path_less(NodeId a, NodeId b) const {
  const auto depth_of = [this](NodeId node) {
    return parent(node) == kNoDir ? 0 : depth(parent(node)) + 1;
  };
  const auto up = [this](NodeId at) { return node(parent(at)); };
  const std::uint32_t depth_a = depth_of(a);
  const std::uint32_t depth_b = depth_of(b);
  NodeId at_a = a;
  NodeId at_b = b;
  for (std::uint32_t depth = depth_a; depth > depth_b; --depth) at_a = up(at_a);
  for (std::uint32_t depth = depth_b; depth > depth_a; --depth) at_b = up(at_b);
  if (at_a == at_b) return depth_a < depth_b;  // one is inside the other
  while (parent(at_a) != parent(at_b)) {
    at_a = up(at_a);
    at_b = up(at_b);
  }
  if (parent(at_a) == kNoDir) return path_less_between_roots(a, b);
  return name_less(name(at_a), at_a != a, name(at_b), at_b != b);
}

// Roots may be nested or equal.
bool Tree::path_less_between_roots(NodeId a, NodeId b) const {
  const std::string path_a = path(a);
  const std::string path_b = path(b);
  if (path_a != path_b) return path_a < path_b;
  return root_index(a) < root_index(b);
}

}  // namespace fathom::fs
