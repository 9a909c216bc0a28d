// Snapshot: resolving paths, and data that is computed on first use.

#include "api/snapshot.h"

#include <mutex>
#include <unordered_map>
#include <utility>

namespace fathom::web {

namespace {

std::vector<Place> roots_of(const fs::Tree& tree) {
  std::unordered_map<fs::NodeId, fs::DirId> directories;
  tree.for_each_directory([&](fs::DirId id) {
    if (tree.parent_of(id) == fs::kNoDir) directories.emplace(tree.node(id), id);
  });
  std::vector<Place> roots;
  for (const fs::NodeId node : tree.roots()) {
    if (node == fs::kNoNode) continue;
    const auto directory = directories.find(node);
    roots.push_back({node, directory == directories.end() ? fs::kNoDir : directory->second});
  }
  return roots;
}

}  // namespace

std::optional<Place> NameIndex::find(const fs::Tree& tree, const fs::Children& children,
                                     fs::DirId directory, std::string_view name) {
  const auto [known, is_new] = directories_.try_emplace(directory);
  Names& names = known->second;
  if (is_new) {
    for (const fs::DirId child : children.directories(directory)) {
      const fs::NodeId node = tree.node(child);
      names.try_emplace(tree.name(node), Place{node, child});
    }
    for (const fs::NodeId node : children.others(directory)) {
      names.try_emplace(tree.name(node), Place{node, fs::kNoDir});
    }
  }
  const auto found = names.find(name);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

struct Snapshot::Derived {
  std::once_flag children_made;
  std::optional<fs::Children> children;
  std::once_flag exclusive_made;
  std::optional<fs::Exclusive> exclusive;
  std::once_flag freed_made;
  std::optional<fs::Freed> freed;
  std::once_flag newest_made;
  std::optional<fs::Newest> newest;
  std::once_flag largest_files_made;
  std::optional<fs::LargestFiles> largest_files;
  std::once_flag stored_made;
  Stored stored;
};

Snapshot::Snapshot(fs::Scan scan, std::int64_t taken, std::uint64_t generation,
                   bool of_running_scan, std::shared_ptr<Owners> owners)
    : scan_(std::move(scan)),
      totals_(scan_.tree),
      taken_(taken),
      generation_(generation),
      of_running_scan_(of_running_scan),
      owners_(std::move(owners)),
      roots_(roots_of(scan_.tree)),
      derived_(std::make_unique<Derived>()) {}

Snapshot::~Snapshot() = default;

const fs::Children& Snapshot::children() const {
  std::call_once(derived_->children_made, [this] { derived_->children.emplace(tree()); });
  return *derived_->children;
}

const fs::Exclusive& Snapshot::exclusive() const {
  std::call_once(derived_->exclusive_made, [this] { derived_->exclusive.emplace(tree()); });
  return *derived_->exclusive;
}

const fs::Freed& Snapshot::freed() const {
  std::call_once(derived_->freed_made,
                 [this] { derived_->freed.emplace(tree(), totals_, exclusive()); });
  return *derived_->freed;
}

const fs::Newest& Snapshot::newest() const {
  std::call_once(derived_->newest_made,
                 [this] { derived_->newest.emplace(tree(), fs::latest_usable(taken_)); });
  return *derived_->newest;
}

const fs::LargestFiles& Snapshot::largest_files() const {
  std::call_once(derived_->largest_files_made, [this] { derived_->largest_files.emplace(tree()); });
  return *derived_->largest_files;
}

Snapshot::Stored Snapshot::as_stored(const std::function<store::Snapshot()>& make) const {
  std::call_once(derived_->stored_made,
                 [&] { derived_->stored = std::make_shared<const store::Snapshot>(make()); });
  return derived_->stored;
}

std::optional<Place> Snapshot::find(std::string_view path, NameIndex* names) const {
  if (const std::optional<Place> found = find_as_written(path, names)) return found;
  // Users and shells append a slash to directories.
  if (path.size() < 2 || !path.ends_with('/')) return std::nullopt;
  const std::optional<Place> found = find_as_written(path.substr(0, path.size() - 1), names);
  return found && found->is_directory() ? found : std::nullopt;
}

std::optional<Place> Snapshot::find_as_written(std::string_view path, NameIndex* names) const {
  if (path.empty()) {
    const bool only = tree().roots().size() == 1 && roots_.size() == 1;
    return only ? roots_.front() : Place{};
  }
  std::optional<Place> first;
  for (const Place root : roots_) {
    const std::optional<Place> found = find_below(root, path, names);
    if (!found) continue;
    if ((tree().flags(found->node) & fs::kRepeated) == 0) return found;
    if (!first) first = found;
  }
  return first;
}

// The inverse of Tree::path(): after a root that ends with a slash there is no other slash.
std::optional<Place> Snapshot::find_below(Place root, std::string_view path,
                                          NameIndex* names) const {
  const std::string_view name = tree().name(root.node);
  if (!path.starts_with(name)) return std::nullopt;
  path.remove_prefix(name.size());
  if (path.empty()) return root;
  if (!name.ends_with('/')) {
    if (!path.starts_with('/')) return std::nullopt;
    path.remove_prefix(1);
  }
  Place at = root;
  for (bool more = true; more;) {
    if (at.directory == fs::kNoDir) return std::nullopt;
    const std::string_view next = path.substr(0, path.find('/'));
    more = next.size() < path.size();
    path.remove_prefix(next.size() + (more ? 1 : 0));
    const std::optional<Place> found = find_in(at.directory, next, names);
    if (!found) return std::nullopt;
    at = *found;
  }
  return at;
}

std::optional<Place> Snapshot::find_in(fs::DirId directory, std::string_view name,
                                       NameIndex* names) const {
  if (names != nullptr) return names->find(tree(), children(), directory, name);
  for (const fs::DirId child : children().directories(directory)) {
    if (const fs::NodeId node = tree().node(child); tree().name(node) == name) {
      return Place{node, child};
    }
  }
  for (const fs::NodeId node : children().others(directory)) {
    if (tree().name(node) == name) return Place{node, fs::kNoDir};
  }
  return std::nullopt;
}

std::string Snapshot::path(Place place) const {
  return place.above_roots() ? std::string() : tree().path(place.node);
}

}  // namespace fathom::web
