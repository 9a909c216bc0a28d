// Selection: the filters of a scan: the paths to exclude, and the entries to count among the rest.
//
// An excluded entry is not opened, read or counted, and neither is anything below it. An entry that
// is filtered out is read, but neither counted nor reported; a directory that is filtered out
// itself may contain entries that are counted.
//
//   Selection selection;
//   selection.excluded.add_line("node_modules/");
//   selection.only.add_line("src/");
//   selection.min_size = 1 << 20;
//   selection.extensions = {"log"};

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/entry_condition.h"
#include "fathom/fs/ignore.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

// Why an entry was excluded.
enum class Excluded : std::uint8_t {
  pattern,            // by a rule of Selection::excluded, or as a hidden name
  cache,              // a directory that is tagged as a cache
  kernel_filesystem,  // a directory where such a filesystem is mounted
  other_filesystem,   // a directory where any other is mounted, or will be by an automount
};

struct Selection {
  // ---- What to exclude. Roots are never excluded.

  IgnoreRules excluded;            // matched against paths from the root
  bool hidden = true;              // false: exclude names that begin with a dot
  bool caches = true;              // false: exclude directories that are tagged as caches
  bool kernel_filesystems = true;  // false: exclude /proc, /sys and so on, wherever mounted
  bool one_file_system = false;    // exclude everything on another filesystem than its root

  // Whether the entry is excluded by its name, or by its path from its root.
  [[nodiscard]] bool excludes(std::string_view path, bool directory) const;
  // Whether excludes() must be called at all, and whether it needs more than the last name.
  [[nodiscard]] bool checks_names() const { return !hidden || !excluded.empty(); }
  [[nodiscard]] bool checks_paths() const { return excluded.need_paths() || only.need_paths(); }

  // ---- What to count of the rest: entries that match all of these.

  // If not empty: what these rules match, by paths from the root as in `excluded`, and everything
  // in the directories that they match. A root that is a file is matched by its name; a root that
  // is a directory never.
  IgnoreRules only;

  Measure measure = Measure::disk;  // for min_size
  std::uint64_t min_size = 0;       // the least size of the entry itself
  // Seconds since the epoch: modified at or after, and before. An unknown time matches neither.
  std::optional<std::int64_t> newer_than;
  std::optional<std::int64_t> older_than;
  std::set<Kind> kinds;                         // one of these; empty: any
  std::vector<std::string> extensions;          // of non-directories, ignoring case; empty: any
  std::shared_ptr<const EntryCondition> where;  // null: any

  [[nodiscard]] bool matches_all() const;
  // The same without what depends on the metadata of entries: what to exclude, and `only`.
  [[nodiscard]] Selection by_path() const;
  // Whether `only` picks the entry, unless it is in a directory that `only` picks.
  [[nodiscard]] bool picks(std::string_view path, bool directory) const;
  // Whether the entry matches everything but `only`.
  [[nodiscard]] bool matches(std::string_view name, const Entry& entry) const;

 private:
  [[nodiscard]] bool has_extension(std::string_view name, const Entry& entry) const;
};

}  // namespace fathom::fs
