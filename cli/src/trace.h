// Trace: the timeline that --trace asks for, from its construction to finish().
//
// It is kept in memory, up to 64 MiB, and written at the end: a file that grows in a folder that is
// scanned would be found there.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fathom/diag/timeline.h"
#include "fathom/diag/timeline_observer.h"
#include "fathom/rt/observer.h"
#include "flag/common_request.h"
#include "output.h"

namespace fathom::cli {

class Trace {
 public:
  // Throws UsageError if the file cannot be written to: nothing was done then.
  explicit Trace(const CommonRequest& request);
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  // To be told of what threads do; null where no trace was asked for.
  [[nodiscard]] const rt::Observer* observer() const { return output_ ? &observer_ : nullptr; }

  // Writes the file: before the results are, of which only one file at a time may be begun. False
  // where it could not be written, which people are told then.
  [[nodiscard]] bool finish();

 private:
  [[nodiscard]] diag::Timeline::Summary write();

  const std::string file_;
  std::optional<Output> output_;  // none: no trace was asked for
  diag::TimelineObserver observer_;
  std::vector<std::string> blocks_;  // the trace; the timeline's until it has stopped
  std::optional<diag::Timeline> timeline_;
};

}  // namespace fathom::cli
