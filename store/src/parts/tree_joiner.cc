// TreeJoiner: directories that several parts have are found by their paths; everything else is in
// one part.

#include "parts/tree_joiner.h"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "parquet/damage.h"

namespace fathom::store {

TreeJoiner::TreeJoiner(std::vector<std::string> roots, rt::Executor& executor)
    : roots_(std::move(roots)),
      executor_(executor),
      root_nodes_(roots_.size(), fs::kNoNode),
      appender_(std::in_place, builder_) {
  for (const std::string& root : roots_) shared_.emplace(root, Directory());
}

void TreeJoiner::share_directories_above(const std::string& path) {
  std::string above = path;
  if (above.ends_with('/')) above.pop_back();
  for (;;) {
    const std::size_t slash = above.rfind('/');
    if (slash == std::string::npos || slash == 0) return;
    above.resize(slash);
    if (!shared_.emplace(above, Directory()).second) return;  // and so are those above it
  }
}

void TreeJoiner::add(const Snapshot::Files& files) {
  host_ = files.meta.host;
  above_.clear();
  path_.clear();
  load_entries(files, Filesystems::read, executor_,
               [this](const LoadedEntry& loaded) { add_entry(loaded); });
  std::vector<fs::ScanError> errors = load_errors(files);
  std::move(errors.begin(), errors.end(), std::back_inserter(errors_));
  changed_ += files.meta.changed;
}

// The directory of this path if several parts may have it.
TreeJoiner::Directory* TreeJoiner::find_shared(const LoadedEntry& loaded) {
  const bool in_shared = loaded.depth == 0 || above_[loaded.depth - 1].shared;
  if (!in_shared) return nullptr;
  path_.resize(loaded.depth == 0 ? 0 : above_[loaded.depth - 1].path);
  if (!path_.empty() && !path_.ends_with('/')) path_ += '/';
  path_ += loaded.name;
  const auto found = shared_.find(path_);
  return found == shared_.end() ? nullptr : &found->second;
}

void TreeJoiner::add_entry(const LoadedEntry& loaded) {
  Directory* const shared = find_shared(loaded);
  fs::Entry entry = loaded.entry;
  if (entry.kind() == fs::Kind::directory) return add_directory(loaded, entry, shared);
  // A directory of an earlier part that was replaced since.
  if (shared != nullptr && shared->id != fs::kNoDir) return;
  entry.device = device_of(loaded);
  const fs::DirId in = loaded.depth == 0 ? fs::kNoDir : above_[loaded.depth - 1].directory.id;
  const fs::NodeId node = appender_->add(in, loaded.name, entry);
  if (loaded.depth == 0) add_root(loaded.name, node);
}

void TreeJoiner::add_directory(const LoadedEntry& loaded, fs::Entry entry, Directory* shared) {
  above_.resize(loaded.depth);
  if (shared != nullptr && shared->id != fs::kNoDir) {
    for (const fs::NodeFlag flag : {fs::kIncomplete, fs::kHasOmittedChildren}) {
      if ((loaded.flags & flag) != 0) appender_->mark(shared->id, flag);
    }
    devices_.emplace(std::pair(host_, entry.device), shared->device);
    above_.push_back({.directory = *shared, .shared = true, .path = path_.size()});
    return;
  }
  entry.device = device_of(loaded);
  const fs::DirId in = loaded.depth == 0 ? fs::kNoDir : above_[loaded.depth - 1].directory.id;
  const auto added = appender_->add_directory(in, loaded.depth, loaded.name, entry, loaded.flags);
  if (loaded.depth == 0) add_root(loaded.name, added.node);
  const Directory directory{.id = added.id, .device = entry.device};
  if (shared != nullptr) *shared = directory;
  above_.push_back({.directory = directory, .shared = shared != nullptr, .path = path_.size()});
}

void TreeJoiner::add_root(std::string_view path, fs::NodeId node) {
  const auto root = std::find(roots_.begin(), roots_.end(), path);
  if (root == roots_.end()) damaged("meta.json does not have one of its roots");
  root_nodes_[static_cast<std::size_t>(root - roots_.begin())] = node;
}

// ---- Devices

std::uint64_t TreeJoiner::device_of(const LoadedEntry& loaded) {
  const std::pair seen(host_, loaded.entry.device);
  if (const auto found = devices_.find(seen); found != devices_.end()) return found->second;
  const std::uint64_t device = choose_device(loaded);
  devices_.emplace(seen, device);
  if (!loaded.filesystem.empty()) filesystems_.emplace(device, loaded.filesystem);
  return device;
}

// That of the same filesystem on another host, or the number that this host uses, or a free one.
std::uint64_t TreeJoiner::choose_device(const LoadedEntry& loaded) const {
  for (const auto& [device, filesystem] : filesystems_) {
    if (filesystem == loaded.filesystem) return device;
  }
  std::uint64_t device = loaded.entry.device;
  const auto taken = [&] {
    return std::any_of(devices_.begin(), devices_.end(),
                       [&](const auto& known) { return known.second == device; });
  };
  while (taken()) ++device;
  return device;
}

// ---- The end

void TreeJoiner::add_unread(const std::string& path) {
  std::string entry = path;
  if (entry.ends_with('/')) entry.pop_back();
  const std::size_t slash = entry.rfind('/');
  auto in = shared_.find(entry.substr(0, slash));
  if (in == shared_.end()) in = shared_.find(entry.substr(0, slash + 1));  // a root
  if (in != shared_.end() && in->second.id != fs::kNoDir) {
    appender_->mark_incomplete(in->second.id);
  }
  errors_.push_back({.path = std::move(entry), .operation = "open", .code = ECANCELED});
}

fs::Scan TreeJoiner::finish() {
  appender_.reset();
  fs::Scan scan;
  scan.roots = roots_;
  scan.tree = builder_.finish(std::move(root_nodes_));
  scan.errors = std::move(errors_);
  fs::order_errors(scan.errors);
  scan.changed = changed_;
  return scan;
}

}  // namespace fathom::store
