// PartCursor: a stack of the directories above the entry.

#include "parts/part_cursor.h"

#include <algorithm>
#include <optional>

#include "fathom/base/error.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

namespace {

// The path of an entry that was left, without the slash of a directory.
std::string_view without_slash(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  return path;
}

bool is_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\0", 2)) == std::string_view::npos;
}

void append(std::string& path, std::string_view name) {
  if (!path.empty() && !path.ends_with('/')) path += '/';
  path += name;
}

}  // namespace

// ---- Shared directories

void SharedDirectories::add_above(const std::string& path) {
  std::string above(without_slash(path));
  for (;;) {
    const std::size_t slash = above.rfind('/');
    if (slash == std::string::npos || slash == 0) return;
    above.resize(slash);
    if (!by_path_.try_emplace(above).second) return;  // and so are those above it
  }
}

SharedDirectory* SharedDirectories::find(const std::string& path) {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &found->second;
}

SharedDirectory* SharedDirectories::find_above(const std::string& path) {
  const std::string_view entry = without_slash(path);
  const std::size_t slash = entry.rfind('/');
  if (slash == std::string_view::npos) return nullptr;
  // The path of a root may end with a slash.
  SharedDirectory* const root = find(std::string(entry.substr(0, slash + 1)));
  return root != nullptr ? root : find(std::string(entry.substr(0, slash)));
}

void SharedDirectories::for_each_deepest_first(
    const std::function<void(SharedDirectory&)>& function) {
  std::vector<std::pair<const std::string*, SharedDirectory*>> all;
  for (auto& [path, directory] : by_path_) all.emplace_back(&path, &directory);
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.first->size() > b.first->size(); });
  for (const auto& [path, directory] : all) function(*directory);
}

// ---- Devices

std::uint64_t JoinedDevices::index_of(const std::string& host, const LoadedEntry& entry) {
  const auto [found, is_new] =
      indexes_.try_emplace(std::pair(host, entry.entry.device), devices_.size());
  if (!is_new) return found->second;
  if (!numbers_.empty()) throw base::Error("the parts of the scan have changed");
  if (!entry.filesystem.empty()) {
    const auto same = std::find_if(devices_.begin(), devices_.end(), [&](const Device& device) {
      return device.filesystem == entry.filesystem;
    });
    found->second = static_cast<std::uint64_t>(same - devices_.begin());
  }
  if (found->second == devices_.size()) {
    devices_.push_back({.filesystem = std::string(entry.filesystem)});
  }
  return found->second;
}

void JoinedDevices::add_directory(const LoadedEntry& directory, const std::string& path) {
  Device& device = devices_[directory.entry.device];
  if (directory.depth > device.depth) return;
  if (directory.depth == device.depth && device.path <= path) return;
  device.depth = directory.depth;
  device.path = path;
  device.identity = directory.filesystem;
}

void JoinedDevices::set(const std::string& host, std::uint64_t device, std::uint64_t index) {
  indexes_.try_emplace(std::pair(host, device), index);
}

void JoinedDevices::choose_numbers(const std::string& preferred_host) {
  std::vector<std::optional<std::uint64_t>> numbers(devices_.size());
  for (const auto& [seen, index] : indexes_) {
    if (seen.first == preferred_host && !numbers[index]) numbers[index] = seen.second;
  }
  for (const auto& [seen, index] : indexes_) {
    if (numbers[index]) continue;
    std::uint64_t number = seen.second;
    while (std::find(numbers.begin(), numbers.end(), number) != numbers.end()) ++number;
    numbers[index] = number;
  }
  numbers_.clear();
  for (const auto& number : numbers) numbers_.push_back(number.value());
}

FilesystemIds JoinedDevices::filesystems() const {
  FilesystemIds filesystems;
  for (std::size_t index = 0; index < numbers_.size(); ++index) {
    const std::string& identity = devices_[index].identity;
    if (!identity.empty()) filesystems.emplace(numbers_[index], identity);
  }
  return filesystems;
}

// ---- The cursor

PartCursor::PartCursor(std::function<Snapshot()> open, SharedDirectories& shared,
                       JoinedDevices& devices, rt::Executor& executor)
    : open_(std::move(open)), all_(shared), devices_(devices), executor_(executor) {
  next();
}

void PartCursor::open() {
  part_ = std::make_unique<Snapshot>(open_());
  host_ = part_->meta().host;
  rows_ = std::make_unique<EntryReader>(part_->files(), Filesystems::read, executor_,
                                        std::move(place_));
}

void PartCursor::close() {
  if (!is_open()) return;
  place_ = rows_->place();
  name_ = joined_.name;
  joined_.name = name_;
  joined_.filesystem = {};
  rows_.reset();
  part_.reset();
}

SharedDirectory* PartCursor::in() const {
  return entry_->depth == 0 ? nullptr : above_[entry_->depth - 1].shared;
}

std::string_view PartCursor::folder() const {
  return std::string_view(path_).substr(0, entry_->depth == 0 ? 0 : above_[entry_->depth - 1].path);
}

std::string PartCursor::path() const {
  std::string path(folder());
  append(path, entry_->name);
  return path;
}

void PartCursor::next() {
  if (entry_ != nullptr && entry_->entry.kind() == fs::Kind::directory) {
    path_.resize(folder().size());
    append(path_, entry_->name);
    SharedDirectory* const innermost = shared_ != nullptr ? shared_ : in();
    above_.resize(entry_->depth);
    above_.push_back({.shared = innermost, .is_shared = shared_ != nullptr, .path = path_.size()});
  }
  if (!is_open()) open();
  while (!read()) {
  }
}

// Reads the next row; false if it has to be skipped.
bool PartCursor::read() {
  entry_ = nullptr;
  shared_ = nullptr;
  const LoadedEntry* const loaded = rows_->next();
  if (loaded == nullptr) return true;
  joined_ = *loaded;
  entry_ = &joined_;
  check_name();
  const bool may_be_shared = joined_.depth == 0 || above_[joined_.depth - 1].is_shared;
  SharedDirectory* const shared = may_be_shared ? all_.find(path()) : nullptr;
  if (joined_.entry.kind() == fs::Kind::directory) {
    shared_ = shared;
  } else if (shared != nullptr && (joined_.depth != 0 || shared->known)) {
    return false;
  }
  if (shared_ != nullptr && shared_->known) {
    devices_.set(host_, joined_.entry.device, shared_->entry.device);
  }
  joined_.entry.device = devices_.index_of(host_, joined_);
  return true;
}

// Otherwise the joined snapshot would not be in order either.
void PartCursor::check_name() {
  std::string& last = joined_.depth == 0 ? last_root_ : above_[joined_.depth - 1].last_name;
  if (!last.empty() && joined_.name <= last) {
    refuse("its entries are not in the order of their names");
  }
  if (joined_.depth == 0) {
    const std::vector<std::string>& roots = part_->meta().roots;
    if (std::find(roots.begin(), roots.end(), joined_.name) == roots.end()) {
      refuse("meta.json does not have one of its roots");
    }
  } else if (!is_name(joined_.name)) {
    refuse("an entry has a name that no entry can have");
  }
  last = joined_.name;
}

void PartCursor::refuse(const char* why) const {
  throw base::Error(part_->files().entries.label() + " is damaged: " + why);
}

}  // namespace fathom::store
