// gather_filesystem_facts: combines statvfs, the mount table and deleted files.

#include "fathom/fs/filesystem_facts.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "fathom/base/path.h"
#include "fathom/base/retry.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/mounts.h"
#include "os/deleted_files.h"
#include "os/os.h"

namespace fathom::fs {

namespace {

// One root as the system sees it.
struct ResolvedRoot {
  Entry entry;
  std::string path;              // absolute, without links; empty if unknown
  const Mount* mount = nullptr;  // null if unknown

  [[nodiscard]] std::uint64_t device() const {
    return mount == nullptr ? entry.device : mount->device;
  }
  [[nodiscard]] bool is_whole() const {
    return mount != nullptr && mount->point == path && mount->top == "/";
  }
};

std::optional<ResolvedRoot> resolve_root(const std::string& root,
                                         const std::vector<Mount>& mounts) {
  ResolvedRoot resolved;
  if (os::stat_at(os::kCurrentDirectory, root.c_str(), resolved.entry) != 0) return std::nullopt;
  if (resolved.entry.kind() == Kind::symlink)
    return std::nullopt;  // it may lead to another filesystem
  resolved.path = base::real_path(root).value_or("");
  if (!resolved.path.empty()) resolved.mount = mount_of(mounts, resolved.path);
  return resolved;
}

bool add_figures(const std::string& root, FilesystemFacts& facts) {
  struct statvfs buffer = {};
  if (base::retry([&] { return ::statvfs(root.c_str(), &buffer); }) != 0) return false;
  const std::uint64_t unit = buffer.f_frsize;
  facts.size = base::saturating_mul(buffer.f_blocks, unit);
  facts.free = base::saturating_mul(buffer.f_bfree, unit);
  facts.available = base::saturating_mul(buffer.f_bavail, unit);
  facts.inodes = buffer.f_files;
  facts.free_inodes = buffer.f_ffree;
  return true;
}

void add_mounts(const ResolvedRoot& resolved, const std::vector<Mount>& mounts,
                FilesystemFacts& facts) {
  for (const Mount& mount : mounts) {
    if (mount.device != resolved.device() && mount.device != resolved.entry.device) {
      facts.other_devices.push_back(mount.device);
    }
    if (resolved.mount != nullptr && mount.parent == resolved.mount->id &&
        mount.id != mount.parent) {
      facts.hidden_by_mounts.push_back(mount.point);
    }
  }
  const auto tidy = [](auto& items) {
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
  };
  tidy(facts.other_devices);
  tidy(facts.hidden_by_mounts);
}

void add_deleted(const ResolvedRoot& resolved, const DeletedFiles& deleted,
                 FilesystemFacts& facts) {
  facts.unseen_processes = deleted.unseen_processes;
  const auto found = deleted.by_device.find(resolved.entry.device);
  if (found != deleted.by_device.end()) facts.deleted = found->second;
}

}  // namespace

UsedBytes used_bytes(const std::vector<std::string>& roots) {
  UsedBytes used;
  for (const std::string& root : roots) {
    FilesystemFacts facts;
    used.emplace_back();
    if (add_figures(root, facts)) used.back() = facts.size - std::min(facts.size, facts.free);
  }
  return used;
}

namespace {

std::vector<FilesystemFacts> gather(const std::vector<std::string>& roots, const UsedBytes& before,
                                    const DeletedFiles& deleted) {
  const std::vector<Mount> mounts = own_mounts();
  std::vector<FilesystemFacts> found;
  std::vector<std::uint64_t> devices;  // the device of each element of the result
  for (std::size_t root = 0; root < roots.size(); ++root) {
    const auto resolved = resolve_root(roots[root], mounts);
    if (!resolved) continue;
    const auto known = std::find(devices.begin(), devices.end(), resolved->device());
    if (known != devices.end()) {
      FilesystemFacts& facts = found[static_cast<std::size_t>(known - devices.begin())];
      facts.roots.push_back(root);
      facts.whole = facts.whole || resolved->is_whole();
      continue;
    }
    FilesystemFacts facts;
    if (!add_figures(roots[root], facts)) continue;
    facts.roots.push_back(root);
    if (root < before.size()) facts.used_before = before[root];
    facts.whole = resolved->is_whole();
    facts.device = resolved->entry.device;
    if (resolved->mount != nullptr) {
      facts.mount_point = resolved->mount->point;
      facts.type = resolved->mount->type;
    }
    add_mounts(*resolved, mounts, facts);
    add_deleted(*resolved, deleted, facts);
    devices.push_back(resolved->device());
    found.push_back(std::move(facts));
  }
  return found;
}

}  // namespace

std::vector<FilesystemFacts> gather_filesystem_facts(const std::vector<std::string>& roots,
                                                     const UsedBytes& before) {
  return gather(roots, before, find_deleted_files());
}

std::vector<FilesystemFacts> gather_filesystem_figures(const std::vector<std::string>& roots) {
  return gather(roots, {}, {});
}

}  // namespace fathom::fs
