// ComparedFiles: sorted, so that a million of them need no index.

#include "fathom/fs/compared_files.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace fathom::fs {

namespace {

std::pair<std::uint16_t, std::uint64_t> key(const ComparedFile& file) {
  return {file.filesystem, file.inode};
}

bool by_key(const ComparedFile& a, const ComparedFile& b) {
  return key(a) < key(b);
}

bool is_same_but_for_day(ComparedFile a, const ComparedFile& b) {
  a.day = b.day;
  return a == b;
}

std::uint32_t last_search(const std::vector<ComparedFile>& files) {
  std::uint32_t last = 0;
  for (const ComparedFile& file : files) last = std::max(last, file.search);
  return last;
}

// The index of each learned filesystem among those that are known, to which it is added.
std::vector<std::uint16_t> places_of(const std::vector<std::string>& learned,
                                     std::vector<std::string>& known) {
  std::vector<std::uint16_t> places;
  for (const std::string& id : learned) {
    const auto at = std::find(known.begin(), known.end(), id);
    places.push_back(static_cast<std::uint16_t>(at - known.begin()));
    if (at == known.end()) known.push_back(id);
  }
  return places;
}

// A file that is mounted at two places was found twice.
void sort_once_each(std::vector<ComparedFile>& files) {
  std::stable_sort(files.begin(), files.end(), by_key);
  const auto end = std::unique(files.begin(), files.end(),
                               [](const auto& a, const auto& b) { return key(a) == key(b); });
  files.erase(end, files.end());
}

// Whether the search that confirmed the file knew what is known now: another process may have
// replaced it meanwhile.
bool confirms(const ComparedFile& learned, const ComparedFile& known) {
  return is_same_but_for_day(learned, known);
}

class Merge {
 public:
  Merge(const std::vector<ComparedFile>& known, std::uint32_t search)
      : known_(known), search_(search) {}

  // Takes learned files in order.
  void add(const ComparedFile& learned) {
    keep_until(learned);
    const bool is_known = next_ < known_.size() && key(known_[next_]) == key(learned);
    if (learned.search == kThisSearch) {
      result_.push_back(learned);
      result_.back().search = search_;
      changed_ = true;
      if (is_known) ++next_;
    } else if (is_known && confirms(learned, known_[next_])) {
      changed_ = changed_ || known_[next_].day != learned.day;
      result_.push_back(learned);
      ++next_;
    }
  }

  std::vector<ComparedFile> end() {
    result_.insert(result_.end(), known_.begin() + static_cast<std::ptrdiff_t>(next_),
                   known_.end());
    return std::move(result_);
  }

  [[nodiscard]] bool changed() const { return changed_; }

 private:
  void keep_until(const ComparedFile& learned) {
    while (next_ < known_.size() && by_key(known_[next_], learned)) {
      result_.push_back(known_[next_++]);
    }
  }

  const std::vector<ComparedFile>& known_;
  const std::uint32_t search_;
  std::size_t next_ = 0;  // in known_
  std::vector<ComparedFile> result_;
  bool changed_ = false;
};

// Returns whether there were any.
bool forget_unseen(std::vector<ComparedFile>& files, std::uint16_t today) {
  return std::erase_if(files, [today](const ComparedFile& file) {
           return file.day + ComparedFiles::kDays < today;
         }) > 0;
}

bool forget_most_unseen(std::vector<ComparedFile>& files, std::size_t most) {
  if (files.size() <= most) return false;
  const auto end = files.begin() + static_cast<std::ptrdiff_t>(most);
  std::nth_element(files.begin(), end, files.end(), [](const auto& a, const auto& b) {
    return std::tuple(b.day, a.filesystem, a.inode) < std::tuple(a.day, b.filesystem, b.inode);
  });
  files.erase(end, files.end());
  std::sort(files.begin(), files.end(), by_key);
  return true;
}

void forget_unused(std::vector<std::string>& filesystems, std::vector<ComparedFile>& files) {
  std::vector<bool> used(filesystems.size());
  for (const ComparedFile& file : files) used[file.filesystem] = true;
  std::vector<std::uint16_t> places(filesystems.size());
  std::vector<std::string> left;
  for (std::size_t i = 0; i < filesystems.size(); ++i) {
    places[i] = static_cast<std::uint16_t>(left.size());
    if (used[i]) left.push_back(std::move(filesystems[i]));
  }
  for (ComparedFile& file : files) file.filesystem = places[file.filesystem];
  filesystems = std::move(left);
}

}  // namespace

const ComparedFile* ComparedFiles::find(std::uint16_t filesystem, const FileIdentity& now) const {
  const auto at = std::lower_bound(files.begin(), files.end(), std::pair(filesystem, now.inode),
                                   [](const auto& file, const auto& of) { return key(file) < of; });
  if (at == files.end() || key(*at) != std::pair(filesystem, now.inode)) return nullptr;
  const bool is_same =
      at->size == now.size && at->mtime_ns == now.mtime_ns && at->ctime_ns == now.ctime_ns;
  return is_same ? &*at : nullptr;
}

bool ComparedFiles::take(ComparedFiles learned, std::uint16_t today, std::size_t most) {
  constexpr std::size_t kMostFilesystems = std::numeric_limits<std::uint16_t>::max();
  // Only a file that was made up has so large numbers.
  if (last_search(files) == std::numeric_limits<std::uint32_t>::max() ||
      filesystems.size() + learned.filesystems.size() > kMostFilesystems) {
    *this = {};
  }
  const std::vector<std::uint16_t> places = places_of(learned.filesystems, filesystems);
  for (ComparedFile& file : learned.files) file.filesystem = places[file.filesystem];
  sort_once_each(learned.files);
  Merge merge(files, last_search(files) + 1);
  for (const ComparedFile& file : learned.files) merge.add(file);
  files = merge.end();
  const bool forgot = forget_unseen(files, today);
  const bool forgot_more = forget_most_unseen(files, most);
  forget_unused(filesystems, files);
  return merge.changed() || forgot || forgot_more;
}

std::int64_t settled_before(std::int64_t began_ns) {
  constexpr std::int64_t kCoarsestClock = 2'000'000'000;  // of any filesystem
  return began_ns - kCoarsestClock;
}

}  // namespace fathom::fs
