#include "findings.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "../os.h"
#include "file.h"

namespace fathom::fs {

void Findings::add_group(std::uint64_t size, std::span<const FileNumber> files,
                         std::vector<std::string> paths) {
  // By path, and by root where two are the same.
  std::vector<std::uint32_t> order(files.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (const int result = paths[a].compare(paths[b]); result != 0) return result < 0;
    return tree_.path_less(candidates_.files()[files[a]].node, candidates_.files()[files[b]].node);
  });
  DuplicateGroup group;
  group.size = size;
  group.files.reserve(files.size());
  for (const std::uint32_t i : order) group.files.push_back(make_file(size, files[i]));
  std::sort(paths.begin(), paths.end());
  tell_storages(group, paths);
  sum_up(group);

  const std::lock_guard lock(mutex_);
  if (found_) found_(group);
  result_.files += group.files.size();
  result_.wasted_bytes += group.wasted_bytes;
  first_paths_.push_back(std::move(paths.front()));
  result_.groups.push_back(std::move(group));
}

DuplicateFile Findings::make_file(std::uint64_t size, FileNumber number) const {
  const Candidate& candidate = candidates_.files()[number];
  DuplicateFile file;
  file.node = candidate.node;
  file.identity = {candidates_.device(candidate), candidate.inode, size, candidate.mtime_ns,
                   candidate.ctime_ns};
  file.links = candidates_.other_names(tree_, candidate.node);
  std::sort(file.links.begin(), file.links.end(),
            [&](NodeId a, NodeId b) { return tree_.path_less(a, b); });
  return file;
}

void Findings::sum_up(DuplicateGroup& group) const {
  std::vector<bool> counted(group.files.size());  // by storage
  std::uint64_t most = 0;
  for (const DuplicateFile& file : group.files) {
    if (counted[file.storage]) continue;
    counted[file.storage] = true;
    const std::uint64_t bytes = tree_.blocks(file.node) * kBlockBytes;
    group.wasted_bytes += bytes;
    most = std::max(most, bytes);
  }
  group.wasted_bytes -= most;
}

// Numbers the storages in the order of the files.
void Findings::tell_storages(DuplicateGroup& group, std::span<const std::string> paths) {
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < group.files.size(); ++i) {
    DuplicateFile& at = group.files[i];
    at.storage = next++;
    File file;
    if (!may_share_extents(at.identity.device, paths[i]) || file.open(paths[i]) < 0) continue;
    std::vector<std::uint64_t> extents = os::shared_extents(file.descriptor());
    if (extents.empty()) continue;
    extents.push_back(at.identity.device);
    const auto [same, is_new] = known.try_emplace(std::move(extents), at.storage);
    if (is_new) continue;
    at.storage = same->second;
    --next;
  }
}

bool Findings::may_share_extents(std::uint64_t device, const std::string& path) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = may_share_extents_.find(device); known != may_share_extents_.end()) {
      return known->second;
    }
  }
  File file;
  if (file.open(path) < 0) return false;
  const bool may = os::may_share_extents(file.descriptor());
  const std::lock_guard lock(mutex_);
  return may_share_extents_.try_emplace(device, may).first->second;
}

void Findings::add_error(FileNumber file, const std::string& path, const char* operation,
                         int code) {
  const std::lock_guard lock(mutex_);
  if (left_out_.insert(file).second) result_.errors.push_back({path, operation, code});
}

void Findings::add_changed(FileNumber file) {
  const std::lock_guard lock(mutex_);
  if (left_out_.insert(file).second) result_.changed.push_back(candidates_.files()[file].node);
}

Findings::Counts Findings::counts() {
  const std::lock_guard lock(mutex_);
  return {result_.groups.size(), result_.wasted_bytes};
}

Duplicates Findings::take() {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> order(result_.groups.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t wasted_a = result_.groups[a].wasted_bytes;
    const std::uint64_t wasted_b = result_.groups[b].wasted_bytes;
    if (wasted_a != wasted_b) return wasted_a > wasted_b;
    return first_paths_[a] < first_paths_[b];
  });
  std::vector<DuplicateGroup> groups;
  groups.reserve(order.size());
  for (const std::uint32_t i : order) groups.push_back(std::move(result_.groups[i]));
  result_.groups = std::move(groups);
  const auto by_path = [](const ScanError& a, const ScanError& b) {
    return std::pair(std::string_view(a.path), a.code) <
           std::pair(std::string_view(b.path), b.code);
  };
  std::sort(result_.errors.begin(), result_.errors.end(), by_path);
  std::sort(result_.changed.begin(), result_.changed.end(),
            [&](NodeId a, NodeId b) { return tree_.path_less(a, b); });
  return std::move(result_);
}

}  // namespace fathom::fs
