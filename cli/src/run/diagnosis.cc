// Diagnosis: the reports of --memory and --thread-stats.

#include "run/diagnosis.h"

#include <unistd.h>

#include "fathom/diag/lock_report.h"
#include "fathom/diag/memory.h"
#include "fathom/diag/thread_report.h"
#include "term/message.h"

namespace fathom::cli {

Diagnosis::Diagnosis(const CommonRequest& request, const rt::Observer* other)
    : request_(request), other_(other), threads_(other) {
  if (!request.memory) return;
  if (!diag::can_count_memory()) {
    throw UsageError("option '--memory' does not work in a build with sanitizers");
  }
  diag::count_memory();
}

void Diagnosis::tell() const {
  if (!request_.memory && !request_.thread_stats) return;
  // Takes all measurements before formatting them: symbol lookup itself takes time and memory.
  const diag::ThreadReport threads = diag::thread_report();
  const diag::MemoryReport memory = diag::memory_report();
  const diag::LockReport locks = diag::lock_report();  // empty without FATHOM_PROFILE_LOCKS
  if (request_.memory) write_fully(STDERR_FILENO, memory.text());
  if (!request_.thread_stats) return;
  write_fully(STDERR_FILENO, threads.text());
  if (!locks.locks.empty()) write_fully(STDERR_FILENO, locks.text());
}

}  // namespace fathom::cli
