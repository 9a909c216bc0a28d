// ThreadFacts: getrusage() and files of /proc.

#include "threads/thread_facts.h"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <utility>

#include "threads/proc_folder.h"
#include "threads/rusage.h"

#ifdef __linux__
#include <sys/syscall.h>
#endif

namespace fathom::diag {

namespace {

using std::chrono::nanoseconds;

long own_id() {
#ifdef __linux__
  return ::syscall(SYS_gettid);
#else
  return 0;
#endif
}

}  // namespace

ThreadUsage usage_of_this_thread() {
  ThreadUsage usage = ProcFolder().usage(own_id());
#ifdef RUSAGE_THREAD
  struct rusage used = {};
  if (::getrusage(RUSAGE_THREAD, &used) == 0) read_rusage(used, usage);
#endif
  struct timespec time = {};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0) {
    usage.processor = std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
  }
  return usage;
}

std::vector<ThreadUsage> usage_of_running_threads() {
  const ProcFolder proc;
  std::vector<ThreadUsage> usages;
  for (const long id : proc.threads()) {
    ThreadUsage usage = id == own_id() ? usage_of_this_thread() : proc.usage(id);
    // The files of a thread that has ended meanwhile are incomplete.
    if (!usage.name.empty() && usage.started) usages.push_back(std::move(usage));
  }
  return usages;
}

ThreadUsage usage_of_process() {
  ThreadUsage usage;
  struct rusage used = {};
  if (::getrusage(RUSAGE_SELF, &used) == 0) read_rusage(used, usage);
  return usage;
}

}  // namespace fathom::diag
