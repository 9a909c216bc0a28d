// OpenDirectories: the directories from the root to the one whose children are being read.
//
//   open.push(id, device, "/srv", true);
//   open.path_of("file");  // "/srv/file"
//   open.pop();

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/tree.h"

namespace fathom::fs {

class OpenDirectories {
 public:
  struct Directory {
    DirId id = kNoDir;
    std::uint64_t device = 0;
    std::size_t path_length = 0;
    bool picked = false;  // by Selection::only
  };

  // The name of the root is its path. Returns the path, which is valid until the next call.
  std::string_view push(DirId id, std::uint64_t device, std::string_view name, bool picked) {
    const std::string_view path = path_of(name);
    open_.push_back({.id = id, .device = device, .path_length = path.size(), .picked = picked});
    return path;
  }
  void pop() { open_.pop_back(); }

  [[nodiscard]] bool empty() const { return open_.empty(); }
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(open_.size()); }

  // Outside of the root: no directory.
  [[nodiscard]] Directory innermost() const { return empty() ? Directory{} : open_.back(); }

  // The path of a name in the innermost directory; valid until the next call.
  [[nodiscard]] std::string_view path_of(std::string_view name) {
    path_.resize(innermost().path_length);
    if (!path_.empty() && path_.back() != '/') path_ += '/';
    return path_ += name;
  }

  // The same without the path of the root. Requires an open directory.
  [[nodiscard]] std::string_view path_below_root(std::string_view name) {
    const std::string_view path = path_of(name);
    const std::size_t root = open_.front().path_length;
    return path.substr(path[root - 1] == '/' ? root : root + 1);
  }

 private:
  std::vector<Directory> open_;
  std::string path_;  // that of the innermost directory, and perhaps of a name in it
};

}  // namespace fathom::fs
