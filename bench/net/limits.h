// Limits: raises the resource limits of the process as far as possible.

#pragma once

#include <sys/resource.h>

#include <cstddef>

namespace fathom::bench {

// The number of descriptors that the process may have from now on.
inline std::size_t allow_many_descriptors() {
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_max : before;
}

}  // namespace fathom::bench
