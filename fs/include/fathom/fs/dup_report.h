// DupReport: duplicates in formats for programs, each a pure function of the result.
//
//   const DupReport report{.scan = found, .same = same, .directories = folded};
//   write_dups_json(report, sink);

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/duplicate_directories.h"
#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/sink.h"
#include "fathom/fs/table.h"

namespace fathom::fs {

// Everything that it refers to must outlive it.
struct DupReport {
  const Scan& scan;
  const Duplicates& same;
  const DuplicateDirectories& directories;
  // From kept_files(); if empty, the first file by path in each group.
  std::vector<std::uint32_t> kept = {};
  std::size_t top = 0;  // the most groups, and the most groups of directories, to write; 0: all

  [[nodiscard]] std::size_t groups() const;
  // The index of the kept file, or nothing if the group is left alone.
  [[nodiscard]] std::optional<std::size_t> kept_in(std::size_t group) const;
};

// Schema fathom.dups/1: one object and a newline. In a path that is not UTF-8, each invalid byte is
// written as U+FFFD; beside `paths`, `paths_b64` has the original bytes at the same index.
void write_dups_json(const DupReport& report, const Sink& sink);

// For CSV: one row per name of a file in a group.
[[nodiscard]] Table duplicate_names(const DupReport& report);

// The JSON that `fclones group -f json` of fclones 0.35 writes and `fclones link`, `remove` and
// `dedupe` read. Groups that are left alone are not written, because these commands would act on
// them. Fathom does not compute hashes: file_hash is the number of the group, starting at 1.
struct FclonesHeader {
  std::string timestamp;  // RFC 3339; fclones skips groups that were modified later
  std::string base_dir;   // absolute; the base of relative paths of the scan
};
void write_fclones(const DupReport& report, const FclonesHeader& header, const Sink& sink);

}  // namespace fathom::fs
