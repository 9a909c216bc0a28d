// Trace: the timeline that --trace requests, from construction to finish().
//
// It is kept in memory, up to 64 MiB, and written at the end, because the scan could find a file
// that grows in a scanned directory.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fathom/diag/timeline.h"
#include "fathom/diag/timeline_observer.h"
#include "fathom/rt/observer.h"
#include "flags/common_request.h"
#include "run/output.h"

namespace fathom::cli {

class Trace {
 public:
  // Throws UsageError if the file cannot be written; nothing has been done then.
  explicit Trace(const CommonRequest& request);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // The observer to pass to scans; null without --trace.
  [[nodiscard]] const rt::Observer* observer() const { return output_ ? &observer_ : nullptr; }

  // Writes the file. Call it before writing the results, because only one temporary file may exist
  // at a time. Returns false, and prints a message, if the file cannot be written.
  [[nodiscard]] bool finish();

 private:
  [[nodiscard]] diag::Timeline::Summary write();

  const std::string file_;
  std::optional<Output> output_;  // none without --trace
  diag::TimelineObserver observer_;
  std::vector<std::string> blocks_;  // the trace; used by the timeline until it has stopped
  std::optional<diag::Timeline> timeline_;
};

}  // namespace fathom::cli
