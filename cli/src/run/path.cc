// Path: follows links by hand where realpath(3) fails, because the file does not exist yet.

#include "run/path.h"

#include <sys/stat.h>

#include <cerrno>

#include "fathom/base/path.h"

namespace fathom::cli {

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

std::string path_of_root(const std::string& root) {
  const std::size_t slash = root.rfind('/');
  const std::string name = root.substr(slash + 1);  // npos + 1 is 0
  if (name.empty() || name == "." || name == "..") {
    return base::real_path(root).value_or(absolute_path(root));
  }
  const std::string above = slash == std::string::npos ? "." : root.substr(0, slash + 1);
  const auto resolved = base::real_path(above);
  if (!resolved) return absolute_path(root);
  return *resolved + (resolved->ends_with('/') ? "" : "/") + name;
}

std::optional<std::string> path_of_file(const std::string& path) {
  if (auto real = base::real_path(path)) return real;
  return path_of_directory(base::link_target(path));
}

std::string path_in_snapshots(const std::string& path) {
  return path_of_directory(path).value_or(absolute_path(path));
}

std::optional<std::string> path_of_directory(std::string path) {
  if (auto real = base::real_path(path)) return real;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const std::string folder = base::folder_of(path);
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
