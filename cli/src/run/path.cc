// Path: follows links by hand where realpath(3) fails, because the file does not exist yet.

#include "run/path.h"

#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstddef>

#include "fathom/base/path.h"
#include "fathom/base/planted.h"

namespace fathom::cli {

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string absolute_path(const std::string& path) {
  const auto here = base::current_directory();
  if (!here && !path.starts_with('/')) return path;
  const std::string whole = base::joined_path(here.value_or("/"), path);
  std::string without = whole;
  while (without.size() > 1 && without.ends_with('/')) without.pop_back();
  struct stat there {};
  const bool is_link = ::lstat(without.c_str(), &there) == 0 && S_ISLNK(there.st_mode);
  return is_link ? whole : without;
}

namespace {

constexpr int kMostLinks = 40;  // the limit of the kernel

// Replaces the path of a symbolic link by that of its target. False if it is not a link.
bool follow_one(std::string& path) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
  if (length <= 0) return false;
  const std::string folder = target[0] == '/' ? "" : folder_of(path);
  path = folder + std::string(target, static_cast<std::size_t>(length));
  return true;
}

}  // namespace

std::string link_target(std::string path) {
  for (int links = 0; links < kMostLinks && follow_one(path); ++links) {
  }
  return path;
}

bool is_in_proc(const std::string& path) {
#ifdef __linux__
  const std::string folder = folder_of(path);
  struct statfs filesystem {};
  return ::statfs(folder.empty() ? "." : folder.c_str(), &filesystem) == 0 &&
         filesystem.f_type == PROC_SUPER_MAGIC;
#else
  return false;
#endif
}

// A link that is not planted cannot be exchanged for one that is: the directory is sticky.
std::optional<std::string> trusted_link_target(std::string path) {
  for (int links = 0; links < kMostLinks; ++links) {
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0) return path;
    if (base::is_planted(path)) return std::nullopt;
    if (!S_ISLNK(there.st_mode) || is_in_proc(path) || !follow_one(path)) return path;
  }
  return path;
}

std::optional<std::string> path_of_file(const std::string& path) {
  if (auto real = base::real_path(path)) return real;
  return path_of_directory(link_target(path));
}

std::optional<std::string> path_of_directory(std::string path) {
  if (auto real = base::real_path(path)) return real;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::string folder = folder_of(path);
  const auto real = base::real_path(folder.empty() ? "." : folder);
  if (!real) return std::nullopt;
  return base::joined_path(*real, path.substr(folder.size()));
}

int why_missing(const std::string& path) {
  struct stat there {};
  return ::lstat(path.c_str(), &there) == 0 ? 0 : errno;
}

bool leads_to_directory(const std::string& path) {
  struct stat there {};
  return ::stat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
}

bool is_same_path(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto file = path_of_file(a);
  return file && file == path_of_file(b);
}

}  // namespace fathom::cli
