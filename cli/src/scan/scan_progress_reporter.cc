// ScanProgressReporter: the progress line, SIGUSR1, and directories that hang.

#include "scan/scan_progress_reporter.h"

#include <algorithm>
#include <utility>

#include "message.h"
#include "term/label.h"

namespace fathom::cli {

ScanProgressReporter::ScanProgressReporter(When progress, base::Units units, ProgressRequest& asked)
    : line_(progress, units), asked_(asked), watched_(line_.wanted()) {
  if (progress == When::always) line_.show({});
}

void ScanProgressReporter::report(const fs::Progress& known,
                                  std::chrono::milliseconds stuck_after) {
  const ProgressFigures figures{known.entries, known.disk_bytes, known.seconds, known.directory};
  if (asked_.take()) {
    watched_ = true;
    line_.tell(figures);
  }
  if (watched_) report_stuck(known.stuck, stuck_after);
  line_.show(figures);
}

// Each directory once, in the order of the paths.
void ScanProgressReporter::report_stuck(std::vector<std::string> stuck,
                                        std::chrono::milliseconds after) {
  std::sort(stuck.begin(), stuck.end());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(after).count();
  for (std::string& directory : stuck) {
    const auto [reported, is_new] = reported_stuck_.insert(std::move(directory));
    if (!is_new) continue;
    line_.clear();
    print_message("still reading " + escaped(*reported) + " after " + std::to_string(seconds) +
                  " s");
  }
}

}  // namespace fathom::cli
