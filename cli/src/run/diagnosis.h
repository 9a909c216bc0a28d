// Diagnosis: what --memory and --thread-stats report about the process, from construction on.

#pragma once

#include "fathom/diag/thread_observer.h"
#include "fathom/rt/observer.h"
#include "flags/common_request.h"

namespace fathom::cli {

class Diagnosis {
 public:
  // Forwards events of threads to the other observer, if there is one. Throws UsageError if this
  // build of the program cannot count memory.
  Diagnosis(const CommonRequest& request, const rt::Observer* other);
  Diagnosis(const Diagnosis&) = delete;
  Diagnosis& operator=(const Diagnosis&) = delete;

  // The observer to pass to scans: this one, or the other one without --thread-stats.
  [[nodiscard]] const rt::Observer* observer() const {
    return request_.thread_stats ? &threads_ : other_;
  }

  // Prints the reports on standard error. Call it after the results.
  void tell() const;

 private:
  const CommonRequest& request_;
  const rt::Observer* const other_;
  const diag::ThreadObserver threads_;
};

}  // namespace fathom::cli
