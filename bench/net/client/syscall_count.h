// SyscallCount: counts the system calls of a process with strace, while it is attached.
//
// Counting slows the process down considerably: count in a separate run that is not timed.
//
//   if (SyscallCount::available()) {
//     SyscallCount count(server.pid());   // all its threads, including later ones
//     ...
//     count.finish();
//   }

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "fathom/base/fd.h"

namespace fathom::bench {

class SyscallCount {
 public:
  // Whether strace is installed.
  static bool available();

  // Returns when strace is counting. Throws if it is not permitted.
  explicit SyscallCount(pid_t process);
  SyscallCount(const SyscallCount&) = delete;
  SyscallCount& operator=(const SyscallCount&) = delete;
  ~SyscallCount();

  // Detaches from the process and returns the count.
  std::uint64_t finish();

 private:
  pid_t strace_ = -1;
  base::Fd words_;  // strace's standard error: "attached", and finally the counts
  std::string said_;
};

}  // namespace fathom::bench
