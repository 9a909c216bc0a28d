// ComparedMemory: what searches for duplicates remember in the store (`fathom dups --cache`).
//
// It never stops a search: what cannot be read or kept is reported, and files are read instead.

#pragma once

#include <cstdint>
#include <optional>

#include "fathom/fs/compared_files.h"
#include "fathom/fs/tree.h"
#include "fathom/store/store.h"
#include "flags/dups_request.h"

namespace fathom::cli {

class ComparedMemory {
 public:
  // Opens the store, if the request asks for it, and reads what is known. Call it before the scan.
  explicit ComparedMemory(const DupsRequest& request);

  // Whether the scan must read exact times.
  [[nodiscard]] bool wanted() const { return store_.has_value(); }

  // For a search in this tree; null if it is not to remember anything.
  [[nodiscard]] const fs::DuplicateMemory* for_search(const fs::Tree& tree);

  // Keeps what the search has learned.
  void keep(fs::ComparedFiles learned);

 private:
  std::optional<store::Store> store_;
  fs::DuplicateMemory memory_;
};

}  // namespace fathom::cli
