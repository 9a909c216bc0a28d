// explain: compares what each filesystem reports as used with what was found on it.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/base/path.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/filesystem_facts.h"
#include "fathom/fs/report.h"
#include "tree/deepest_first.h"

namespace fathom::fs {

namespace {

// Disks are far smaller, so a ledger of signed sums can hold them.
std::int64_t signed_of(std::uint64_t bytes) {
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(bytes, kMost));
}

std::int64_t minus(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < b ? std::numeric_limits<std::int64_t>::min()
               : std::numeric_limits<std::int64_t>::max();
}

// What the scan found on one filesystem.
struct ScannedFilesystem {
  std::uint64_t entries = 0;
  std::uint64_t disk_bytes = 0;
  std::uint64_t elsewhere = 0;   // bytes below its roots that are on other filesystems
  std::uint64_t excluded = 0;    // entries that rules exclude
  bool all_match = true;         // whether nothing was filtered out
  std::uint64_t unreadable = 0;  // items
};

// Finds the filesystem of an entry: by its device, if a mount has that device, else by its root.
// Subvolumes and layers have devices that no mount has.
class FilesystemLookup {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  FilesystemLookup(const Tree& tree, const std::vector<FilesystemFacts>& filesystems)
      : tree_(tree), by_root_(tree.roots().size(), kNone) {
    for (std::size_t i = 0; i < filesystems.size(); ++i) {
      for (const std::uint64_t device : filesystems[i].other_devices) {
        by_device_.emplace(device, kNone);
      }
      for (const std::size_t root : filesystems[i].roots) {
        if (root < by_root_.size()) by_root_[root] = i;
      }
    }
    for (std::size_t i = 0; i < filesystems.size(); ++i) by_device_[filesystems[i].device] = i;
    if (by_root_.size() > 1) pass_down();
  }

  [[nodiscard]] std::size_t of(NodeId node) const {
    const auto known = by_device_.find(tree_.device(node));
    return known == by_device_.end() ? of_root(node) : known->second;
  }
  [[nodiscard]] std::size_t of_root(NodeId node) const {
    if (by_root_.size() == 1) return by_root_.front();
    const DirId parent = tree_.parent(node);
    return parent == kNoDir ? by_root_[tree_.root_index(node)] : by_directory_[parent];
  }

 private:
  // Passes it from the roots downwards, so that no entry has to be followed up to its root.
  void pass_down() {
    by_directory_.resize(tree_.directory_limit(), kNone);
    const std::vector<DirId> upwards = deepest_first(tree_);
    for (auto id = upwards.rbegin(); id != upwards.rend(); ++id) {
      const DirId parent = tree_.parent_of(*id);
      by_directory_[*id] =
          parent == kNoDir ? by_root_[tree_.root_index(tree_.node(*id))] : by_directory_[parent];
    }
  }

  const Tree& tree_;
  std::vector<std::size_t> by_root_;
  std::vector<std::size_t> by_directory_;  // if there are several roots
  std::unordered_map<std::uint64_t, std::size_t> by_device_;
};

void add_entries(const Scan& scan, const FilesystemLookup& lookup,
                 std::vector<ScannedFilesystem>& found) {
  const Tree& tree = scan.tree;
  tree.for_each_node([&](NodeId node) {
    const std::uint8_t flags = tree.flags(node);
    if ((flags & kUncounted) != 0) return;
    const std::size_t at = lookup.of(node);
    if (at != FilesystemLookup::kNone) ++found[at].entries;
    if ((flags & kExtraLink) != 0) return;
    const std::uint64_t bytes = Entry{.blocks = tree.blocks(node)}.disk_bytes();
    if (at != FilesystemLookup::kNone) {
      found[at].disk_bytes = base::saturating_add(found[at].disk_bytes, bytes);
    }
    const std::size_t root = lookup.of_root(node);
    if (root != at && root != FilesystemLookup::kNone) {
      found[root].elsewhere = base::saturating_add(found[root].elsewhere, bytes);
    }
  });
}

void add_excluded(const Scan& scan, const FilesystemLookup& lookup,
                  std::vector<ScannedFilesystem>& found) {
  const Tree& tree = scan.tree;
  std::vector<bool> explained(tree.directory_limit());  // why a directory has omitted children
  for (const ExcludedEntry& entry : scan.excluded) {
    explained[entry.in] = true;
    if (entry.why != Excluded::pattern && entry.why != Excluded::cache) continue;
    const std::size_t at = lookup.of(tree.node(entry.in));
    if (at != FilesystemLookup::kNone) ++found[at].excluded;
  }
  tree.for_each_directory([&](DirId id) {
    const NodeId node = tree.node(id);
    const std::uint8_t flags = tree.flags(node);
    const bool filtered_out =
        (flags & kFilteredOut) != 0 || ((flags & kHasOmittedChildren) != 0 && !explained[id]);
    const std::size_t at = filtered_out ? lookup.of(node) : FilesystemLookup::kNone;
    if (at != FilesystemLookup::kNone) found[at].all_match = false;
  });
}

// An error has only a path: it counts for the longest root that contains it.
void add_errors(const Scan& scan, const std::vector<FilesystemFacts>& filesystems,
                std::vector<ScannedFilesystem>& found) {
  for (const ScanError& error : scan.errors) {
    std::optional<std::size_t> at;
    std::size_t longest = 0;
    for (std::size_t i = 0; i < filesystems.size(); ++i) {
      for (const std::size_t root : filesystems[i].roots) {
        if (root >= scan.roots.size() || !base::is_at_or_below(error.path, scan.roots[root])) {
          continue;
        }
        if (at && scan.roots[root].size() <= longest) continue;
        at = i;
        longest = scan.roots[root].size();
      }
    }
    if (at) ++found[*at].unreadable;
  }
}

struct LedgerRow {
  std::size_t filesystem = 0;
  std::string_view item = {};
  std::string_view of = {};  // the item of which it is a part; empty: none
  std::optional<std::int64_t> bytes = {};
  std::optional<std::uint64_t> count = {};
  const DeletedFile* file = nullptr;
  const std::string* path = nullptr;
  std::string note = {};
  std::optional<std::int64_t> grown = {};  // bytes, while the scan ran
};

std::string note_on_size(const FilesystemFacts& facts) {
  if (facts.size == 0) return "This filesystem does not report its size.";
  if (facts.whole) return {};
  return "The scanned paths are only part of this filesystem; everything else on it is counted "
         "under "
         "'unaccounted for'.";
}

std::string note_on_found(const ScannedFilesystem& found, bool interrupted) {
  std::string note;
  if (interrupted)
    note =
        "The scan was interrupted; the part that it did not reach is counted under 'unaccounted "
        "for'.";
  if (found.elsewhere > 0) {
    if (!note.empty()) note += ' ';
    note += "In addition, " + base::format_bytes(found.elsewhere) +
            " were found on other filesystems; they are not part of the comparison.";
  }
  return note;
}

std::string note_on_rest(std::int64_t rest) {
  if (rest >= 0) return {};
  return "More was found than is used: blocks that files share (reflinks, snapshots, layers) or "
         "compress count once or less on the disk, and files may have changed during the scan.";
}

// The ledger of one filesystem: the parts of an item, if there are any, add up to it.
void add_ledger(std::size_t filesystem, const FilesystemFacts& facts,
                const ScannedFilesystem& found, bool interrupted, std::vector<LedgerRow>& rows) {
  const std::int64_t size = signed_of(facts.size);
  const std::int64_t free = std::min(signed_of(facts.free), size);
  const std::int64_t available = std::min(signed_of(facts.available), free);
  const std::int64_t used = size - free;
  const auto add = [&](LedgerRow row) {
    row.filesystem = filesystem;
    rows.push_back(std::move(row));
  };
  std::optional<std::uint64_t> inodes;
  std::optional<std::uint64_t> used_inodes;
  if (facts.inodes > 0) {
    inodes = facts.inodes;
    used_inodes = facts.inodes - std::min(facts.inodes, facts.free_inodes);
  }
  add({.item = "size", .bytes = size, .count = inodes, .note = note_on_size(facts)});
  add({.item = "available", .of = "size", .bytes = available});
  add({.item = "reserved", .of = "size", .bytes = free - available});
  std::optional<std::int64_t> grown;
  if (facts.used_before) grown = minus(used, signed_of(*facts.used_before));
  add({.item = "used", .of = "size", .bytes = used, .count = used_inodes, .grown = grown});

  std::int64_t rest = minus(used, signed_of(found.disk_bytes));
  add({.item = "found",
       .of = "used",
       .bytes = signed_of(found.disk_bytes),
       .count = found.entries,
       .note = note_on_found(found, interrupted)});
  for (const DeletedFile& file : facts.deleted) {
    const std::int64_t bytes = signed_of(file.disk_bytes);
    rest = minus(rest, bytes);
    add({.item = "deleted_open",
         .of = "used",
         .bytes = bytes,
         .count = file.processes,
         .file = &file,
         .path = &file.path});
  }
  if (facts.unseen_processes > 0) {
    add({.item = "unseen_processes", .of = "used", .count = facts.unseen_processes});
  }
  for (const std::string& point : facts.hidden_by_mounts) {
    add({.item = "hidden", .of = "used", .path = &point});
  }
  if (found.unreadable > 0) add({.item = "unreadable", .of = "used", .count = found.unreadable});
  if (found.excluded > 0) add({.item = "left_out", .of = "used", .count = found.excluded});
  if (!found.all_match) add({.item = "not_wanted", .of = "used"});
  add({.item = "rest", .of = "used", .bytes = rest, .note = note_on_rest(rest)});
}

template <class Value>
void add_optional(std::vector<Cell>& cells, const std::optional<Value>& value) {
  cells.emplace_back();
  if (value) cells.back() = *value;
}

void add_text(std::vector<Cell>& cells, std::string_view text) {
  cells.emplace_back();
  if (!text.empty()) cells.back() = std::string(text);
}

// The mount point, or the first root if it is unknown.
std::string name_of(const FilesystemFacts& facts, const Scan& scan) {
  return facts.mount_point.empty() ? scan.roots.at(facts.roots.front()) : facts.mount_point;
}

}  // namespace

Table explain(const ReportInput& input) {
  const Scan& scan = input.scan();
  const std::vector<FilesystemFacts>& filesystems = scan.filesystems;
  const FilesystemLookup lookup(scan.tree, filesystems);
  std::vector<ScannedFilesystem> found(filesystems.size());
  add_entries(scan, lookup, found);
  add_excluded(scan, lookup, found);
  add_errors(scan, filesystems, found);
  std::vector<LedgerRow> rows;
  for (std::size_t i = 0; i < filesystems.size(); ++i) {
    add_ledger(i, filesystems[i], found[i], scan.cancelled, rows);
  }
  std::vector<Column> columns = {
      {"filesystem", "Filesystem", CellType::path},
      {"type", "Type", CellType::text, 4},
      {"item", "Item", CellType::text},
      {"of", "Part of", CellType::text, 3},
      {"bytes", "Bytes", CellType::number},
      {"count", "Count", CellType::count, 1},
      {"pid", "Process", CellType::number, 2},
      {"command", "Command", CellType::path},
      {"path", "Path", CellType::path},
      {"note", "Note", CellType::text, 5},
      {"grown_bytes", "Grown", CellType::number, 6},
  };
  const std::size_t count = rows.size();
  auto read = [&scan, rows = std::move(rows)](std::size_t at, std::vector<Cell>& cells) {
    const LedgerRow& row = rows[at];
    const FilesystemFacts& facts = scan.filesystems[row.filesystem];
    cells.emplace_back(name_of(facts, scan));
    add_text(cells, facts.type);
    cells.emplace_back(std::string(row.item));
    add_text(cells, row.of);
    add_optional(cells, row.bytes);
    add_optional(cells, row.count);
    cells.emplace_back();
    if (row.file != nullptr) cells.back() = row.file->pid;
    add_text(cells, row.file == nullptr ? std::string_view() : row.file->command);
    add_text(cells, row.path == nullptr ? std::string_view() : *row.path);
    add_text(cells, row.note);
    add_optional(cells, row.grown);
  };
  return {report_info(ReportKind::explain).head, std::move(columns), count, std::move(read)};
}

}  // namespace fathom::fs
