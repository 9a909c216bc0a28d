// DeletedFiles: files without a name that processes still have open.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fathom/fs/filesystem_facts.h"

namespace fathom::fs {

struct DeletedFiles {
  std::map<std::uint64_t, std::vector<DeletedFile>> by_device;  // like FilesystemFacts::deleted
  std::uint64_t unseen_processes = 0;
};

// Files of all other processes that this user may inspect, according to /proc; empty without /proc.
// Never contacts another machine, so an unresponsive network filesystem cannot block the search.
// Does not include files that are only mapped into memory or used by the kernel itself.
[[nodiscard]] DeletedFiles find_deleted_files();

}  // namespace fathom::fs
