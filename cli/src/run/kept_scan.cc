// KeptScan: times, paths, filesystems and the names of owners.

#include "run/kept_scan.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/fd.h"
#include "fathom/fs/filesystem_facts.h"
#include "fathom/fs/filesystem_id.h"
#include "fathom/fs/owner_names.h"
#include "fathom/fs/scanned_filesystems.h"
#include "run/path.h"
#include "run/store_place.h"
#include "run/version.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

// The next entry usually has the same owner.
class Owners {
 public:
  void add(std::uint32_t id) {
    if (id == last_ || id == fs::kUnknownOwner) return;
    last_ = id;
    ids_.insert(id);
  }

  [[nodiscard]] std::map<std::uint32_t, std::string> names(
      const fs::OwnerNames::NameOf& name_of) const {
    std::map<std::uint32_t, std::string> names;
    for (const std::uint32_t id : ids_) {
      if (const auto name = name_of(id)) names.emplace(id, *name);
    }
    return names;
  }

 private:
  std::set<std::uint32_t> ids_;
  std::uint32_t last_ = fs::kUnknownOwner;
};

void add_owners(const fs::Tree& tree, store::SnapshotMeta& meta) {
  Owners users;
  Owners groups;
  tree.for_each_node([&](fs::NodeId node) {
    users.add(tree.uid(node));
    groups.add(tree.gid(node));
  });
  const fs::OwnerNames names = fs::system_owner_names();
  meta.users = users.names(names.user);
  meta.groups = groups.names(names.group);
}

// Of fs::FilesystemFacts or fs::ScannedFilesystem.
template <class Facts>
store::SnapshotFilesystem kept_filesystem(const Facts& facts,
                                          const store::SnapshotOptions& options) {
  const auto id = options.filesystem_ids.find(facts.device);
  return {.fs_uuid = id == options.filesystem_ids.end() ? "" : id->second,
          .type = facts.type,
          .mount_point = facts.mount_point,
          .size = facts.size,
          .free = facts.free,
          .available = facts.available,
          .inodes = facts.inodes,
          .free_inodes = facts.free_inodes};
}

// Opens each filesystem once, because on some that takes long.
void add_filesystems(const fs::Scan& scan, store::SnapshotOptions& options) {
  const std::vector<fs::ScannedFilesystem> scanned = fs::scanned_filesystems(scan.tree);
  for (const fs::ScannedFilesystem& one : scanned) {
    if (!one.id.empty()) options.filesystem_ids.emplace(one.device, one.id);
  }
  std::set<std::string> volumes = {""};  // one that is unknown could not be found again
  for (const fs::FilesystemFacts& facts : fs::gather_filesystem_figures(scan.roots)) {
    auto& filesystem = options.meta.filesystems.emplace_back(kept_filesystem(facts, options));
    filesystem.roots = facts.roots;
    volumes.emplace(fs::volume_of(filesystem.fs_uuid));
  }
  for (const fs::ScannedFilesystem& facts : scanned) {
    store::SnapshotFilesystem filesystem = kept_filesystem(facts, options);
    // Kernel filesystems have no size.
    if (filesystem.size == 0 || !volumes.emplace(fs::volume_of(filesystem.fs_uuid)).second)
      continue;
    options.meta.other_filesystems.push_back(std::move(filesystem));
  }
}

// Flushes the filesystem of a directory: what a scan saw of it stays then, also after a crash.
// False if it is not there any more.
bool make_durable(const fs::VolumeFacts& volume) {
  const base::Fd directory(::open(volume.path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat found = {};
  return directory && ::fstat(directory.get(), &found) == 0 && found.st_dev == volume.device &&
         ::syncfs(directory.get()) == 0;
}

// Where the changes begin that the scan may not have seen.
void add_transactions(const fs::Scan& scan, store::SnapshotOptions& options) {
  std::map<std::string, bool> durable;  // by filesystem
  for (const fs::VolumeFacts& volume : scan.volumes) {
    const auto id = options.filesystem_ids.find(volume.device);
    if (volume.state.transaction == 0 || id == options.filesystem_ids.end()) continue;
    const std::string filesystem(fs::volume_of(id->second));
    const auto [known, is_new] = durable.try_emplace(filesystem, false);
    if (is_new) known->second = make_durable(volume);
    if (!known->second) continue;
    // The lower one, if two mounts of it were looked at.
    auto& state = options.meta.transactions.try_emplace(id->second, volume.state).first->second;
    state.transaction = std::min(state.transaction, volume.state.transaction);
  }
}

}  // namespace

void order_paths(CommonRequest& request) {
  std::map<std::string, std::string> by_root;
  for (const std::string& path : request.paths) {
    const std::string root = path_of_root(path);
    if (!request.from && !root.starts_with('/')) {
      throw UsageError("cannot scan " + escaped(path) +
                       ": the current directory was removed; use an absolute path");
    }
    by_root.emplace(root, path);
  }
  request.paths.clear();
  for (const auto& [root, path] : by_root) request.paths.push_back(path);
}

store::SnapshotOptions facts_of_scan(const fs::Scan& scan, std::int64_t started_ns) {
  store::SnapshotOptions options;
  store::SnapshotMeta& meta = options.meta;
  meta.writer = "fathom " + std::string(kVersion);
  meta.host = host_name();
  meta.started_ns = started_ns;
  meta.ended_ns = base::wall_now_ns();
  for (const std::string& root : scan.roots) meta.roots.push_back(path_of_root(root));
  add_filesystems(scan, options);
  add_transactions(scan, options);
  add_owners(scan.tree, meta);
  return options;
}

store::SnapshotOptions snapshot_options(const SnapshotRequest& request, const TakenScan& taken,
                                        std::int64_t started_ns) {
  store::SnapshotOptions options;
  if (!request.from) options = facts_of_scan(taken.scan, started_ns);
  store::SnapshotMeta& meta = options.meta;
  meta.tag = request.tag;
  meta.writer = "fathom " + std::string(kVersion);
  meta.selection = request.selection;
  meta.rules = taken.rules;
  if (request.from) {
    meta.imported = true;
    meta.roots = taken.scan.roots;
    meta.started_ns = meta.ended_ns = base::to_nanoseconds(taken.now);
  }
  return options;
}

}  // namespace fathom::cli
