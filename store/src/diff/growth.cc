// Growth: the snapshots are read in parallel, level by level, and then merged by name.

#include "fathom/store/growth.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "diff/charged_directory.h"
#include "diff/directory_path.h"
#include "diff/other_filesystem.h"
#include "fathom/base/clock.h"
#include "fathom/base/path.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/filesystem_id.h"
#include "fathom/rt/parallel.h"
#include "parquet/damage.h"
#include "snapshot/directory_table.h"
#include "snapshot/loaded_entries.h"

namespace fathom::store {

namespace {

constexpr std::size_t kAbsent = std::numeric_limits<std::size_t>::max();

// Of what may be there, but could not be read.
constexpr GrowthSize kUnread = {.exists = true, .lower_bound = true};

bool is_unread(const GrowthSize& size) {
  return size.lower_bound && size.entries == 0;
}

// A directory of one snapshot. Its subdirectories are neighbours, ordered by name.
struct SeenDirectory {
  std::string name;
  GrowthSize size;
  std::size_t first = 0;  // of its subdirectories
  std::size_t end = 0;
};

// A set of paths, as hashes of them: files of snapshots can have very many bytes of paths with much
// in common.
class PathSet {
 public:
  void add(std::string_view path) { hashes_.insert(hash_of(path)); }
  [[nodiscard]] bool empty() const { return hashes_.empty(); }
  [[nodiscard]] bool contains(std::string_view path) const {
    return hashes_.contains(hash_of(path));
  }

 private:
  using Hash = std::pair<std::uint64_t, std::uint64_t>;
  static Hash hash_of(std::string_view path) {
    const XXH128_hash_t hash = XXH3_128bits(path.data(), path.size());
    return {hash.high64, hash.low64};
  }

  std::set<Hash> hashes_;
};

// What one snapshot says.
struct Seen {
  GrowthSnapshot snapshot;
  std::vector<SeenDirectory> directories;  // breadth first
  std::size_t tops = 0;                    // how many have no parent
  std::optional<SnapshotFilesystem> filesystem;
  bool has_path = true;                   // otherwise the filesystem is that of a directory above
  PathSet unread;                         // paths that could not be read, or not completely
  std::vector<std::string> unread_roots;  // the same, of roots; none if growth is that of a path
  std::vector<std::string> counted_elsewhere;
};

// ---- Reading a snapshot

// The paths with errors, if they are not too deep to matter.
PathSet unread_paths(const Snapshot& snapshot, const GrowthOptions& options) {
  PathSet unread;
  if (snapshot.meta().complete()) return unread;
  const auto depth_of = [](const std::string& path) {
    return static_cast<std::size_t>(std::count(path.begin(), path.end(), '/'));
  };
  std::size_t most = depth_of(options.path);
  if (options.path.empty()) {
    for (const std::string& root : snapshot.meta().roots) most = std::max(most, depth_of(root));
  }
  most += options.depth;
  for_each_error(snapshot.files(), [&](const fs::ScanError& error) {
    // What does not exist, or is not in a directory, is not unread.
    const bool missing = error.code == ENOENT || error.code == ENOTDIR;
    if (!missing && depth_of(error.path) <= most) unread.add(error.path);
  });
  return unread;
}

GrowthSize size_of(DirectoryTable& table, std::uint64_t row, fs::Measure measure) {
  const auto number = [&](DirectoryColumn column) {
    return static_cast<std::uint64_t>(table.number(column, row));
  };
  return {.bytes = number(bytes_column(measure)),
          .entries = table.entry_count(row),
          .exists = true,
          .lower_bound = number(DirectoryColumn::lower_bound) != 0};
}

// Adds the tops, by their rows, and then the directories of each level below them. One that is a
// top itself is added only as such.
void add_levels(DirectoryTable& table, const std::map<std::uint64_t, std::string>& tops,
                const GrowthOptions& options, const std::string& label, Seen& seen) {
  const auto add = [&](std::uint64_t row, std::string_view name, unsigned depth) {
    if (seen.directories.size() == options.most) {
      throw TooManyDirectories("there are more than " + std::to_string(options.most) +
                               " directories down to depth " + std::to_string(depth));
    }
    seen.directories.push_back(
        {.name = std::string(name), .size = size_of(table, row, options.measure)});
  };
  std::vector<std::uint64_t> level;
  for (const auto& [row, path] : tops) {
    add(row, path, 0);
    level.push_back(row);
  }
  std::size_t next = 0;  // the directory of a row
  for (unsigned depth = 1; depth <= options.depth && !level.empty(); ++depth) {
    std::vector<std::uint64_t> below;
    std::uint64_t end = 0;
    for (const std::uint64_t row : level) {
      const RowInterval inside = table.subdirectories(row);
      if (inside.begin < end) {
        reading(label, []() -> void { damaged("its directories are not breadth first"); });
      }
      end = inside.end;
      seen.directories[next].first = seen.directories.size();
      for (std::uint64_t child = inside.begin; child < inside.end; ++child) {
        if (tops.contains(child)) continue;
        add(child, table.name(child), depth);
        below.push_back(child);
      }
      seen.directories[next++].end = seen.directories.size();
    }
    level = std::move(below);
  }
}

// The roots, by the rows where they are counted: that of one inside of another root may be there.
std::map<std::uint64_t, std::string> counted_roots(DirectoryTable& table) {
  std::map<std::uint64_t, std::string> counted;
  const RowInterval roots = table.roots();
  for (std::uint64_t row = roots.begin; row < roots.end; ++row) {
    const std::string path(table.name(row));
    counted.emplace(table.is_repeated(row) ? charged_directory(table, path).value_or(row) : row,
                    path);
  }
  return counted;
}

// The root that contains the path: the longest.
std::size_t root_of(const SnapshotMeta& meta, std::string_view path) {
  std::size_t best = kAbsent;
  for (std::size_t i = 0; i < meta.roots.size(); ++i) {
    if (!base::is_at_or_below(path, meta.roots[i])) continue;
    if (best == kAbsent || meta.roots[i].size() > meta.roots[best].size()) best = i;
  }
  return best;
}

// The filesystem that the directory is on, or all roots; nothing if that is not known, or if they
// are on several.
std::optional<SnapshotFilesystem> filesystem_at(const SnapshotMeta& meta, std::string_view path,
                                                std::string_view fs_uuid) {
  if (path.empty()) {
    const auto& all = meta.filesystems;
    const bool one = std::all_of(all.begin(), all.end(), [&](const SnapshotFilesystem& other) {
      return !is_other(all.front(), other);
    });
    return one && !all.empty() ? std::optional(all.front()) : std::nullopt;
  }
  const std::size_t root = root_of(meta, path);
  for (const SnapshotFilesystem& filesystem : meta.filesystems) {
    const auto& roots = filesystem.roots;
    // Something of unknown identity may be mounted on a filesystem that is known.
    const bool unknown = fs_uuid.empty() && filesystem.fs_uuid.empty();
    const bool same = unknown ? std::find(roots.begin(), roots.end(), root) != roots.end()
                              : fs::volume_of(filesystem.fs_uuid) == fs::volume_of(fs_uuid);
    if (same) return filesystem;
  }
  for (const SnapshotFilesystem& filesystem : meta.other_filesystems) {
    const std::string_view volume = fs::volume_of(filesystem.fs_uuid);
    if (!volume.empty() && volume == fs::volume_of(fs_uuid)) return filesystem;
  }
  return std::nullopt;
}

// The path of the directory above; empty if there is none.
std::string path_above(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || path == "/") return {};
  return path.substr(0, std::max<std::size_t>(slash, 1));
}

// The filesystem that a path would be on which is not a directory of the table.
std::optional<SnapshotFilesystem> filesystem_above(const SnapshotMeta& meta, DirectoryTable& table,
                                                   std::string path) {
  while (!(path = path_above(path)).empty()) {
    const auto row = charged_directory(table, path);
    if (row) return filesystem_at(meta, path, table.text(DirectoryColumn::fs_uuid, *row));
  }
  return std::nullopt;
}

// Whether a path that is not a directory of the table could be one if everything had been read.
bool may_be_directory(DirectoryTable& table, const Seen& seen, std::string path) {
  if (seen.unread.empty()) return false;
  for (; !path.empty(); path = path_above(path)) {
    if (seen.unread.contains(path)) return true;
    if (charged_directory(table, path)) return false;
  }
  return false;
}

Seen read_snapshot(const Snapshot& snapshot, const GrowthOptions& options) {
  const SnapshotMeta& meta = snapshot.meta();
  const Snapshot::Files& files = snapshot.files();
  Seen seen;
  seen.snapshot = {.id = meta.id,
                   .tag = meta.tag,
                   .started_ns = meta.started_ns,
                   .ended_ns = meta.ended_ns,
                   .complete = meta.complete()};
  seen.unread = unread_paths(snapshot, options);
  DirectoryTable table(files.directories);
  std::map<std::uint64_t, std::string> tops;
  std::string_view fs_uuid;
  if (options.path.empty()) {
    tops = counted_roots(table);
    std::copy_if(meta.roots.begin(), meta.roots.end(), std::back_inserter(seen.unread_roots),
                 [&](const std::string& root) { return seen.unread.contains(root); });
  } else {
    const auto row = charged_directory(table, options.path);
    if (!row) {
      if (may_be_directory(table, seen, options.path)) seen.unread.add(options.path);
      seen.has_path = false;
      seen.filesystem = filesystem_above(meta, table, options.path);
      return seen;
    }
    tops.emplace(*row, options.path);
    fs_uuid = table.text(DirectoryColumn::fs_uuid, *row);
  }
  for (const auto& [row, path] : tops) {
    if (table.is_repeated(row)) seen.counted_elsewhere.push_back(path);
  }
  seen.tops = tops.size();
  add_levels(table, tops, options, files.directories.label(), seen);
  std::sort(seen.directories.begin(), seen.directories.begin() + static_cast<long>(seen.tops),
            [](const SeenDirectory& a, const SeenDirectory& b) { return a.name < b.name; });
  seen.filesystem = filesystem_at(meta, options.path, fs_uuid);
  return seen;
}

// The snapshots that can be read and were not removed meanwhile.
std::vector<Seen> read_all(std::size_t count, const OpenSnapshot& open,
                           const GrowthOptions& options, rt::Executor& executor,
                           std::vector<std::string>& unreadable) {
  std::vector<std::optional<Seen>> read(count);
  std::vector<std::string> why(count);  // it cannot be read
  rt::parallel_for(executor, std::size_t{0}, count, [&](std::size_t i) {
    try {
      if (const auto snapshot = open(i)) read[i] = read_snapshot(*snapshot, options);
    } catch (const NotFound&) {
      throw;
    } catch (const TooManyDirectories&) {
      throw;
    } catch (const base::Error& error) {
      why[i] = error.what();
    }
  });
  std::vector<Seen> seen;
  for (std::size_t i = 0; i < count; ++i) {
    if (read[i]) seen.push_back(std::move(*read[i]));
    if (!why[i].empty()) unreadable.push_back(std::move(why[i]));
  }
  return seen;
}

// ---- Merging

// A directory, and where each snapshot has it.
struct Merged {
  GrowthDirectory directory;
  std::vector<std::size_t> places;  // by snapshot; kAbsent: it has none
};

// Some siblings of one snapshot that are still to be merged.
struct Siblings {
  std::size_t next = 0;
  std::size_t end = 0;
};

class Merging {
 public:
  explicit Merging(std::vector<Seen>& seen) : seen_(seen) {}

  std::vector<GrowthDirectory> merge() {
    std::vector<Siblings> tops;
    for (const Seen& one : seen_) tops.push_back({.next = 0, .end = one.tops});
    add(tops, GrowthDirectory::kNoParent, 0);
    while (!pending_.empty()) {
      Merged merged = std::move(pending_.back());
      pending_.pop_back();
      std::vector<Siblings> inside(seen_.size());
      for (std::size_t i = 0; i < seen_.size(); ++i) {
        if (merged.places[i] == kAbsent) continue;
        const SeenDirectory& directory = seen_[i].directories[merged.places[i]];
        inside[i] = {.next = directory.first, .end = directory.end};
      }
      const unsigned depth = merged.directory.depth + 1;
      done_.push_back(std::move(merged.directory));
      add(inside, done_.size() - 1, depth);
    }
    return std::move(done_);
  }

 private:
  // Merges siblings, which each snapshot has in the order of their names. They become pending, the
  // one with the largest change on top.
  void add(std::vector<Siblings>& siblings, std::size_t parent, unsigned depth) {
    const std::size_t before = pending_.size();
    while (const std::string* name = smallest(siblings)) {
      Merged merged{.directory = {.name = *name, .parent = parent, .depth = depth, .sizes = {}},
                    .places = std::vector<std::size_t>(seen_.size(), kAbsent)};
      merged.directory.sizes.resize(seen_.size());
      for (std::size_t i = 0; i < seen_.size(); ++i) {
        const SeenDirectory* const next = next_of(siblings[i], i);
        if (next != nullptr && next->name == merged.directory.name) {
          merged.places[i] = siblings[i].next++;
          merged.directory.sizes[i] = next->size;
        } else if (is_unread_in(i, parent, *name)) {
          merged.directory.sizes[i] = kUnread;
        }
      }
      pending_.push_back(std::move(merged));
    }
    std::sort(pending_.begin() + static_cast<long>(before), pending_.end(),
              [](const Merged& a, const Merged& b) {
                const std::uint64_t of_a = base::magnitude(a.directory.change());
                const std::uint64_t of_b = base::magnitude(b.directory.change());
                return of_a != of_b ? of_a < of_b : a.directory.name > b.directory.name;
              });
  }

  [[nodiscard]] const std::string* smallest(const std::vector<Siblings>& siblings) const {
    const std::string* found = nullptr;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      const SeenDirectory* const next = next_of(siblings[i], i);
      if (next != nullptr && (found == nullptr || next->name < *found)) found = &next->name;
    }
    return found;
  }

  [[nodiscard]] const SeenDirectory* next_of(const Siblings& siblings, std::size_t snapshot) const {
    return siblings.next == siblings.end ? nullptr : &seen_[snapshot].directories[siblings.next];
  }

  // Whether a snapshot may lack a directory only because it, or what contains it, was not read.
  [[nodiscard]] bool is_unread_in(std::size_t snapshot, std::size_t parent,
                                  const std::string& name) const {
    if (parent == GrowthDirectory::kNoParent) return seen_[snapshot].unread.contains(name);
    const GrowthSize& above = done_[parent].sizes[snapshot];
    if (is_unread(above)) return true;
    if (!above.lower_bound) return false;
    const std::string path = path_in(done_, parent);
    const auto& unread = seen_[snapshot].unread;
    return unread.contains(path) || unread.contains(base::joined_path(path, name));
  }

  const std::vector<Seen>& seen_;
  std::vector<Merged> pending_;  // a stack
  std::vector<GrowthDirectory> done_;
};

// Roots that no snapshot could read, so that they have no place among the directories.
std::vector<std::string> roots_never_read(const std::vector<Seen>& seen,
                                          const std::vector<GrowthDirectory>& directories) {
  std::set<std::string> roots;
  for (const Seen& one : seen) roots.insert(one.unread_roots.begin(), one.unread_roots.end());
  for (const GrowthDirectory& directory : directories) {
    if (directory.parent == GrowthDirectory::kNoParent) roots.erase(directory.name);
  }
  return {roots.begin(), roots.end()};
}

std::vector<std::string> ever_counted_elsewhere(const std::vector<Seen>& seen) {
  std::set<std::string> paths;
  for (const Seen& one : seen) {
    paths.insert(one.counted_elsewhere.begin(), one.counted_elsewhere.end());
  }
  return {paths.begin(), paths.end()};
}

// ---- The forecast

Forecast forecast_from(const std::vector<Seen>& seen) {
  std::vector<FilesystemUse> uses;
  const SnapshotFilesystem* of_path = nullptr;  // in the last snapshot that has the path
  for (const Seen& one : seen) {
    if (one.has_path && one.filesystem) of_path = &*one.filesystem;
  }
  const SnapshotFilesystem* last = nullptr;
  bool changed = false;
  for (const Seen& one : seen) {
    if (!one.filesystem) continue;
    const SnapshotFilesystem& filesystem = *one.filesystem;
    // Where the path did not exist, it may be a mount point now.
    if (!one.has_path && (of_path == nullptr || is_other(*of_path, filesystem))) continue;
    changed = changed || (last != nullptr && is_other(*last, filesystem));
    last = &filesystem;
    uses.push_back({.time = base::whole_seconds(one.snapshot.ended_ns),
                    .size = filesystem.size,
                    .free = filesystem.free,
                    .available = filesystem.available});
  }
  Forecast forecast = forecast_of(uses);
  if (last != nullptr) forecast.mount_point = last->mount_point;
  if (changed) {
    forecast.bytes_per_day.reset();
    forecast.full.reset();
    forecast.why_none = "the snapshots are of different filesystems";
  }
  return forecast;
}

}  // namespace

std::string Growth::path_of(std::size_t directory) const {
  return path_in(directories, directory);
}

Growth measure_growth(std::size_t count, const OpenSnapshot& open, const GrowthOptions& options,
                      rt::Executor& executor) {
  GrowthOptions wanted = options;
  while (wanted.path.size() > 1 && wanted.path.ends_with('/')) wanted.path.pop_back();
  Growth growth;
  std::vector<Seen> seen = read_all(count, open, wanted, executor, growth.unreadable);
  if (seen.empty() && !growth.unreadable.empty()) throw base::Error(growth.unreadable.front());
  if (seen.empty() && count != 0) throw NotFound("all of the snapshots were removed meanwhile");
  const bool found = std::any_of(seen.begin(), seen.end(),
                                 [](const Seen& one) { return !one.directories.empty(); });
  if (!found && !wanted.path.empty()) {
    throw NotFound(wanted.path + " is not a directory in any of the snapshots");
  }
  growth.directories = Merging(seen).merge();
  growth.unread_roots = roots_never_read(seen, growth.directories);
  growth.counted_elsewhere = ever_counted_elsewhere(seen);
  growth.forecast = forecast_from(seen);
  for (Seen& one : seen) growth.snapshots.push_back(std::move(one.snapshot));
  return growth;
}

}  // namespace fathom::store
