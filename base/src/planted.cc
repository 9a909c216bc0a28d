// Planted: compares owners, along a chain of links.

#include "fathom/base/planted.h"

#include <unistd.h>

#include "fathom/base/path.h"

namespace fathom::base {

bool is_planted(const struct stat& folder, const struct stat& entry) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  if ((folder.st_mode & kShared) != kShared) return false;
  return entry.st_uid != ::geteuid() && entry.st_uid != folder.st_uid;
}

bool is_planted(const std::string& path, const struct stat& entry) {
  const std::string folder = folder_of(path);
  struct stat above {};
  return ::stat(folder.empty() ? "." : folder.c_str(), &above) == 0 && is_planted(above, entry);
}

bool is_planted(const std::string& path) {
  struct stat entry {};
  return ::lstat(path.c_str(), &entry) == 0 && is_planted(path, entry);
}

// A link that is not planted cannot be exchanged for one that is: the directory is sticky.
std::optional<std::string> trusted_link_target(std::string path) {
  for (int links = 0; links < kMostLinks; ++links) {
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0) return path;
    if (is_planted(path, there)) return std::nullopt;
    if (!S_ISLNK(there.st_mode) || is_in_proc(path) || !follow_one(path)) return path;
  }
  return path;
}

}  // namespace fathom::base
