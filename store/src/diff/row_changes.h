// RowChanges: compares the entries of pairs of directories, by name.
//
// What can be decided within a pair is charged to its nodes: entries that have grown or shrunk.
// What came or went is collected, because it may have moved from or to another directory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diff/directory_pairs.h"
#include "diff/group_sums.h"
#include "diff/row_reader.h"
#include "fathom/rt/executor.h"
#include "fathom/store/diff.h"

namespace fathom::store {

// An entry that is on one side only.
struct LoneEntry {
  DiffNode::Index node;
  std::string name;  // empty: the directory itself
  EntryFacts facts;
};

// An entry whose facts changed.
struct ChangedEntry {
  DiffNode::Index from;  // as in DirectoryPair
  DiffNode::Index to;    // as in DirectoryPair
  std::string name;
  EntryFacts before;
  EntryFacts after;
};

struct RowChanges {
  std::vector<LoneEntry> gone;
  std::vector<LoneEntry> come;
  // Entries at the same path whose size, owner or place of the charge changed.
  std::vector<ChangedEntry> changed;
  // Entries that were replaced by others at the same path, as indexes in `gone` and `come`: each
  // may have moved, or else the one has become the other.
  std::vector<std::pair<std::size_t, std::size_t>> replaced;
  // Of what was moved with a directory, into the compared part or out of it.
  GroupSums carried;

  void append(RowChanges&& other);
};

// Where to read entries.
struct CompareSide {
  const LazyTable& entries;
  DirectoryTable& directories;
};

// The size of the roots of a side that are not directories and have one of these names.
[[nodiscard]] std::uint64_t bytes_of_other_roots(const CompareSide& side, fs::Measure measure,
                                                 const std::set<std::string_view>& names);

// Reads what is needed in parallel, and charges entries in moved directories to the nodes. The
// result does not depend on the number of threads.
[[nodiscard]] RowChanges compare_rows(const CompareSide& before, const CompareSide& after,
                                      const std::vector<DirectoryPair>& pairs,
                                      std::vector<DiffNode>& nodes, const DiffOptions& options,
                                      rt::Executor& executor);

}  // namespace fathom::store
