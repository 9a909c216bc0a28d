// EarlierVolume: what an earlier scan found on one filesystem, by inode number.
//
// Immutable, so thread-safe.

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "fathom/fs/children.h"
#include "fathom/fs/tree.h"
#include "volume/inode_table.h"
#include "volume/name_table.h"
#include "volume/volume_reader.h"

namespace fathom::fs {

// An inode that has changed since: what it is now, or with the mode 0 if that is in doubt.
struct ChangedInode {
  std::uint64_t number = 0;
  Inode inode = {};
};

// The entries of a tree by device and inode: 24 bytes for each.
class EarlierTree {
 public:
  struct Row {
    std::uint64_t device;
    std::uint64_t inode;
    std::uint32_t number;  // a NodeId, or a DirId
  };

  // `with_times`: the exact times are needed, so that entries without them are in doubt. The tree
  // must outlive the object.
  EarlierTree(const Tree& tree, bool with_times);

  [[nodiscard]] const Tree& tree() const { return tree_; }
  [[nodiscard]] bool with_times() const { return with_times_; }
  [[nodiscard]] const Children& children() const { return children_; }

  // Of a device, by inode, each once; and of those, the directories that were read completely.
  [[nodiscard]] std::span<const Row> entries(std::uint64_t device) const;
  [[nodiscard]] std::span<const Row> directories(std::uint64_t device) const;

 private:
  const Tree& tree_;
  bool with_times_;
  Children children_;
  std::vector<Row> entries_;
  std::vector<Row> directories_;
};

class EarlierVolume {
 public:
  // The entries of a tree, which must outlive the object, on a device. `started` as in EarlierScan.
  EarlierVolume(const EarlierTree& tree, std::uint64_t device, std::int64_t started)
      : tree_(tree),
        device_(device),
        started_(started),
        entries_(tree.entries(device)),
        directories_(tree.directories(device)) {}

  [[nodiscard]] std::size_t entries() const { return entries_.size(); }
  // The number of directories whose names are known.
  [[nodiscard]] std::size_t directories() const { return directories_.size(); }

  // Whether the names in a directory are those of the earlier scan, given what its inode is now. A
  // change of the names changes the time in the inode. That of the earlier scan must be older than
  // its start, because a second change within one tick of the clock leaves the time as it is.
  [[nodiscard]] bool has_names_of(std::uint64_t number, const Inode& now) const;

  // The names of the known directories for which `wanted` is true.
  [[nodiscard]] NameTable::Part names(const std::function<bool(std::uint64_t)>& wanted) const;

  // Everything, except what has changed: ascending, each once. A directory that has changed has
  // names only if has_names_of() says so.
  [[nodiscard]] VolumeTables tables(const std::vector<ChangedInode>& changed) const;

 private:
  using Row = EarlierTree::Row;

  [[nodiscard]] Inode inode_of(NodeId node) const;
  [[nodiscard]] const Row* directory(std::uint64_t number) const;
  void add_names(const Row& directory, NameTable::Part& names) const;
  void add_name(NodeId node, NameTable::Part& names) const;

  const EarlierTree& tree_;
  std::uint64_t device_;
  std::int64_t started_;
  std::span<const Row> entries_;
  std::span<const Row> directories_;
};

}  // namespace fathom::fs
