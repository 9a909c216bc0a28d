// MissingRoots: counts errors about arguments that do not exist.

#include "scan/missing_roots.h"

#include <algorithm>
#include <cerrno>

namespace fathom::cli {

std::size_t missing_roots(const fs::Scan& scan) {
  const auto is_missing = [&scan](const fs::ScanError& error) {
    return (error.code == ENOENT || error.code == ENOTDIR) &&
           std::find(scan.roots.begin(), scan.roots.end(), error.path) != scan.roots.end();
  };
  return static_cast<std::size_t>(
      std::count_if(scan.errors.begin(), scan.errors.end(), is_missing));
}

std::size_t unread_entries(const fs::Scan& scan) {
  return scan.errors.size() - missing_roots(scan);
}

}  // namespace fathom::cli
