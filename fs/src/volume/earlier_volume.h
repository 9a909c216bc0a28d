// EarlierVolume: what an earlier scan found on one filesystem, by inode number.
//
// Immutable, so thread-safe. It takes 16 bytes for each entry of the filesystem, and 8 for each
// entry of the tree.

#pragma once

#include <cstdint>
#include <functional>
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

class EarlierVolume {
 public:
  // The entries of a tree on a device. `started` as in EarlierScan; `with_times`: the exact times
  // are needed, so that entries without them are in doubt. The tree must outlive the object.
  EarlierVolume(const Tree& tree, std::uint64_t device, std::int64_t started, bool with_times);

  [[nodiscard]] std::size_t entries() const { return rows_.size(); }
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
  struct Row {
    std::uint64_t inode;
    NodeId node;
  };
  struct Directory {
    std::uint64_t inode;
    DirId id;
  };

  [[nodiscard]] Inode inode_of(NodeId node) const;
  [[nodiscard]] const Directory* directory(std::uint64_t number) const;
  void add_names(const Directory& directory, NameTable::Part& names) const;
  void add_name(NodeId node, NameTable::Part& names) const;

  const Tree& tree_;
  Children children_;
  std::uint64_t device_;
  std::int64_t started_;
  bool with_times_;
  std::vector<Row> rows_;               // by inode, each once
  std::vector<Directory> directories_;  // the same: those that were read completely
};

}  // namespace fathom::fs
