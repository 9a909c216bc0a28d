// Survey: the rules of fs/src/tree/link_resolution.h, without a tree.

#include "parts/survey.h"

#include <algorithm>
#include <cstddef>

#include "fathom/base/path.h"

namespace fathom::store {

namespace {

bool is_directory(const LoadedEntry& entry) {
  return entry.entry.kind() == fs::Kind::directory;
}

}  // namespace

Survey::Survey(std::size_t parts, const OpenPart& open, SharedDirectories& shared,
               JoinedDevices& devices)
    : parts_(parts), open_(open), shared_(shared), devices_(devices) {
  count();
  if (!plain_roots_.empty()) find_repeated_roots();
  if (twice_.empty()) return;
  find_repeated();
  // Entries of repeated directories own nothing.
  owners_.clear();
  for_each_new_entry([this](const PartCursor& cursor) { add_owner(cursor); });
}

bool Survey::has_links(const LoadedEntry& entry) {
  return entry.entry.links > 1 && !is_directory(entry);
}

bool Survey::is_extra_link(const LoadedEntry& entry, const std::string& path) const {
  if (!has_links(entry)) return false;
  const auto owner = owners_.find(identity_of(entry));
  return owner != owners_.end() && owner->second != path;
}

// Calls function(cursor) for each entry, once for shared directories.
template <class Function>
void Survey::for_each_new_entry(const Function& function) {
  std::unordered_set<const SharedDirectory*> seen;
  for (std::size_t part = 0; part < parts_; ++part) {
    const std::unique_ptr<PartCursor> opened = open_(part);
    for (PartCursor& cursor = *opened; cursor.entry() != nullptr; cursor.next()) {
      if (cursor.shared() != nullptr && !seen.insert(cursor.shared()).second) continue;
      function(cursor);
    }
  }
}

// Counts, and completes the shared directories.
void Survey::count() {
  Identities directories;
  first_paths_.resize(parts_);
  for (std::size_t part = 0; part < parts_; ++part) {
    const std::unique_ptr<PartCursor> opened = open_(part);
    for (PartCursor& cursor = *opened; cursor.entry() != nullptr; cursor.next()) {
      SharedDirectory* const shared = cursor.shared();
      if (shared != nullptr) {
        shared->flags |= cursor.entry()->flags;
        if (shared->known) continue;
        shared->known = true;
        shared->entry = cursor.entry()->entry;
        shared->in = cursor.in();
      }
      ++entries_;
      if (cursor.in() != nullptr) ++cursor.in()->below;
      if (first_paths_[part].empty()) first_paths_[part] = cursor.path();
      add_owner(cursor);
      const LoadedEntry& entry = *cursor.entry();
      const Identity identity = identity_of(entry);
      if (is_directory(entry)) {
        if (!directories.insert(identity).second) twice_.insert(identity);
        devices_.add_directory(entry, cursor.path());
      } else if (entry.depth == 0 && !has_links(entry)) {
        plain_roots_[identity].push_back(cursor.path());
      }
    }
  }
  shared_.for_each_deepest_first([](SharedDirectory& directory) {
    if (directory.in != nullptr) directory.in->below += directory.below;
  });
}

void Survey::find_repeated() {
  std::unordered_map<Identity, std::vector<std::string>, IdentityHash> copies;
  for_each_new_entry([&](const PartCursor& cursor) {
    const Identity identity = identity_of(*cursor.entry());
    if (!is_directory(*cursor.entry()) || !twice_.contains(identity)) return;
    copies[identity].push_back(cursor.path());
  });
  for (auto& [identity, paths] : copies) {
    const auto owner = std::min_element(paths.begin(), paths.end(), base::is_shallower);
    for (auto path = paths.begin(); path != paths.end(); ++path) {
      if (path != owner) repeated_.insert(std::move(*path));
    }
  }
}

// A root that is not a directory is repeated if a directory has it, too, or a root before it. If
// the inode has several names, it is one of these instead.
void Survey::find_repeated_roots() {
  Identities reached;
  for_each_new_entry([&](const PartCursor& cursor) {
    const LoadedEntry& entry = *cursor.entry();
    if (entry.depth == 0 || is_directory(entry)) return;
    if (plain_roots_.contains(identity_of(entry))) reached.insert(identity_of(entry));
  });
  for (const auto& [identity, paths] : plain_roots_) {
    const std::size_t owner = reached.contains(identity) ? 0 : 1;
    repeated_.insert(paths.begin() + static_cast<std::ptrdiff_t>(owner), paths.end());
  }
}

// The smallest path owns an inode with several names.
void Survey::add_owner(const PartCursor& cursor) {
  const LoadedEntry& entry = *cursor.entry();
  if (!has_links(entry) || is_repeated(std::string(cursor.folder()))) return;
  std::string path = cursor.path();
  const auto [owner, is_new] = owners_.try_emplace(identity_of(entry), path);
  if (!is_new && path < owner->second) owner->second = std::move(path);
}

}  // namespace fathom::store
