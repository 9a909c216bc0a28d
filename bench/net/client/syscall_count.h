// SyscallCount: how many system calls a process makes, counted by strace while it is attached.
//
// Being counted slows the process down by far: count in a run of its own, which nobody times.
//
//   if (SyscallCount::available()) {
//     SyscallCount count(server.pid());   // all its threads, and those to come
//     ...
//     count.finish();
//   }

#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "net/fd.h"

namespace fathom::bench {

class SyscallCount {
 public:
  // Whether strace is installed.
  static bool available();

  // Returns when strace counts. Throws when it may not.
  explicit SyscallCount(pid_t process);
  SyscallCount(const SyscallCount&) = delete;
  SyscallCount& operator=(const SyscallCount&) = delete;
  ~SyscallCount();

  // How many there were. Lets go of the process.
  std::uint64_t finish();

 private:
  pid_t strace_ = -1;
  Fd words_;  // strace's standard error: that it is attached, and in the end the counts
  std::string said_;
};

}  // namespace fathom::bench
