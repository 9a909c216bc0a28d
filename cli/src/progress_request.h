// ProgressRequest: SIGUSR1, which requests a line of progress.
//
// Once an object has been created, the signal only sets a flag, even after the object is destroyed:
// a late signal must not end the program. If it was ignored at program start, it stays ignored.

#pragma once

#include "fathom/base/atomic.h"

namespace fathom::cli {

class ProgressRequest {
 public:
  // At most one object at a time, because signals belong to the process. Other threads must block
  // SIGUSR1; those of rt and fs do.
  ProgressRequest();
  ProgressRequest(const ProgressRequest&) = delete;
  ProgressRequest& operator=(const ProgressRequest&) = delete;

  // Whether the signal has arrived since the last call.
  [[nodiscard]] bool take() { return asked_.exchange(false, base::memory_order_relaxed); }

 private:
  static void handle(int);

  static base::atomic<bool> asked_;  // the only state that the handler uses
};

}  // namespace fathom::cli
