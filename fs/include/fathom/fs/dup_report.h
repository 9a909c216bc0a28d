// DupReport: duplicates as programs read them, each format a pure function of what was found.
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

// What it refers to must outlive it.
struct DupReport {
  const Scan& scan;
  const Duplicates& same;
  const DuplicateDirectories& directories;
  // As kept_files() says; none: the first by path in each group.
  std::vector<std::uint32_t> kept = {};
  std::size_t top = 0;  // groups, and groups of directories, at most; 0: all

  [[nodiscard]] std::size_t groups() const;
  // The place of the file that is kept; nothing if the group is left alone.
  [[nodiscard]] std::optional<std::size_t> kept_in(std::size_t group) const;
};

// Schema fathom.dups/1: one object and a newline. A path that is not UTF-8 is written with U+FFFD
// for what is not, and beside the paths paths_b64 has its bytes, at the same place.
void write_dups_json(const DupReport& report, const Sink& sink);

// For CSV: a row for each name of a file in a group.
[[nodiscard]] Table duplicate_names(const DupReport& report);

// The JSON that `fclones group -f json` of fclones 0.35 writes, which `fclones link`, `remove` and
// `dedupe` read. Groups that are left alone are left out, as these would act on them. Fathom has no
// hashes: file_hash is the number of the group, from 1 on.
struct FclonesHeader {
  std::string timestamp;  // RFC 3339: fclones leaves groups alone that were modified later
  std::string base_dir;   // absolute: where the scan's paths are to be taken from
};
void write_fclones(const DupReport& report, const FclonesHeader& header, const Sink& sink);

}  // namespace fathom::fs
