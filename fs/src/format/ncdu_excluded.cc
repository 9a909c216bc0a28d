// ExcludedByDirectory: sorts the entries by directory and name, and searches them.

#include "format/ncdu_excluded.h"

#include <algorithm>
#include <tuple>

namespace fathom::fs {

ExcludedByDirectory::ExcludedByDirectory(const Scan& scan) {
  entries_.reserve(scan.excluded.size());
  for (const ExcludedEntry& entry : scan.excluded) entries_.push_back(&entry);
  std::sort(entries_.begin(), entries_.end(), [](const ExcludedEntry* a, const ExcludedEntry* b) {
    return std::tie(a->in, a->name, a->why) < std::tie(b->in, b->name, b->why);
  });
}

std::span<const ExcludedEntry* const> ExcludedByDirectory::in(DirId directory) const {
  const auto begin =
      std::lower_bound(entries_.begin(), entries_.end(), directory,
                       [](const ExcludedEntry* entry, DirId wanted) { return entry->in < wanted; });
  const auto end =
      std::upper_bound(begin, entries_.end(), directory,
                       [](DirId wanted, const ExcludedEntry* entry) { return wanted < entry->in; });
  return {begin, end};
}

}  // namespace fathom::fs
