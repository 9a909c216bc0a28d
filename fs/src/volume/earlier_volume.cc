// EarlierVolume: sorts the entries of a tree by inode.

#include "volume/earlier_volume.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "fathom/base/clock.h"

namespace fathom::fs {

namespace {

using Row = EarlierTree::Row;

// Sorts by device and inode, and leaves one of each.
void order(std::vector<Row>& rows) {
  const auto key = [](const Row& row) { return std::pair(row.device, row.inode); };
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return key(a) < key(b); });
  const auto same = [&](const Row& a, const Row& b) { return key(a) == key(b); };
  rows.erase(std::unique(rows.begin(), rows.end(), same), rows.end());
}

std::span<const Row> of_device(const std::vector<Row>& rows, std::uint64_t device) {
  const auto first =
      std::lower_bound(rows.begin(), rows.end(), device,
                       [](const Row& row, std::uint64_t wanted) { return row.device < wanted; });
  const auto end =
      std::upper_bound(first, rows.end(), device,
                       [](std::uint64_t wanted, const Row& row) { return wanted < row.device; });
  return {first, end};
}

}  // namespace

EarlierTree::EarlierTree(const Tree& tree, bool with_times)
    : tree_(tree), with_times_(with_times), children_(tree) {
  std::size_t entries = 0;
  tree.for_each_node([&](NodeId) { ++entries; });
  entries_.reserve(entries);
  tree.for_each_node([&](NodeId node) {
    entries_.push_back({tree.device(node), tree.inode(node), node});
  });
  tree.for_each_directory([&](DirId id) {
    const NodeId node = tree.node(id);
    const bool is_whole = (tree.flags(node) & (kIncomplete | kHasOmittedChildren)) == 0;
    if (is_whole) directories_.push_back({tree.device(node), tree.inode(node), id});
  });
  order(entries_);
  order(directories_);
}

std::span<const Row> EarlierTree::entries(std::uint64_t device) const {
  return of_device(entries_, device);
}

std::span<const Row> EarlierTree::directories(std::uint64_t device) const {
  return of_device(directories_, device);
}

const EarlierTree::Row* EarlierVolume::directory(std::uint64_t number) const {
  const auto found = std::lower_bound(
      directories_.begin(), directories_.end(), number,
      [](const Row& directory, std::uint64_t wanted) { return directory.inode < wanted; });
  return found != directories_.end() && found->inode == number ? &*found : nullptr;
}

bool EarlierVolume::has_names_of(std::uint64_t number, const Inode& now) const {
  const Row* const found = directory(number);
  if (found == nullptr || (now.mode & S_IFMT) != S_IFDIR) return false;
  const Times then = tree_.tree().times(tree_.tree().node(found->number));
  return then.ctime != kUnknownTime && base::whole_seconds(then.ctime) < started_ &&
         then.ctime == now.ctime && then.mtime == now.mtime && then.btime == now.btime;
}

// With the mode 0 if that is in doubt.
Inode EarlierVolume::inode_of(NodeId node) const {
  const bool with_times = tree_.with_times();
  const Entry entry = tree_.tree().entry(node);
  Inode inode{.size = entry.size,
              .blocks = entry.blocks,
              .mtime = with_times ? entry.times.mtime : nanoseconds_if_known(entry.mtime),
              .ctime = entry.times.ctime,
              .btime = entry.times.btime,
              .uid = entry.uid,
              .gid = entry.gid,
              .links = entry.links,
              .mode = entry.mode};
  const bool is_known = entry.links != kManyLinks && inode.mtime != kUnknownTime &&
                        (!with_times || inode.ctime != kUnknownTime);
  if (!is_known) inode.mode = 0;
  return inode;
}

// What leads to another filesystem has no number here: the kernel is asked.
void EarlierVolume::add_name(NodeId node, NameTable::Part& names) const {
  const Tree& tree = tree_.tree();
  const std::uint64_t inode = tree.device(node) == device_ ? tree.inode(node) : 0;
  names.add(tree.name(node), inode, IFTODT(tree.mode(node)));
}

void EarlierVolume::add_names(const Row& directory, NameTable::Part& names) const {
  const Tree& tree = tree_.tree();
  const DirId above = tree.parent_of(directory.number);
  const bool has_parent = above != kNoDir && tree.device(tree.node(above)) == device_;
  names.begin(directory.inode, has_parent ? tree.inode(tree.node(above)) : 0);
  for (const DirId child : tree_.children().directories(directory.number)) {
    add_name(tree.node(child), names);
  }
  for (const NodeId child : tree_.children().others(directory.number)) add_name(child, names);
}

NameTable::Part EarlierVolume::names(const std::function<bool(std::uint64_t)>& wanted) const {
  NameTable::Part part;
  for (const Row& directory : directories_) {
    if (wanted(directory.inode)) add_names(directory, part);
  }
  return part;
}

VolumeTables EarlierVolume::tables(const std::vector<ChangedInode>& changed) const {
  InodeTable::Part inodes;
  inodes.reserve(entries_.size() + changed.size());
  auto next = changed.begin();
  const auto add_changed = [&](std::uint64_t until) {
    for (; next != changed.end() && next->number < until; ++next) {
      if (next->inode.mode != 0) inodes.add(next->number, next->inode);
    }
  };
  for (const Row& row : entries_) {
    add_changed(row.inode);
    const bool has_changed = next != changed.end() && next->number == row.inode;
    if (has_changed) continue;  // added before the next row
    if (const Inode inode = inode_of(row.number); inode.mode != 0) inodes.add(row.inode, inode);
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
