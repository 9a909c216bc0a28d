// Planted: compares owners.

#include "fathom/base/planted.h"

#include <unistd.h>

#include <cstddef>

namespace fathom::base {

bool is_planted(const struct stat& folder, const struct stat& entry) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  if ((folder.st_mode & kShared) != kShared) return false;
  return entry.st_uid != ::geteuid() && entry.st_uid != folder.st_uid;
}

bool is_planted(const std::string& path, const struct stat& entry) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  struct stat above {};
  return ::stat(folder.c_str(), &above) == 0 && is_planted(above, entry);
}

bool is_planted(const std::string& path) {
  struct stat entry {};
  return ::lstat(path.c_str(), &entry) == 0 && is_planted(path, entry);
}

}  // namespace fathom::base
