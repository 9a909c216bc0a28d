// Preorder: a walk with an explicit stack, which sorts the entries of each directory.

#include "snapshot/preorder.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace fathom::store {

namespace {

// How many bytes the paths of the directories in one result of next() may have, about.
constexpr std::size_t kMostPaths = std::size_t{16} << 20;

std::uint64_t prefix_of(std::string_view name) {
  std::uint64_t prefix = 0;
  if (name.size() >= sizeof prefix) {
    std::memcpy(&prefix, name.data(), sizeof prefix);
    return __builtin_bswap64(prefix);
  }
  for (std::size_t i = 0; i < sizeof prefix; ++i) {
    const auto byte = i < name.size() ? static_cast<unsigned char>(name[i]) : 0U;
    prefix = prefix << 8 | byte;
  }
  return prefix;
}

}  // namespace

Preorder::Preorder(const fs::Tree& tree, const fs::Children& children, std::uint64_t first)
    : tree_(tree), children_(children), row_(first) {
  count_below();
  add_roots();
}

std::vector<Row> Preorder::next(std::size_t most) {
  std::vector<Row> rows;
  rows.reserve(std::min(most, std::size_t{1} << 20));
  std::size_t paths = 0;
  while (rows.size() < most && paths < kMostPaths && !waiting_.empty()) {
    while (!open_.empty() && open_.back().left == 0) open_.pop_back();
    const Waiting at = waiting_.back();
    waiting_.pop_back();
    const std::uint32_t below = at.directory == fs::kNoDir ? 0 : below_[at.directory];
    rows.push_back({.name = at.name,
                    .node = at.node,
                    .directory = at.directory,
                    .parent = open_.empty() ? kNoRow : open_.back().row,
                    .end = row_ + 1 + below,
                    .depth = static_cast<std::uint32_t>(open_.size())});
    if (!open_.empty()) --open_.back().left;
    if (below != 0) {
      open(at, row_);
      if (open_.back().path <= kMostPath) paths += open_.back().path;
    }
    ++row_;
  }
  return rows;
}

// From the deepest directories to the roots: a directory comes after its parent in `order`.
void Preorder::count_below() {
  below_.assign(tree_.directory_limit(), 0);
  std::vector<fs::DirId> order;
  tree_.for_each_directory([&](fs::DirId id) {
    if (tree_.parent_of(id) == fs::kNoDir) order.push_back(id);
  });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto inside = children_.directories(order[i]);
    order.insert(order.end(), inside.begin(), inside.end());
  }
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    below_[*id] += static_cast<std::uint32_t>(children_.others(*id).size());
    const fs::DirId parent = tree_.parent_of(*id);
    if (parent != fs::kNoDir) below_[parent] += below_[*id] + 1;
  }
}

void Preorder::add_roots() {
  tree_.for_each_directory([&](fs::DirId id) {
    if (tree_.parent_of(id) == fs::kNoDir) push(tree_.node(id), id);
  });
  for (const fs::NodeId root : tree_.roots()) {
    if (root != fs::kNoNode && tree_.kind(root) != fs::Kind::directory) push(root, fs::kNoDir);
  }
  order(0);
}

void Preorder::push(fs::NodeId node, fs::DirId directory) {
  const std::string_view name = tree_.name(node);
  waiting_.push_back(
      {.prefix = prefix_of(name), .name = name, .node = node, .directory = directory});
}

// Puts the waiting entries from `begin` into the reverse order of their names.
void Preorder::order(std::size_t begin) {
  std::sort(waiting_.begin() + static_cast<std::ptrdiff_t>(begin), waiting_.end(),
            [this](const Waiting& a, const Waiting& b) {
              if (a.prefix != b.prefix) return a.prefix > b.prefix;
              const int compared = a.name.compare(b.name);
              return compared != 0 ? compared > 0 : tree_.path_less(b.node, a.node);
            });
}

void Preorder::open(const Waiting& at, std::uint64_t row) {
  const std::size_t path = (open_.empty() ? 0 : open_.back().path + 1) + at.name.size();
  const std::size_t begin = waiting_.size();
  for (const fs::DirId id : children_.directories(at.directory)) push(tree_.node(id), id);
  for (const fs::NodeId node : children_.others(at.directory)) push(node, fs::kNoDir);
  order(begin);
  open_.push_back({.row = row, .left = waiting_.size() - begin, .path = path});
}

}  // namespace fathom::store
