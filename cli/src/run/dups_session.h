// Dups session: a search for duplicates as a command runs it, which can be interrupted and reports
// its progress.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/fs/dup_report.h"
#include "fathom/fs/duplicate_directories.h"
#include "fathom/fs/duplicates.h"
#include "fathom/fs/ncdu_import.h"
#include "fathom/fs/scan.h"
#include "flags/dups_request.h"
#include "run/interrupt.h"

namespace fathom::cli {

// In at most that many columns: the percentage and number of bytes compared, the time left at the
// average rate, the files, and the groups found.
[[nodiscard]] std::string progress_text(const fs::DuplicateProgress& known, base::Units units,
                                        unsigned columns);

// The results of a search for duplicates, with the scan that it searched.
struct DupsFinding {
  std::chrono::system_clock::time_point began;
  fs::ScanAge age = fs::ScanAge::fresh;
  fs::Scan scan;
  fs::Duplicates same;
  fs::DuplicateDirectories directories;
  // The result of kept_files() if a plan was requested. If empty, the first file by path in each
  // group is kept.
  std::vector<std::uint32_t> kept;

  // The index of the file that would be kept; nothing if the group is left alone.
  [[nodiscard]] std::optional<std::size_t> kept_in(std::size_t group) const;
  [[nodiscard]] bool cancelled() const { return scan.cancelled || same.cancelled; }
  [[nodiscard]] bool complete() const { return scan.complete() && same.complete(); }
  [[nodiscard]] double seconds() const { return scan.seconds + same.seconds; }
};

// Scans, or reads a snapshot; then compares, and reports progress. The observer, which may be null,
// is informed about the threads. After this function has returned, a signal ends the process.
[[nodiscard]] DupsFinding find_dups(const DupsRequest& request, const fs::SelectionAt& selection,
                                    Interrupt& interrupt, ProgressRequest& asked,
                                    const rt::Observer* observer);

}  // namespace fathom::cli
