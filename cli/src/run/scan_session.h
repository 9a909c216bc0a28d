// Scan session: a scan as a command runs it, which can be interrupted and reports its progress.

#pragma once

#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/fs/scan.h"
#include "flags/common_request.h"
#include "run/interrupt.h"
#include "term/progress_line.h"
#include "term/terminal.h"

namespace fathom::cli {

// InterruptGrace: how long an interrupted scan may take to end.
//
// A scan ends when the kernel has completed the current system calls. On a filesystem that hangs
// they never complete; the program must then end without them.
class InterruptGrace {
 public:
  static constexpr double kSeconds = 2;

  // Call this repeatedly, with the time of the scan in seconds. True once the interruption has been
  // known for kSeconds.
  [[nodiscard]] bool over(bool interrupted, double now) {
    if (!interrupted) return false;
    if (since_ < 0) since_ = now;
    return now - since_ >= kSeconds;
  }

 private:
  double since_ = -1;  // when the interruption was first seen; negative: not yet
};

// ScanProgressReporter: what standard error shows while a scan runs.
//
// The progress line, if it is enabled; one line of progress for each SIGUSR1, even if it is not;
// and one line for each directory that hangs. The last only if there is a progress line, or after
// the first SIGUSR1: otherwise nobody is watching.

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

// ---- The session

// Raises the limit of open descriptors: a scan that keeps more directories open reopens fewer.
void allow_more_descriptors();

// Sets the options for cancelling and progress, and scans. If the filesystem does not answer, ends
// the process InterruptGrace::kSeconds after an interruption.
[[nodiscard]] fs::Scan run_scan_session(fs::ScanOptions options, const CommonRequest& request,
                                        Interrupt& interrupt, ProgressRequest& asked);

}  // namespace fathom::cli
