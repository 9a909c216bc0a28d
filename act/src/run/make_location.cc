// make_location: opens what exists, and makes one directory after the other below it.

#include "run/make_location.h"

#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

namespace fathom::act {

namespace {

// Without the last name, and the slash before it.
std::string_view folder_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return path.substr(0, slash == std::string_view::npos ? 0 : slash);
}

}  // namespace

int make_location(int root, const std::string& path, const MutatingOps& ops, Unsynced& unsynced,
                  Location& location) {
  Location at;
  // What exists is opened at once: the user may pass through directories that they may not read.
  std::string_view existing = folder_of(path);
  int result = open_folder(root, existing, at.folder);
  while (result == -ENOENT && !existing.empty()) {
    existing = folder_of(existing);
    result = open_folder(root, existing, at.folder);
  }
  if (result < 0) return result;
  std::string_view rest = std::string_view(path).substr(existing.empty() ? 0 : existing.size() + 1);
  for (std::size_t slash = rest.find('/'); slash != std::string_view::npos;
       slash = rest.find('/')) {
    at.name = rest.substr(0, slash);
    rest.remove_prefix(slash + 1);
    base::Fd next;
    result = open_folder(at.folder.get(), at.name, next);
    if (result == -ENOENT) {
      result = ops.make_folder(at);
      if (result == 0) unsynced.add_folder(at.folder.get());
      if (result == 0 || result == -EEXIST) result = open_folder(at.folder.get(), at.name, next);
    }
    if (result < 0) return result;
    at.folder = std::move(next);
  }
  at.name = rest;
  location = std::move(at);
  return 0;
}

int open_or_make_folder(const std::string& path, const MutatingOps& ops, Unsynced& unsynced,
                        base::Fd& folder) {
  // Links above what is missing are followed, because the user has chosen where these directories
  // are.
  std::string existing = path;
  int result = open_root(existing, folder);
  while (result == -ENOENT && existing.size() > 1) {
    const std::size_t slash = existing.rfind('/');
    existing.resize(slash == 0 ? 1 : slash);
    result = open_root(existing, folder);
  }
  if (result < 0 || existing == path) return result;
  const std::string missing = path.substr(existing.size() > 1 ? existing.size() + 1 : 1);
  Location location;
  result = make_location(folder.get(), missing + "/.", ops, unsynced, location);
  if (result == 0) folder = std::move(location.folder);
  return result;
}

}  // namespace fathom::act
