// ScanProgressReporter: what standard error shows while a scan runs.
//
// The progress line, if it is enabled; one line of progress for each SIGUSR1, even if it is not;
// and one line for each directory that hangs. The last only if there is a progress line, or after
// the first SIGUSR1: otherwise nobody is watching.

#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/fs/scan.h"
#include "progress_request.h"
#include "term/progress_line.h"
#include "term/terminal.h"

namespace fathom::cli {

class ScanProgressReporter {
 public:
  ScanProgressReporter(When progress, base::Units units, ProgressRequest& asked);

  // Call this repeatedly while the scan runs.
  void report(const fs::Progress& known, std::chrono::milliseconds stuck_after);
  // Erases the progress line.
  void end() { line_.clear(); }

 private:
  void report_stuck(std::vector<std::string> stuck, std::chrono::milliseconds after);

  ProgressLine line_;
  ProgressRequest& asked_;
  std::set<std::string> reported_stuck_;
  bool watched_;
};

}  // namespace fathom::cli
