#include "candidates.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "fathom/base/error.h"

namespace fathom::fs {

namespace {

struct Sized {
  std::uint64_t size;
  std::uint64_t inode;
  NodeId node;
};

// The largest first; among equal ones by inode, which on most filesystems is about their order on
// the disk.
bool by_size(const Sized& a, const Sized& b) {
  return a.size != b.size ? a.size > b.size : a.inode < b.inode;
}

// Large groups come first, so that the last tasks are small. Small ones are read in the order of
// the scan, by which files of one directory are near each other.
bool in_reading_order(std::span<const Sized> a, std::span<const Sized> b) {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 20;  // bytes
  const auto is_small = [](std::span<const Sized> group) {
    return group.front().size < kSmall / group.size();
  };
  if (is_small(a) != is_small(b)) return is_small(b);
  return is_small(a) ? a.front().node < b.front().node : a.front().size > b.front().size;
}

}  // namespace

Candidates::Candidates(const Tree& tree, std::uint64_t min_size) {
  std::vector<Sized> sized;
  tree.for_each_node([&](NodeId node) {
    if (tree.kind(node) != Kind::file || (tree.flags(node) & kUncounted) != 0) return;
    const std::uint64_t size = tree.size(node);
    if (size < min_size) return;
    if ((tree.flags(node) & kExtraLink) != 0) {
      extra_names_.push_back({tree.device(node), tree.inode(node), node});
    } else {
      sized.push_back({size, tree.inode(node), node});
    }
  });
  std::sort(extra_names_.begin(), extra_names_.end());
  std::sort(sized.begin(), sized.end(), by_size);

  std::vector<std::span<const Sized>> groups;
  for (std::size_t i = 0; i < sized.size();) {
    std::size_t end = i + 1;
    while (end < sized.size() && sized[end].size == sized[i].size) ++end;
    if (end - i >= 2) groups.emplace_back(&sized[i], end - i);
    i = end;
  }
  std::sort(groups.begin(), groups.end(), in_reading_order);
  for (const std::span<const Sized> group : groups) {
    groups_.push_back({group.front().size, static_cast<std::uint32_t>(files_.size()),
                       static_cast<std::uint32_t>(group.size())});
    for (const Sized& file : group) files_.push_back(candidate(tree, file.node));
  }
}

Candidate Candidates::candidate(const Tree& tree, NodeId node) {
  constexpr std::int64_t kBillion = 1'000'000'000;
  const std::uint64_t device = tree.device(node);
  // There are few, and mostly it is the last.
  auto known = std::find(devices_.rbegin(), devices_.rend(), device);
  if (known == devices_.rend()) {
    if (devices_.size() > std::numeric_limits<std::uint16_t>::max()) {
      throw base::Error("the files are on too many filesystems: more than 65,536");
    }
    devices_.push_back(device);
    known = devices_.rbegin();
  }
  Candidate result;
  result.inode = tree.inode(node);
  result.mtime_ns = tree.mtime(node) * kBillion;
  result.node = node;
  result.device = static_cast<std::uint16_t>(devices_.rend() - known - 1);
  return result;
}

std::vector<NodeId> Candidates::other_names(const Tree& tree, NodeId node) const {
  std::vector<NodeId> names;
  if (tree.links(node) < 2) return names;
  const auto [begin, end] = std::equal_range(extra_names_.begin(), extra_names_.end(),
                                             Name{tree.device(node), tree.inode(node), node});
  for (auto name = begin; name != end; ++name) names.push_back(name->node);
  return names;
}

}  // namespace fathom::fs
