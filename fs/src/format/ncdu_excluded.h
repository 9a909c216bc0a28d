// ExcludedByDirectory: the excluded entries of a scan, by directory.
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

  // The entries of that directory itself, sorted by name.
  [[nodiscard]] std::span<const ExcludedEntry* const> in(DirId directory) const;

 private:
  std::vector<const ExcludedEntry*> entries_;  // by directory, then by name
};

}  // namespace fathom::fs
