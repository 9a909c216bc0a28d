#include "ncdu/left_out.h"

#include <algorithm>
#include <tuple>

namespace fathom::fs {

LeftOutByDirectory::LeftOutByDirectory(const Scan& scan) {
  entries_.reserve(scan.left_out.size());
  for (const LeftOutEntry& entry : scan.left_out) entries_.push_back(&entry);
  std::sort(entries_.begin(), entries_.end(), [](const LeftOutEntry* a, const LeftOutEntry* b) {
    return std::tie(a->in, a->name, a->why) < std::tie(b->in, b->name, b->why);
  });
}

std::span<const LeftOutEntry* const> LeftOutByDirectory::in(DirId directory) const {
  const auto begin =
      std::lower_bound(entries_.begin(), entries_.end(), directory,
                       [](const LeftOutEntry* entry, DirId wanted) { return entry->in < wanted; });
  const auto end =
      std::upper_bound(begin, entries_.end(), directory,
                       [](DirId wanted, const LeftOutEntry* entry) { return wanted < entry->in; });
  return {begin, end};
}

}  // namespace fathom::fs
