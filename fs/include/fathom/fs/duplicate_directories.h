// DuplicateDirectories: which directories of a tree hold the same.
//
// Two directories are equal if they have the same names, of the same kinds, with the same contents:
// files as the groups of find_duplicates() say, or two names of one inode, or both empty; symbolic
// links that say the same; pipes and sockets; and equal directories. What could not be read, was
// left out, is not wanted by the selection or leads where nobody looked is equal to nothing, nor is
// any directory above it. Owners, permissions and times do not count.
//
// Of equal directories that stand in equal directories only the outer ones are told. Such as hold
// no byte, or nothing but further names of the same inodes, are not told: they waste nothing.
//
//   Duplicates same = find_duplicates(found.tree);
//   DuplicateDirectories folded = duplicate_directories(found, same);
//
// A pure function, which takes time in the order of n log n.

#pragma once

#include <cstdint>
#include <vector>

#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

struct DuplicateDirectoryGroup {
  std::vector<NodeId> directories;  // two or more, by path
  std::uint64_t files = 0;          // names of files in each, with all below
  std::uint64_t bytes = 0;          // their sizes
  std::uint64_t wasted_bytes = 0;   // on the disk: of all but the one that takes the most
};

struct DuplicateDirectories {
  // By wasted bytes, the most first, then by path.
  std::vector<DuplicateDirectoryGroup> groups;
  // For each group of Duplicates whether the directories say it all: without all but the first of
  // each of theirs, it would be a single file. Never of empty files.
  std::vector<bool> explained;
};

// The tree needs its links read (ScanOptions::read_links): one that was not is equal to nothing.
[[nodiscard]] DuplicateDirectories duplicate_directories(const Scan& scan, const Duplicates& same);

}  // namespace fathom::fs
