// Nice: setpriority() and ioprio_set().

#include "run/nice.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace fathom::cli {

namespace {

constexpr int kNicest = 19;

// Not every C library or set of kernel headers defines names for these values.
bool leave_disk_to_others() {
#ifdef SYS_ioprio_set
  constexpr int kOfOneProcess = 1;
  constexpr int kIdleClass = 3;
  constexpr int kClassShift = 13;
  return ::syscall(SYS_ioprio_set, kOfOneProcess, 0, kIdleClass << kClassShift) == 0;
#else
  return true;  // this system has no I/O priorities
#endif
}

}  // namespace

bool be_nice() {
  const bool processor = ::setpriority(PRIO_PROCESS, 0, kNicest) == 0;
  return leave_disk_to_others() && processor;
}

}  // namespace fathom::cli
