// Selection: which part of what there is a scan is about.
//
// What is left out is not opened, looked at or counted, nor is anything below it. What is not
// wanted is looked at, but neither counted nor reported; a directory that is not wanted itself
// still holds what is.
//
//   Selection selection;
//   selection.excluded.add_line("node_modules/");
//   selection.min_size = 1 << 20;
//   selection.extensions = {"log"};

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/ignore.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

// Why an entry was left out.
enum class Excluded : std::uint8_t {
  pattern,            // by a rule of excluded, or as a hidden name
  cache,              // a directory that says that it is a cache
  kernel_filesystem,  // a directory where one is mounted
  other_filesystem,   // a directory where any other is mounted, or waits to be
};

struct Selection {
  // ---- What is left out. Roots never are.

  IgnoreRules excluded;            // paths are those from the root on
  bool hidden = true;              // false: names that begin with a dot are left out
  bool caches = true;              // false: what is in directories that are tagged as caches
  bool kernel_filesystems = true;  // false: /proc, /sys and the like, wherever they are mounted
  bool one_file_system = false;    // what is on another filesystem than its root

  // Whether a name is, by itself or by the path that leads to it from its root.
  [[nodiscard]] bool excludes(std::string_view path, bool directory) const;
  // Whether excludes() has to be asked, and whether it needs more than the last name.
  [[nodiscard]] bool checks_names() const { return !hidden || !excluded.empty(); }
  [[nodiscard]] bool checks_paths() const { return excluded.need_paths(); }

  // ---- What is wanted of the rest: what meets all of these.

  Measure measure = Measure::disk;  // of min_size
  std::uint64_t min_size = 0;       // its own bytes are at least so many
  // Modified at or after that second of the epoch; before it. What has no known time is neither.
  std::optional<std::int64_t> newer_than;
  std::optional<std::int64_t> older_than;
  std::set<Kind> kinds;                 // one of these; empty: any
  std::vector<std::string> extensions;  // no directory, and one of these in any case; empty: any

  [[nodiscard]] bool matches_all() const;
  [[nodiscard]] bool matches(std::string_view name, const Entry& entry) const;
};

}  // namespace fathom::fs
