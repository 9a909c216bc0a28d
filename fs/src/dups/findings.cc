// Findings: collects results under a mutex, and sorts them at the end.

#include "dups/findings.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fathom/base/saturating.h"
#include "os/input_file.h"
#include "os/os.h"

namespace fathom::fs {

void Findings::add_group(std::uint64_t size, std::span<const FileNumber> files) {
  const std::vector<FileNumber> equal = with_known(files);
  if (equal.size() < 2) return;
  DuplicateGroup group;
  group.size = size;
  group.files.reserve(equal.size());
  for (const FileNumber file : equal) group.files.push_back(make_file(size, file));
  std::sort(
      group.files.begin(), group.files.end(),
      [&](const DuplicateFile& a, const DuplicateFile& b) { return paths_.less(a.node, b.node); });
  number_storages(group);
  sum_up(group);

  const std::lock_guard lock(mutex_);
  if (found_) found_(group);
  result_.files += group.files.size();
  result_.wasted_bytes = base::saturating_add(result_.wasted_bytes, group.wasted_bytes);
  result_.groups.push_back(std::move(group));
}

// Without those that turned out to have changed, or to be unreadable, while another file was read
// in their place.
std::vector<Findings::FileNumber> Findings::with_known(std::span<const FileNumber> files) {
  if (recollection_ == nullptr) return {files.begin(), files.end()};
  std::vector<FileNumber> all;
  const std::lock_guard lock(mutex_);
  for (const FileNumber& file : files) {
    for (const FileNumber same : recollection_->same_as(file)) {
      if (!dropped_.contains(same)) all.push_back(same);
    }
  }
  recollection_->note_equal(all);
  return all;
}

void Findings::add_known_groups() {
  if (recollection_ == nullptr) return;
  for (const FileNumber& first : recollection_->repeated_contents()) {
    const auto same = recollection_->same_as(first);
    const bool is_added = [&] {
      const std::lock_guard lock(mutex_);
      return std::any_of(same.begin(), same.end(),
                         [this](FileNumber file) { return recollection_->is_noted_equal(file); });
    }();
    if (!is_added) add_group(tree_.size(candidates_.files()[first].node), {&first, 1});
  }
}

ComparedFiles Findings::learned() {
  if (recollection_ == nullptr) return {};
  const std::lock_guard lock(mutex_);
  return recollection_->learned([this](FileNumber file) { return dropped_.contains(file); });
}

DuplicateFile Findings::make_file(std::uint64_t size, FileNumber number) const {
  const Candidate& candidate = candidates_.files()[number];
  DuplicateFile file;
  file.node = candidate.node;
  file.identity = {candidates_.device(candidate), candidate.inode, size, candidate.mtime_ns,
                   candidate.ctime_ns};
  file.links = candidates_.other_names(tree_, candidate.node);
  if (names_ != nullptr) {
    std::erase_if(file.links, [this](NodeId link) { return !names_->is_same(link); });
  }
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
    const std::uint64_t bytes = base::saturating_mul(tree_.blocks(file.node), kBlockBytes);
    group.wasted_bytes = base::saturating_add(group.wasted_bytes, std::min(bytes, most));
    most = std::max(most, bytes);
  }
}

// Numbers the storages in the order of the files.
void Findings::number_storages(DuplicateGroup& group) {
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  std::uint32_t next = 0;
  for (DuplicateFile& at : group.files) {
    at.storage = next++;
    File file;
    if (!may_share_extents(at) || file.open(paths_.of(at.node)) < 0) continue;
    std::vector<std::uint64_t> extents = os::shared_extents(file.descriptor());
    if (extents.empty()) continue;
    extents.push_back(at.identity.device);
    const auto [same, is_new] = known.try_emplace(std::move(extents), at.storage);
    if (is_new) continue;
    at.storage = same->second;
    --next;
  }
}

// Queried once per filesystem.
bool Findings::may_share_extents(const DuplicateFile& at) {
  const std::uint64_t device = at.identity.device;
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = may_share_extents_.find(device); known != may_share_extents_.end()) {
      return known->second;
    }
  }
  File file;
  if (file.open(paths_.of(at.node)) < 0) return false;
  const bool may = os::may_share_extents(file.descriptor());
  const std::lock_guard lock(mutex_);
  return may_share_extents_.try_emplace(device, may).first->second;
}

void Findings::add_error(FileNumber file, const std::string& path, const char* operation,
                         int code) {
  const std::lock_guard lock(mutex_);
  if (dropped_.insert(file).second) result_.errors.push_back({path, operation, code});
}

void Findings::add_changed(FileNumber file) {
  const std::lock_guard lock(mutex_);
  if (dropped_.insert(file).second) result_.changed.push_back(candidates_.files()[file].node);
}

Findings::Counts Findings::counts() {
  const std::lock_guard lock(mutex_);
  return {result_.groups.size(), result_.wasted_bytes};
}

Duplicates Findings::take() {
  const std::lock_guard lock(mutex_);
  std::sort(result_.groups.begin(), result_.groups.end(),
            [&](const DuplicateGroup& a, const DuplicateGroup& b) {
              if (a.wasted_bytes != b.wasted_bytes) return a.wasted_bytes > b.wasted_bytes;
              return paths_.less(a.files.front().node, b.files.front().node);
            });
  const auto by_path = [](const ScanError& a, const ScanError& b) {
    return std::pair(std::string_view(a.path), a.code) <
           std::pair(std::string_view(b.path), b.code);
  };
  std::sort(result_.errors.begin(), result_.errors.end(), by_path);
  std::sort(result_.changed.begin(), result_.changed.end(),
            [&](NodeId a, NodeId b) { return paths_.less(a, b); });
  return std::move(result_);
}

}  // namespace fathom::fs
