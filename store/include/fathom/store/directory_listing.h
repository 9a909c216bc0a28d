// DirectoryListing: the entries of a directory of a snapshot, one page of them, without loading the
// snapshot.
//
// The sums of subdirectories come from dirs.parquet; of entries.parquet, only the pages are read
// that have entries of the directory, first the column to sort by, then the others of those that
// are listed. So the time depends on how many entries the directory itself has, and not on what is
// below it.
//
//   DirectoryListing listing = list_directory(snapshot, {.path = "/srv", .limit = 20});

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/measure.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"
#include "fathom/store/snapshot.h"

namespace fathom::store {

enum class ListingOrder : std::uint8_t {
  size,  // in the measure, with everything below
  name,
  entries,
  modified,  // in whole seconds; unknown times are the smallest
  owner,     // by name; then those without one, by number
};

struct ListingOptions {
  std::string path = {};  // an absolute path; empty: the only root, or the place above several
  fs::Measure measure = fs::Measure::disk;
  ListingOrder order = ListingOrder::size;  // of equal ones, the smallest name comes first
  bool descending = true;
  std::uint64_t offset = 0;  // of the first entry to list
  std::uint64_t limit = 100;
};

struct ListedEntry {
  std::string name;  // of a root, its path; of the place above several roots, empty; bytes
  fs::Kind kind = fs::Kind::directory;
  fs::Counts counts = {};     // with everything below, by the rules of fs::Totals
  bool lower_bound = false;   // something at or below it could not be read
  std::uint8_t flags = 0;     // of fs::NodeFlag
  std::uint64_t entries = 0;  // directly in it
  // Mode, links, owner, group and time; nothing for the place above several roots.
  std::optional<fs::Entry> inode = {};
};

struct DirectoryListing {
  std::string path;  // without superfluous slashes
  ListedEntry entry;
  std::uint64_t total = 0;  // entries of the directory
  std::vector<ListedEntry> entries;
};

// Lists a directory; of an entry that is not one, there is only its `entry`. Throws NotFound if the
// snapshot does not have the path, and base::Error if a file is damaged.
[[nodiscard]] DirectoryListing list_directory(const Snapshot& snapshot,
                                              const ListingOptions& options);

}  // namespace fathom::store
