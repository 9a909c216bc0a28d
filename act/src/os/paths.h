// Absolute paths, as texts.

#pragma once

#include <cstddef>
#include <string>

namespace fathom::act {

// The directory above; of one in the root directory, and of that itself, "/".
[[nodiscard]] inline std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

// The last name.
[[nodiscard]] inline std::string last_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

[[nodiscard]] inline std::string joined(const std::string& folder, const std::string& path) {
  return (folder.size() > 1 ? folder + '/' : folder) + path;
}

}  // namespace fathom::act
