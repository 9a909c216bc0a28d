// Unread: maps scan errors to the directory they belong to.
//
// The error of a directory in the tree belongs to that directory. Any other error is that of a name
// in its directory, of which nothing else is known.
//
//   const Unread unread(scan);
//   for (const ScanError* error : unread.in(directory)) name_of(*error);

#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "fathom/fs/children.h"
#include "fathom/fs/scan.h"

namespace fathom::fs {

class Unread {
 public:
  // Of the directories of a root. The scan must outlive it.
  Unread(const Scan& scan, const Children& children, DirId root);

  // Why the directory could not be read completely; null if unknown.
  [[nodiscard]] const ScanError* of(DirId directory) const;

  // One error for each name in the directory that could not be read, sorted by name.
  [[nodiscard]] std::span<const ScanError* const> in(DirId directory) const;

  // Whether an error explains why the directory is incomplete: its own, or that of a name in it.
  [[nodiscard]] bool explains(DirId directory) const;

  // The last name of the error's path.
  [[nodiscard]] static std::string_view name(const ScanError& error);

 private:
  std::unordered_map<DirId, const ScanError*> of_;
  std::unordered_map<DirId, std::vector<const ScanError*>> in_;
  std::unordered_set<DirId> parents_;  // of the directories of of_
};

}  // namespace fathom::fs
