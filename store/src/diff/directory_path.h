// The paths of directories that are known by their names and the index of the one above.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::store {

// An empty name is that of the directory itself, and an empty path is above all roots.
[[nodiscard]] inline std::string joined(std::string path, std::string_view name) {
  if (name.empty()) return path;
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path += name;
}

// `at` is an index, or Directory::kNoParent.
template <class Directory>
[[nodiscard]] std::string path_in(const std::vector<Directory>& directories, std::size_t at) {
  std::vector<std::string_view> names;
  for (; at != Directory::kNoParent; at = directories[at].parent) {
    names.push_back(directories[at].name);
  }
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    path = joined(std::move(path), *name);
  }
  return path;
}

}  // namespace fathom::store
