// Verification: gathers the results of the parts.

#include "dups/verification.h"

#include <algorithm>
#include <utility>

#include "dups/same_content.h"

namespace fathom::fs {

std::vector<FileClass> Verification::parts(FileClass files, std::size_t most) {
  const auto all = std::make_shared<Verification>();
  all->files_ = std::move(files);
  const FileClass& of = all->files_;
  std::vector<FileClass> parts;
  for (std::size_t begin = 1; begin < of.files.size(); begin += most - 1) {
    FileClass& part =
        parts.emplace_back(FileClass{{of.files.front()}, of.size, of.compared, of.hashed, all});
    const std::size_t end = std::min(begin + most - 1, of.files.size());
    for (std::size_t i = begin; i < end; ++i) part.files.push_back(of.files[i]);
  }
  all->parts_left_ = parts.size();
  return parts;
}

Verification::Progress Verification::add(
    const FileClass& part, const std::map<std::uint32_t, std::vector<FileNumber>>& classes) {
  Progress progress;
  FileClass like_first{{}, part.size, part.compared, part.hashed, part.part_of};
  bool first_failed = true;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [label, files] : classes) {
      const bool has_first = files.front() == files_.files.front();
      if (label == kNotRead) {
        progress.unread = files.size() - (has_first ? 1 : 0);
      } else if (has_first) {
        first_failed = false;
        like_first.files = files;
      } else {
        rest_.insert(rest_.end(), files.begin(), files.end());
      }
    }
    first_failed_ = first_failed_ || first_failed;
    if (like_first.files.size() > 1) {
      if (like_first.compared < like_first.size) {
        progress.next.push_back(std::move(like_first));
        return progress;
      }
      equal_.insert(equal_.end(), like_first.files.begin() + 1, like_first.files.end());
    }
    if (--parts_left_ > 0) return progress;
  }
  progress.next = end();
  return progress;
}

// If reading the first file failed in some parts, the files that equal it in the other parts are
// compared again, with another file: files of the failed parts may be equal to them.
std::vector<FileClass> Verification::end() {
  const FileNumber first = files_.files.front();
  FileClass like_first{{first}, files_.size, files_.compared, files_.hashed};
  if (first_failed_) {
    rest_.insert(rest_.end(), equal_.begin(), equal_.end());
  } else {
    like_first.files = std::move(equal_);
    like_first.files.push_back(first);
    like_first.compared = files_.size;
  }
  FileClass rest{std::move(rest_), files_.size, files_.compared, files_.hashed};
  return {std::move(like_first), std::move(rest)};
}

}  // namespace fathom::fs
