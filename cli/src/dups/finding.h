// DupsFinding: what a search for duplicates has found, and what it was about.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dups/request.h"
#include "fathom/fs/dup_report.h"
#include "fathom/fs/duplicate_directories.h"
#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/selection.h"
#include "interrupt.h"
#include "progress_request.h"

namespace fathom::cli {

struct DupsFinding {
  std::chrono::system_clock::time_point began;
  fs::Scan scan;
  fs::Duplicates same;
  fs::DuplicateDirectories directories;
  // The place of the file that would be kept, in each group; none: the first by path.
  std::vector<std::uint32_t> kept;

  [[nodiscard]] std::size_t kept_in(std::size_t group) const {
    return kept.empty() ? 0 : kept[group];
  }
  [[nodiscard]] bool cancelled() const { return scan.cancelled || same.cancelled; }
  [[nodiscard]] bool complete() const { return scan.complete() && same.complete(); }
  [[nodiscard]] double seconds() const { return scan.seconds + same.seconds; }
};

// Scans, then compares, and tells how far it is meanwhile. From when it has ended on a signal ends
// the process.
[[nodiscard]] DupsFinding find_dups(const DupsRequest& request, const fs::Selection& selection,
                                    Interrupt& interrupt, ProgressRequest& asked);

}  // namespace fathom::cli
