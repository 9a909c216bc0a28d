// ProgressRequest: SIGUSR1, which asks how far the scan is.
//
// From the first one on, the signal only raises a flag, and it still does when none lives any more:
// who asks too late must not end the program. What was ignored from the start stays ignored.

#pragma once

#include "fathom/base/atomic.h"

namespace fathom::cli {

class ProgressRequest {
 public:
  // At most one at a time: signals belong to the process. Other threads must have it blocked, as
  // those of rt and fs have.
  ProgressRequest();
  ProgressRequest(const ProgressRequest&) = delete;
  ProgressRequest& operator=(const ProgressRequest&) = delete;

  // Whether somebody has asked since the last call.
  [[nodiscard]] bool take() { return asked_.exchange(false, base::memory_order_relaxed); }

 private:
  static void handle(int);

  static base::atomic<bool> asked_;  // all that the handler touches
};

}  // namespace fathom::cli
