// Path: realpath(3), getcwd(3), joining, and following links one at a time.

#include "fathom/base/path.h"

#ifdef __linux__
#include <linux/magic.h>
#include <sys/vfs.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <memory>

namespace fathom::base {

namespace {

// Takes ownership of a string from malloc(), which may be null.
std::optional<std::string> string_of(char* text) {
  const std::unique_ptr<char, void (*)(void*)> owner(text, std::free);
  if (text == nullptr) return std::nullopt;
  return std::string(text);
}

}  // namespace

std::optional<std::string> real_path(const std::string& path) {
  return string_of(::realpath(path.c_str(), nullptr));
}

std::optional<std::string> current_directory() {
  return string_of(::getcwd(nullptr, 0));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

bool is_below(std::string_view path, std::string_view folder) {
  if (path.size() <= folder.size() || !path.starts_with(folder)) return false;
  return folder.ends_with('/') || path[folder.size()] == '/';
}

bool is_at_or_below(std::string_view path, std::string_view folder) {
  return path == folder || is_below(path, folder);
}

std::string joined_path(const std::string& folder, std::string_view path) {
  if (path.starts_with('/')) return std::string(path);
  while (path.starts_with("./")) {
    path.remove_prefix(std::min(path.find_first_not_of('/', 1), path.size()));
  }
  if (path.empty() || path == ".") return folder;
  std::string joined = folder;
  if (!joined.ends_with('/')) joined += '/';
  return joined += path;
}

std::vector<std::string_view> names_along(std::string_view path) {
  std::vector<std::string_view> names;
  while (!path.empty()) {
    const std::string_view name = path.substr(0, path.find('/'));
    path.remove_prefix(std::min(name.size() + 1, path.size()));
    if (!name.empty() && name != ".") names.push_back(name);
  }
  return names;
}

bool is_shallower(std::string_view a, std::string_view b) {
  const auto names_a = names_along(a);
  const auto names_b = names_along(b);
  return names_a.size() != names_b.size() ? names_a.size() < names_b.size() : names_a < names_b;
}

bool follow_one(std::string& path) {
  char target[PATH_MAX];
  const ssize_t length = ::readlink(path.c_str(), target, sizeof target);
  if (length <= 0) return false;
  const std::string folder = target[0] == '/' ? "" : folder_of(path);
  path = folder + std::string(target, static_cast<std::size_t>(length));
  return true;
}

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

}  // namespace fathom::base
