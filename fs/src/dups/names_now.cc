// NamesNow: a look at each path.

#include "dups/names_now.h"

#include "os/os.h"
#include "tree/device_directories.h"

namespace fathom::fs {

namespace {

bool is_of_same_time(const Entry& seen, const Tree& tree, NodeId node) {
  const std::int64_t exact = tree.times(node).mtime;
  return exact != kUnknownTime ? seen.times.mtime == exact : seen.mtime == tree.mtime(node);
}

}  // namespace

NamesNow::NamesNow(const Tree& tree) : tree_(tree), paths_(tree) {
  for (const auto& [device, id] : device_directories(tree)) {
    Entry seen;
    const NodeId node = tree.node(id);
    if (os::stat_at(os::kCurrentDirectory, paths_.of(node).c_str(), seen) != 0) continue;
    if (seen.inode == tree.inode(node)) devices_.emplace(device, seen.device);
  }
}

bool NamesNow::is_same(NodeId node) const {
  Entry seen;
  if (os::stat_at(os::kCurrentDirectory, paths_.of(node).c_str(), seen) != 0) return false;
  const auto device = devices_.find(tree_.device(node));
  return device != devices_.end() && seen.device == device->second &&
         seen.inode == tree_.inode(node) && seen.kind() == tree_.kind(node);
}

bool NamesNow::is_unmodified(NodeId node) const {
  Entry seen;
  const std::string path = paths_.of(node);
  return is_same(node) &&
         os::stat_at(os::kCurrentDirectory, path.c_str(), seen, nullptr, os::Wanted::with_times) ==
             0 &&
         is_of_same_time(seen, tree_, node) &&
         (tree_.kind(node) == Kind::directory || seen.size == tree_.size(node));
}

std::optional<std::string_view> NamesNow::link_target(NodeId node) {
  const auto [known, is_new] = targets_.try_emplace(node);
  if (is_new && (!is_same(node) || os::read_link(os::kCurrentDirectory, paths_.of(node).c_str(),
                                                 known->second) < 0)) {
    known->second.clear();
  }
  if (known->second.empty()) return std::nullopt;
  return known->second;
}

}  // namespace fathom::fs
