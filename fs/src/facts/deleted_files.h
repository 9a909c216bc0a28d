// DeletedFiles: files without a name that processes still have open.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "fathom/fs/filesystem_facts.h"

namespace fathom::fs {

struct DeletedFiles {
  std::map<std::uint64_t, std::vector<DeletedFile>> by_device;  // as FilesystemFacts::deleted is
  std::uint64_t unseen_processes = 0;
};

// Of all other processes that this user may look into, as /proc shows them; nothing where there is
// none. Asks no other machine: a file on a network that does not answer cannot stop the search.
// What is only mapped into memory, or used by the kernel itself, is not among them.
[[nodiscard]] DeletedFiles find_deleted_files();

}  // namespace fathom::fs
