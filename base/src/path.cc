// Path: realpath(3), getcwd(3) and joining.

#include "fathom/base/path.h"

#include <unistd.h>

#include <algorithm>
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

}  // namespace fathom::base
