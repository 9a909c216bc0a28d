// Unread: finds the directory of each error by the names along its path.

#include "format/ncdu_unread.h"

#include "fathom/base/path.h"

namespace fathom::fs {

namespace {

// Finds the directories that may have errors. Indexes only the directories on the way: their number
// is limited, whereas all paths can take memory that grows with the square of the depth.
class IncompleteDirectories {
 public:
  IncompleteDirectories(const Tree& tree, const Children& children, DirId root)
      : tree_(tree), children_(children), root_(root) {}

  [[nodiscard]] DirId at(std::string_view path) {
    const std::string_view root = name(root_);
    if (!path.starts_with(root)) return kNoDir;
    path.remove_prefix(root.size());
    if (!path.empty() && !root.ends_with('/') && path.front() != '/') return kNoDir;
    DirId at = root_;
    for (const std::string_view name : base::names_along(path)) {
      at = in(at, name);
      if (at == kNoDir) return kNoDir;
    }
    return (tree_.flags(tree_.node(at)) & kIncomplete) != 0 ? at : kNoDir;
  }

 private:
  using ByName = std::unordered_map<std::string_view, DirId>;

  [[nodiscard]] std::string_view name(DirId directory) const {
    return tree_.name(tree_.node(directory));
  }

  [[nodiscard]] DirId in(DirId directory, std::string_view name) {
    const auto [inside, is_new] = in_.try_emplace(directory);
    ByName& by_name = inside->second;
    if (is_new) {
      for (const DirId child : children_.directories(directory)) {
        by_name.emplace(this->name(child), child);
      }
    }
    const auto found = by_name.find(name);
    return found == by_name.end() ? kNoDir : found->second;
  }

  const Tree& tree_;
  const Children& children_;
  const DirId root_;
  std::unordered_map<DirId, ByName> in_;
};

}  // namespace

Unread::Unread(const Scan& scan, const Children& children, DirId root) {
  IncompleteDirectories directories(scan.tree, children, root);
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
