// ProcFolder: the processes and threads in /proc, or in a folder that a test has filled like it.

#pragma once

#include <string>
#include <vector>

#include "fathom/diag/thread_usage.h"

namespace fathom::diag {

class ProcFolder {
 public:
  explicit ProcFolder(std::string path = "/proc");

  // Of one thread, or without a process of this process. `started` is empty if the thread does not
  // exist; if it ends during the call, other values may be empty too.
  [[nodiscard]] ThreadUsage usage(long process, long thread) const;
  [[nodiscard]] ThreadUsage usage(long thread) const;
  // Of all threads of a process together, running and ended: processor time and faults only.
  [[nodiscard]] ThreadUsage usage_of_process(long process) const;

  // Sorted; empty if there is no such process.
  [[nodiscard]] std::vector<long> threads(long process) const;
  // The threads of this process.
  [[nodiscard]] std::vector<long> threads() const;
  // The processes that the thread created, those of ended threads of its process among them. Empty
  // if lists_children() is false.
  [[nodiscard]] std::vector<long> children(long process, long thread) const;
  // Whether the kernel lists them (CONFIG_PROC_CHILDREN).
  [[nodiscard]] bool lists_children() const;

 private:
  [[nodiscard]] std::string folder(long process) const;
  [[nodiscard]] ThreadUsage usage_in(const std::string& folder) const;

  std::string path_;               // without a slash at the end
  long ticks_;                     // per second, the unit of some times
  bool knows_disk_wait_;           // the kernel measures it
  mutable bool has_sched_ = true;  // the kernel has the file sched
};

}  // namespace fathom::diag
