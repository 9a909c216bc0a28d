// Descriptors: counts those that are free, and divides them.

#include "descriptors.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <string>

#include "fathom/base/error.h"

namespace fathom::web {

namespace {

// Enough for browsers and a load test; an idle connection takes less than a kilobyte.
constexpr std::size_t kMaxConnections = 4096;
// Connections may use one in so many of the free descriptors; most of the others are for scans.
constexpr std::size_t kShareOfDescriptors = 4;
// The listening socket, its spare, and the files that look-ups of user names open.
constexpr std::size_t kForOthers = 8;
// One in so many is for open snapshots, but not more than StoredSnapshots and two answers, with two
// threads each, may open.
constexpr std::size_t kShareOfSnapshots = 8;
constexpr std::size_t kMostForSnapshots = 32;
// With fewer, neither a browser, which opens six connections, nor a scan could work.
constexpr std::size_t kFewest = 24;
constexpr rlim_t kMostCounted = 65'536;

std::size_t count_open(rlim_t limit) {
  std::size_t open = 0;
  for (int descriptor = 0; descriptor < static_cast<int>(limit); ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) ++open;
  }
  return open;
}

}  // namespace

Descriptors Descriptors::plan(std::size_t to_open) {
  rlimit given{};
  if (::getrlimit(RLIMIT_NOFILE, &given) != 0) given.rlim_cur = kMostCounted;
  const rlim_t limit = std::min(given.rlim_cur, kMostCounted);
  const std::size_t open = count_open(limit);
  const std::size_t used = open + to_open;
  const std::size_t free = limit - std::min<std::size_t>(used, limit);
  if (free < kFewest) {
    throw base::Error("cannot serve with a limit of " + std::to_string(limit) +
                      " open files: it needs " + std::to_string(used + kFewest) +
                      " (ulimit -n), because " + std::to_string(open) + " are open already");
  }
  const std::size_t connections = std::min(free / kShareOfDescriptors, kMaxConnections);
  const std::size_t snapshots = std::min(free / kShareOfSnapshots, kMostForSnapshots);
  return {.connections = connections, .scan = free - connections - kForOthers - snapshots};
}

}  // namespace fathom::web
