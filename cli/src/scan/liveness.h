// Liveness: what people are told while a scan runs.
//
// The progress line, if it is wanted; one line of progress for each SIGUSR1, whether or not it is;
// and once for each directory that hangs, that it does. The last only where somebody looks: where
// there is a progress line, and after the first SIGUSR1.

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/fs/scan.h"
#include "progress_request.h"
#include "scan/stuck.h"
#include "term/progress_line.h"
#include "term/terminal.h"

namespace fathom::cli {

class Liveness {
 public:
  Liveness(When progress, base::Units units, ProgressRequest& asked);

  // To be called again and again while the scan runs.
  void tell(const fs::Progress& known, std::chrono::milliseconds stuck_after);
  // What stands on the terminal goes.
  void end() { line_.clear(); }

 private:
  void name_stuck(const std::vector<std::string>& stuck, std::chrono::milliseconds after);

  ProgressLine line_;
  ProgressRequest& asked_;
  StuckDirectories stuck_;
  bool somebody_looks_;
};

}  // namespace fathom::cli
