// DuplicateDirectories: the directories of a tree with equal contents.
//
// Two directories are equal if they have the same names, of the same kinds, with the same contents:
// files of one group of find_duplicates(), two names of one inode, or two empty files; symbolic
// links with the same target; pipes and sockets; and equal directories. An entry that could not be
// read, was excluded or filtered out, or is a link that was not read is equal to nothing, and
// neither is any directory above it. Owners, permissions and times do not count.
//
// Of equal directories inside equal directories only the outer ones are reported. Directories
// without any bytes, or with only further names of the same inodes, are not reported: they waste
// nothing.
//
//   Duplicates same = find_duplicates(found.tree);
//   DuplicateDirectories folded = duplicate_directories(found, same);
//
// A pure function that takes O(n log n) time.

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

struct DuplicateDirectoryGroup {
  std::vector<NodeId> directories;  // two or more, by path
  std::uint64_t files = 0;          // names of files in each, at any depth
  std::uint64_t bytes = 0;          // their sizes
  std::uint64_t wasted_bytes = 0;   // on the disk: of all except the one that takes the most
};

struct DuplicateDirectories {
  // By wasted bytes, the most first, then by path.
  std::vector<DuplicateDirectoryGroup> groups;
  // For each group of Duplicates, whether the groups of directories account for all of it: if only
  // the first directory of each of them were left, the file would exist once. Never true for empty
  // files.
  std::vector<bool> explained;
};

// The links of the tree must have been read (ScanOptions::read_links): one that was not read is
// equal to nothing. Of a saved scan, links are read now, and a directory that was modified since is
// equal to nothing, because names may have come or gone.
[[nodiscard]] DuplicateDirectories duplicate_directories(const Scan& scan, const Duplicates& same,
                                                         ScanAge age = ScanAge::fresh);

}  // namespace fathom::fs
