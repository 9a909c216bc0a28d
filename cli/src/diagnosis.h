// Diagnosis: what --memory and --thread-stats tell, of all that happens from its construction on.

#pragma once

#include "fathom/diag/thread_observer.h"
#include "fathom/rt/observer.h"
#include "flag/common_request.h"

namespace fathom::cli {

class Diagnosis {
 public:
  // Another observer of the threads, if there is one, is handed on what this one is told. Throws
  // UsageError if this build of the program cannot count its memory.
  Diagnosis(const CommonRequest& request, const rt::Observer* other);
  Diagnosis(const Diagnosis&) = delete;
  Diagnosis& operator=(const Diagnosis&) = delete;

  // To be told of what threads do; the other one where nothing was asked for here.
  [[nodiscard]] const rt::Observer* observer() const {
    return request_.thread_stats ? &threads_ : other_;
  }

  // To people, after the results.
  void tell() const;

 private:
  const CommonRequest& request_;
  const rt::Observer* const other_;
  const diag::ThreadObserver threads_;
};

}  // namespace fathom::cli
