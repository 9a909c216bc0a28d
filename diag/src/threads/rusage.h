// rusage: the figures of getrusage() and wait4().

#pragma once

#include <sys/resource.h>

#include "fathom/diag/thread_usage.h"

namespace fathom::diag {

// Replaces those values that the structure has.
inline void read_rusage(const struct rusage& used, ThreadFigures& figures) {
  const auto duration = [](const timeval& time) -> std::chrono::nanoseconds {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  figures.user = duration(used.ru_utime);
  figures.system = duration(used.ru_stime);
  figures.processor = *figures.user + *figures.system;
  figures.voluntary_switches = static_cast<std::uint64_t>(used.ru_nvcsw);
  figures.involuntary_switches = static_cast<std::uint64_t>(used.ru_nivcsw);
  figures.minor_faults = static_cast<std::uint64_t>(used.ru_minflt);
  figures.major_faults = static_cast<std::uint64_t>(used.ru_majflt);
}

}  // namespace fathom::diag
