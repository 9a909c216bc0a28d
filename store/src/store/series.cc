// Series: comparing hosts and roots.

#include "fathom/store/series.h"

#include <algorithm>
#include <set>
#include <string>

#include "fathom/base/clock.h"
#include "fathom/base/local_time.h"
#include "fathom/base/path.h"

namespace fathom::store {

namespace {

// The length of the root that contains the path; 0: none.
std::size_t nearest_root(const SnapshotMeta& meta, std::string_view path) {
  std::size_t length = 0;
  for (const std::string& root : meta.roots) {
    if (base::is_at_or_below(path, root)) length = std::max(length, root.size());
  }
  return length;
}

std::set<std::string_view> root_set(const SnapshotMeta& meta) {
  return {meta.roots.begin(), meta.roots.end()};
}

}  // namespace

bool same_series(const SnapshotMeta& a, const SnapshotMeta& b) {
  return a.host == b.host && same_selection(a, b) &&
         (a.roots == b.roots || root_set(a) == root_set(b));
}

std::size_t before_in_series(std::span<const StoredSnapshot> oldest_first, std::size_t index) {
  for (std::size_t i = index; i-- > 0;) {
    if (same_series(oldest_first[i].meta, oldest_first[index].meta)) return i;
  }
  return kNoSnapshot;
}

std::vector<std::size_t> series_of(std::span<const StoredSnapshot> oldest_first,
                                   const SnapshotMeta& one) {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < oldest_first.size(); ++i) {
    if (same_series(oldest_first[i].meta, one)) indexes.push_back(i);
  }
  return indexes;
}

std::vector<std::size_t> series_of_path(std::span<const StoredSnapshot> oldest_first,
                                        std::string_view path) {
  const SnapshotMeta* chosen = nullptr;
  std::size_t nearest = 0;
  for (const StoredSnapshot& snapshot : oldest_first) {
    const std::size_t length = nearest_root(snapshot.meta, path);
    if (length == 0 || length < nearest) continue;
    nearest = length;
    chosen = &snapshot.meta;
  }
  return chosen == nullptr ? std::vector<std::size_t>() : series_of(oldest_first, *chosen);
}

std::vector<std::size_t> snapshots_with(std::span<const StoredSnapshot> oldest_first,
                                        std::string_view path) {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < oldest_first.size(); ++i) {
    if (nearest_root(oldest_first[i].meta, path) != 0) indexes.push_back(i);
  }
  return indexes;
}

void keep_since(std::span<const StoredSnapshot> oldest_first, std::int64_t second,
                std::vector<std::size_t>& indexes) {
  const std::int64_t newest = base::whole_seconds(oldest_first[indexes.back()].meta.ended_ns);
  if (newest < second) {
    throw NotFound("no snapshot since " + base::to_local_minute(second) + "; the latest is of " +
                   base::to_local_minute(newest));
  }
  std::erase_if(indexes, [&](std::size_t index) {
    return base::whole_seconds(oldest_first[index].meta.ended_ns) < second;
  });
}

}  // namespace fathom::store
