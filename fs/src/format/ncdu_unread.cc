// Unread: finds the directory of each error by its path.

#include "format/ncdu_unread.h"

#include <string>

namespace fathom::fs {

namespace {

// The directories that may have errors, by path.
class IncompleteDirectories {
 public:
  explicit IncompleteDirectories(const Tree& tree) {
    tree.for_each_directory([&](DirId id) {
      const NodeId node = tree.node(id);
      if ((tree.flags(node) & kIncomplete) != 0) by_path_.emplace(tree.path(node), id);
    });
  }

  [[nodiscard]] DirId at(std::string_view path) const {
    const auto found = by_path_.find(std::string(path));
    return found == by_path_.end() ? kNoDir : found->second;
  }

 private:
  std::unordered_map<std::string, DirId> by_path_;
};

}  // namespace

Unread::Unread(const Scan& scan) {
  if (scan.errors.empty()) return;
  const IncompleteDirectories directories(scan.tree);
  for (const ScanError& error : scan.errors) {
    const std::string_view path = error.path;
    if (const DirId self = directories.at(path); self != kNoDir) {
      of_.emplace(self, &error);
      parents_.insert(scan.tree.parent_of(self));
      continue;
    }
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) continue;
    DirId parent = directories.at(path.substr(0, slash));
    // The root may be "/" or end with a slash.
    if (parent == kNoDir) parent = directories.at(path.substr(0, slash + 1));
    if (parent == kNoDir) continue;
    auto& errors = in_[parent];
    // Errors are sorted by path; one per name is enough.
    if (errors.empty() || name(*errors.back()) != name(error)) errors.push_back(&error);
  }
}

const ScanError* Unread::of(DirId directory) const {
  const auto found = of_.find(directory);
  return found == of_.end() ? nullptr : found->second;
}

std::span<const ScanError* const> Unread::in(DirId directory) const {
  const auto found = in_.find(directory);
  if (found == in_.end()) return {};
  return found->second;
}

bool Unread::explains(DirId directory) const {
  return of_.contains(directory) || in_.contains(directory) || parents_.contains(directory);
}

std::string_view Unread::name(const ScanError& error) {
  const std::string_view path = error.path;
  return path.substr(path.rfind('/') + 1);
}

}  // namespace fathom::fs
