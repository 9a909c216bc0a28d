// EarlierVolume: sorts the entries of a tree by inode.

#include "volume/earlier_volume.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace fathom::fs {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Sorts by inode, and leaves one of each.
template <class Rows>
void order(Rows& rows) {
  const auto less = [](const auto& a, const auto& b) { return a.inode < b.inode; };
  if (!std::is_sorted(rows.begin(), rows.end(), less)) std::sort(rows.begin(), rows.end(), less);
  const auto same = [](const auto& a, const auto& b) { return a.inode == b.inode; };
  rows.erase(std::unique(rows.begin(), rows.end(), same), rows.end());
}

// Without exact times, whole seconds are what is known.
std::int64_t in_nanoseconds(std::int64_t seconds) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / kSecond;
  return seconds > kMost || seconds < -kMost ? kUnknownTime : seconds * kSecond;
}

}  // namespace

EarlierVolume::EarlierVolume(const Tree& tree, std::uint64_t device, std::int64_t started,
                             bool with_times)
    : tree_(tree), children_(tree), device_(device), started_(started), with_times_(with_times) {
  std::size_t entries = 0;
  tree.for_each_node([&](NodeId node) { entries += tree.device(node) == device ? 1 : 0; });
  rows_.reserve(entries);
  tree.for_each_node([&](NodeId node) {
    if (tree.device(node) == device) rows_.push_back({tree.inode(node), node});
  });
  tree.for_each_directory([&](DirId id) {
    const NodeId node = tree.node(id);
    const bool is_whole = (tree.flags(node) & (kIncomplete | kHasOmittedChildren)) == 0;
    if (is_whole && tree.device(node) == device) directories_.push_back({tree.inode(node), id});
  });
  order(rows_);
  order(directories_);
}

const EarlierVolume::Directory* EarlierVolume::directory(std::uint64_t number) const {
  const auto found = std::lower_bound(
      directories_.begin(), directories_.end(), number,
      [](const Directory& directory, std::uint64_t wanted) { return directory.inode < wanted; });
  return found != directories_.end() && found->inode == number ? &*found : nullptr;
}

bool EarlierVolume::has_names_of(std::uint64_t number, const Inode& now) const {
  const Directory* const found = directory(number);
  if (found == nullptr || (now.mode & S_IFMT) != S_IFDIR) return false;
  const Times then = tree_.times(tree_.node(found->id));
  return then.ctime != kUnknownTime && then.ctime / kSecond < started_ && then.ctime == now.ctime &&
         then.mtime == now.mtime && then.btime == now.btime;
}

// With the mode 0 if that is in doubt.
Inode EarlierVolume::inode_of(NodeId node) const {
  const Entry entry = tree_.entry(node);
  Inode inode{.size = entry.size,
              .blocks = entry.blocks,
              .mtime = with_times_ ? entry.times.mtime : in_nanoseconds(entry.mtime),
              .ctime = entry.times.ctime,
              .btime = entry.times.btime,
              .uid = entry.uid,
              .gid = entry.gid,
              .links = entry.links,
              .mode = entry.mode};
  const bool is_known = entry.links != kManyLinks && inode.mtime != kUnknownTime &&
                        (!with_times_ || inode.ctime != kUnknownTime);
  if (!is_known) inode.mode = 0;
  return inode;
}

// What leads to another filesystem has no number here: the kernel is asked.
void EarlierVolume::add_name(NodeId node, NameTable::Part& names) const {
  const std::uint64_t inode = tree_.device(node) == device_ ? tree_.inode(node) : 0;
  names.add(tree_.name(node), inode, IFTODT(tree_.mode(node)));
}

void EarlierVolume::add_names(const Directory& directory, NameTable::Part& names) const {
  const DirId above = tree_.parent_of(directory.id);
  const bool has_parent = above != kNoDir && tree_.device(tree_.node(above)) == device_;
  names.begin(directory.inode, has_parent ? tree_.inode(tree_.node(above)) : 0);
  for (const DirId child : children_.directories(directory.id)) {
    add_name(tree_.node(child), names);
  }
  for (const NodeId child : children_.others(directory.id)) add_name(child, names);
}

NameTable::Part EarlierVolume::names(const std::function<bool(std::uint64_t)>& wanted) const {
  NameTable::Part part;
  for (const Directory& directory : directories_) {
    if (wanted(directory.inode)) add_names(directory, part);
  }
  return part;
}

VolumeTables EarlierVolume::tables(const std::vector<ChangedInode>& changed) const {
  InodeTable::Part inodes;
  inodes.reserve(rows_.size() + changed.size());
  auto next = changed.begin();
  const auto add_changed = [&](std::uint64_t until) {
    for (; next != changed.end() && next->number < until; ++next) {
      if (next->inode.mode != 0) inodes.add(next->number, next->inode);
    }
  };
  for (const Row& row : rows_) {
    add_changed(row.inode);
    const bool has_changed = next != changed.end() && next->number == row.inode;
    if (has_changed) continue;  // added before the next row
    if (const Inode inode = inode_of(row.node); inode.mode != 0) inodes.add(row.inode, inode);
  }
  add_changed(std::numeric_limits<std::uint64_t>::max());

  auto at = changed.begin();
  NameTable::Part listed = names([&](std::uint64_t number) {
    while (at != changed.end() && at->number < number) ++at;
    const bool has_changed = at != changed.end() && at->number == number;
    return !has_changed || has_names_of(number, at->inode);
  });
  VolumeTables tables;
  std::vector<InodeTable::Part> parts;
  parts.push_back(std::move(inodes));
  tables.inodes = InodeTable(std::move(parts));
  std::vector<NameTable::Part> name_parts;
  name_parts.push_back(std::move(listed));
  tables.names = NameTable(std::move(name_parts));
  return tables;
}

}  // namespace fathom::fs
