// ExcludedByDirectory: what a scan left out, found by the directory that it stands in.
//
//   const ExcludedByDirectory excluded(scan);
//   for (const ExcludedEntry* entry : excluded.in(directory)) write(entry->name);

#pragma once

#include <span>
#include <vector>

#include "fathom/fs/scan.h"

namespace fathom::fs {

class ExcludedByDirectory {
 public:
  // The scan must outlive it.
  explicit ExcludedByDirectory(const Scan& scan);

  // Those in the directory itself, in the order of their names.
  [[nodiscard]] std::span<const ExcludedEntry* const> in(DirId directory) const;

 private:
  std::vector<const ExcludedEntry*> entries_;  // by directory, then by name
};

}  // namespace fathom::fs
