// LeftOutByDirectory: what a scan left out, found by the directory that it stands in.
//
//   const LeftOutByDirectory left_out(scan);
//   for (const LeftOutEntry* entry : left_out.in(directory)) write(entry->name);

#pragma once

#include <span>
#include <vector>

#include "fathom/fs/scan.h"

namespace fathom::fs {

class LeftOutByDirectory {
 public:
  // The scan must outlive it.
  explicit LeftOutByDirectory(const Scan& scan);

  // Those in the directory itself, in the order of their names.
  [[nodiscard]] std::span<const LeftOutEntry* const> in(DirId directory) const;

 private:
  std::vector<const LeftOutEntry*> entries_;  // by directory, then by name
};

}  // namespace fathom::fs
