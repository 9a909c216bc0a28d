#include "diff/common_roots.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "diff/charged_directory.h"
#include "fathom/base/path.h"

namespace fathom::store {

namespace {

std::set<std::string_view> roots_in_both(const SnapshotMeta& a, const SnapshotMeta& b) {
  std::set<std::string_view> both(a.roots.begin(), a.roots.end());
  const std::set<std::string_view> in_b(b.roots.begin(), b.roots.end());
  std::erase_if(both, [&](std::string_view root) { return !in_b.contains(root); });
  return both;
}

template <class Roots>
bool is_in_one(const Roots& roots, const std::string& path) {
  return std::any_of(roots.begin(), roots.end(),
                     [&](std::string_view root) { return base::is_at_or_below(path, root); });
}

}  // namespace

std::vector<std::string> missing_roots(const SnapshotMeta& from, const SnapshotMeta& in) {
  std::vector<std::string> missing;
  for (const std::string& root : from.roots) {
    if (std::find(in.roots.begin(), in.roots.end(), root) == in.roots.end()) {
      missing.push_back(root);
    }
  }
  return missing;
}

std::vector<CommonRoot> common_roots(const SnapshotMeta& before, DirectoryTable& table_before,
                                     const SnapshotMeta& after, DirectoryTable& table_after) {
  const std::set<std::string_view> in_both = roots_in_both(before, after);
  std::map<std::string_view, CommonRoot> common;
  const auto add = [&](DirectoryTable& table, auto side) {
    const RowInterval roots = table.roots();
    for (std::uint64_t row = roots.begin; row < roots.end; ++row) {
      const std::string_view name = table.name(row);
      if (in_both.contains(name)) common[name].*side = row;
    }
  };
  add(table_before, &CommonRoot::before);
  add(table_after, &CommonRoot::after);
  std::vector<CommonRoot> roots;
  for (auto& [name, root] : common) {
    root.path = name;
    const bool in_common = std::any_of(
        common.begin(), common.end(),
        [&path = root.path](const auto& other) { return base::is_below(path, other.first); });
    // Otherwise it is compared as a part of the other one, where that counts it.
    if (!in_common) {
      root.before = charged_directory(table_before, root.path).value_or(root.before);
      root.after = charged_directory(table_after, root.path).value_or(root.after);
    }
    roots.push_back(root);
  }
  return roots;
}

bool is_in_both(const SnapshotMeta& before, const SnapshotMeta& after, const std::string& path) {
  return !path.empty() && is_in_one(before.roots, path) && is_in_one(after.roots, path);
}

bool is_alone(const SnapshotMeta& before, const SnapshotMeta& after, const std::string& path) {
  // What is in a root below the path may be counted there, on one side.
  const auto has_root_in_it = [&path](const SnapshotMeta& meta) {
    return std::any_of(meta.roots.begin(), meta.roots.end(),
                       [&](const std::string& root) { return base::is_below(root, path); });
  };
  return is_in_both(before, after, path) && !is_in_one(roots_in_both(before, after), path) &&
         !has_root_in_it(before) && !has_root_in_it(after);
}

void require_compared(const SnapshotMeta& before, const SnapshotMeta& after,
                      const std::string& path, const std::vector<CommonRoot>& roots) {
  if (path.empty()) return;
  const bool compared = std::any_of(roots.begin(), roots.end(), [&](const CommonRoot& root) {
    return base::is_at_or_below(path, root.path);
  });
  if (compared) return;
  throw NotFound(path + " is not compared: " +
                 (is_in_both(before, after, path)
                      ? "it contains a root of one of the snapshots"
                      : "it is in roots that only one of the snapshots has"));
}

void drop_other_roots(const SnapshotMeta& before, const SnapshotMeta& after, RowChanges& changes) {
  constexpr std::size_t kDropped = ~std::size_t{0};
  const std::set<std::string_view> in_both = roots_in_both(before, after);
  // Returns where each entry is now.
  const auto drop = [&](std::vector<LoneEntry>& entries) {
    std::vector<std::size_t> places;
    std::size_t kept = 0;
    for (const LoneEntry& entry : entries) {
      const bool foreign = entry.node == 0 && !in_both.contains(entry.name);
      places.push_back(foreign ? kDropped : kept++);
    }
    std::size_t next = 0;
    std::erase_if(entries, [&](const LoneEntry&) { return places[next++] == kDropped; });
    return places;
  };
  const std::vector<std::size_t> gone = drop(changes.gone);
  const std::vector<std::size_t> come = drop(changes.come);
  for (auto& [lost, gained] : changes.replaced) {
    lost = gone[lost];
    gained = come[gained];
  }
  // Both have the same name, so both are dropped or none.
  std::erase_if(changes.replaced, [](const auto& pair) { return pair.first == kDropped; });
}

std::uint64_t compared_size(const SnapshotMeta& meta, const SnapshotMeta& other,
                            const CompareSide& side, fs::Measure measure,
                            std::span<const std::uint64_t> roots) {
  if (missing_roots(meta, other).empty()) return fs::bytes_of(meta.totals, measure);
  std::uint64_t size = bytes_of_other_roots(side, measure, roots_in_both(meta, other));
  for (const std::uint64_t row : roots) {
    if (row == kNoRow) continue;
    charge(size, static_cast<std::uint64_t>(side.directories.number(bytes_column(measure), row)));
  }
  return size;
}

}  // namespace fathom::store
