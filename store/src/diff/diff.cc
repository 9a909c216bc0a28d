// compare(): directories, then the entries of those that differ, then what moved, and the lists.

#include "fathom/store/diff.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "diff/charged_directory.h"
#include "diff/compare_files.h"
#include "diff/directory_pairs.h"
#include "diff/group_sums.h"
#include "diff/moves.h"
#include "diff/other_filesystem.h"
#include "diff/row_changes.h"
#include "fathom/base/path.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/filesystem_id.h"
#include "fathom/fs/table.h"
#include "snapshot/directory_table.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

namespace {

using State = DiffDirectory::State;

std::string joined(std::string path, std::string_view name) {
  if (name.empty()) return path;
  if (!path.empty() && !path.ends_with('/')) path += '/';
  return path += name;
}

// The length of a joined path, where nothing is above a root.
std::size_t joined_bytes(std::size_t path, std::string_view name) {
  if (name.empty()) return path;
  return path + (path > std::string_view("/").size() ? 1 : 0) + name.size();
}

DirectoryColumn bytes_column(fs::Measure measure) {
  return measure == fs::Measure::disk ? DirectoryColumn::disk_bytes
                                      : DirectoryColumn::apparent_bytes;
}

// ---- Notes

std::string list_of(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + text;
  return list.empty() ? "none" : list;
}

std::vector<std::string> missing_roots(const SnapshotMeta& from, const SnapshotMeta& in) {
  std::vector<std::string> missing;
  for (const std::string& root : from.roots) {
    if (std::find(in.roots.begin(), in.roots.end(), root) == in.roots.end()) {
      missing.push_back(root);
    }
  }
  return missing;
}

void note_sides(const SnapshotMeta& before, const SnapshotMeta& after, bool alone,
                std::vector<std::string>& notes) {
  for (const auto& [one, other, which] :
       {std::tuple(&before, &after, "first"), std::tuple(&after, &before, "second")}) {
    const auto missing = missing_roots(*one, *other);
    if (!missing.empty() && !alone) {
      notes.push_back("only in the " + std::string(which) +
                      " snapshot, and not compared: " + list_of(missing));
    }
    if (!one->complete()) {
      notes.push_back("the " + std::string(which) + " snapshot lacks " +
                      std::to_string(one->errors) + (one->errors == 1 ? " entry" : " entries") +
                      " that could not be read, so its sizes are lower bounds");
    }
  }
}

// `alone`: as is_alone().
std::vector<std::string> notes_about(const SnapshotMeta& before, const SnapshotMeta& after,
                                     bool alone, const std::string& path) {
  std::vector<std::string> notes;
  note_sides(before, after, alone, notes);
  if (alone) {
    notes.push_back("the snapshots are of different paths: what was moved into " + path +
                    " or out of it counts as created or removed, and a hard link that another "
                    "path counts in one of them as grown or shrunk");
  }
  if (before.selection != after.selection) {
    notes.push_back("the snapshots were made with different options: " + list_of(before.selection) +
                    "; and " + list_of(after.selection));
  } else if (before.rules != 0 && after.rules != 0 && before.rules != after.rules) {
    notes.emplace_back("the files of --exclude-from contained other rules for the second snapshot");
  }
  if (!before.host.empty() && !after.host.empty() && before.host != after.host) {
    notes.push_back("the snapshots are of different hosts: " + before.host + " and " + after.host);
  }
  return notes;
}

std::string other_filesystem_at(const std::string& path) {
  return "another filesystem is at " + path + " now";
}

void note_long_paths(Diff& diff) {
  std::uint64_t missing = 0;
  for (const DiffList* list : {&diff.changed, &diff.created, &diff.removed, &diff.moved}) {
    missing += list->too_long;
  }
  if (missing == 0) return;
  diff.notes.push_back("the lists leave out " + std::to_string(missing) +
                       (missing == 1 ? " entry" : " entries") + " with paths of more than " +
                       std::to_string(fs::kLongestPath) + " bytes");
}

// ---- Roots

// A root that both snapshots were made of, and its row on each side; kNoRow where it does not
// exist.
struct CommonRoot {
  std::string path;
  std::uint64_t before = kNoRow;
  std::uint64_t after = kNoRow;
};

// One that does not exist in one of them counts as removed or created. One that is inside of
// another root on one side is compared where it is counted there.
std::vector<CommonRoot> common_roots(const SnapshotMeta& before, DirectoryTable& table_before,
                                     const SnapshotMeta& after, DirectoryTable& table_after) {
  const std::set<std::string_view> in_before(before.roots.begin(), before.roots.end());
  const std::set<std::string_view> in_after(after.roots.begin(), after.roots.end());
  std::map<std::string_view, CommonRoot> common;
  const auto add = [&](DirectoryTable& table, auto side) {
    const RowInterval roots = table.roots();
    for (std::uint64_t row = roots.begin; row < roots.end; ++row) {
      const std::string_view name = table.name(row);
      if (in_before.contains(name) && in_after.contains(name)) common[name].*side = row;
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

// What a snapshot says of the filesystem that a root is on; null if it says nothing.
const SnapshotFilesystem* filesystem_of(const SnapshotMeta& meta, const std::string& root) {
  const auto at = std::find(meta.roots.begin(), meta.roots.end(), root) - meta.roots.begin();
  for (const SnapshotFilesystem& filesystem : meta.filesystems) {
    const auto& roots = filesystem.roots;
    if (std::find(roots.begin(), roots.end(), static_cast<std::size_t>(at)) != roots.end()) {
      return &filesystem;
    }
  }
  return nullptr;
}

bool is_on_another(const std::string& root, const SnapshotMeta& before, const SnapshotMeta& after) {
  const SnapshotFilesystem* const was = filesystem_of(before, root);
  const SnapshotFilesystem* const is = filesystem_of(after, root);
  return was != nullptr && is != nullptr && is_other(*was, *is);
}

void note_filesystems(const std::vector<CommonRoot>& roots, const SnapshotMeta& before,
                      DirectoryTable& table_before, const SnapshotMeta& after,
                      DirectoryTable& table_after, std::vector<std::string>& notes) {
  bool identified = true;
  for (const CommonRoot& root : roots) {
    if (root.before == kNoRow || root.after == kNoRow) continue;
    const std::string_view was = table_before.text(DirectoryColumn::fs_uuid, root.before);
    const std::string_view is = table_after.text(DirectoryColumn::fs_uuid, root.after);
    if (was == is && !was.empty()) continue;
    if ((fs::is_uuid(was) && fs::is_uuid(is)) || is_on_another(root.path, before, after)) {
      notes.push_back(other_filesystem_at(root.path));
    } else {
      // Two directories that stand for their filesystems may be on the same one.
      identified = false;
    }
  }
  if (identified) return;
  notes.emplace_back(
      "a filesystem has no known identity, so what was moved there counts as removed and created");
}

// The size of everything that is compared, on one side. It is independent of the changes, so that
// an error in them shows.
std::uint64_t size_on(const SnapshotMeta& meta, const SnapshotMeta& other, const CompareSide& side,
                      fs::Measure measure, std::span<const std::uint64_t> roots) {
  if (missing_roots(meta, other).empty()) return fs::bytes_of(meta.totals, measure);
  std::set<std::string_view> common;
  for (const std::string& root : meta.roots) {
    if (std::find(other.roots.begin(), other.roots.end(), root) != other.roots.end()) {
      common.insert(root);
    }
  }
  std::uint64_t size = bytes_of_other_roots(side, measure, common);
  for (const std::uint64_t row : roots) {
    if (row == kNoRow) continue;
    charge(size, static_cast<std::uint64_t>(side.directories.number(bytes_column(measure), row)));
  }
  return size;
}

bool is_in_one(const std::vector<std::string>& roots, const std::string& path) {
  return std::any_of(roots.begin(), roots.end(),
                     [&](const std::string& root) { return base::is_at_or_below(path, root); });
}

bool is_in_both(const SnapshotMeta& before, const SnapshotMeta& after, const std::string& path) {
  return !path.empty() && is_in_one(before.roots, path) && is_in_one(after.roots, path);
}

// Whether a path is compared alone, because both snapshots contain it, but in different roots.
bool is_alone(const SnapshotMeta& before, const SnapshotMeta& after, const std::string& path) {
  std::vector<std::string> common;
  for (const std::string& root : before.roots) {
    if (std::find(after.roots.begin(), after.roots.end(), root) != after.roots.end()) {
      common.push_back(root);
    }
  }
  // What is in a root below the path may be counted there, on one side.
  const auto has_root_in_it = [&path](const SnapshotMeta& meta) {
    return std::any_of(meta.roots.begin(), meta.roots.end(),
                       [&](const std::string& root) { return base::is_below(root, path); });
  };
  return is_in_both(before, after, path) && !is_in_one(common, path) && !has_root_in_it(before) &&
         !has_root_in_it(after);
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

// Removes roots that are not directories and were not scanned on both sides.
void drop_other_roots(const SnapshotMeta& before, const SnapshotMeta& after, RowChanges& changes) {
  constexpr std::size_t kDropped = ~std::size_t{0};
  const std::set<std::string_view> in_before(before.roots.begin(), before.roots.end());
  const std::set<std::string_view> in_after(after.roots.begin(), after.roots.end());
  // Returns where each entry is now.
  const auto drop = [&](std::vector<LoneEntry>& entries) {
    std::vector<std::size_t> places;
    std::size_t kept = 0;
    for (const LoneEntry& entry : entries) {
      const bool foreign =
          entry.node == 0 && !(in_before.contains(entry.name) && in_after.contains(entry.name));
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

// ---- What the result is about

// DiffOptions::path, or everything.
class Scope {
 public:
  Scope(const std::string& path, DirectoryTable& before, DirectoryTable& after)
      : path_(path), all_(path.empty()) {
    if (all_) return;
    before_ = charged_directory(before, path);
    after_ = charged_directory(after, path);
    if (!before_ && !after_) {
      throw NotFound(path + " is not a directory in either snapshot");
    }
  }

  // Must be called before the functions that are about nodes.
  void find(const std::vector<DiffNode>& nodes) {
    nodes_.assign(nodes.size(), all_);
    if (all_) return;
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const DiffNode& node = nodes[i];
      const auto index = static_cast<DiffNode::Index>(i);
      if (!node.hidden && before_ && node.before == *before_) top_before_ = index;
      if (!node.hidden && after_ && node.after == *after_) top_after_ = index;
      nodes_[i] = is_top(index) || nodes_[node.parent];
    }
  }

  [[nodiscard]] bool all() const { return all_; }
  [[nodiscard]] bool has(DiffNode::Index node) const { return nodes_[node]; }
  [[nodiscard]] const std::string& path() const { return path_; }
  // The node of the path on each side, where it may be another directory; none if nothing in it has
  // changed, or if it is inside of a directory that moved as a whole.
  [[nodiscard]] DiffNode::Index top_before() const { return top_before_; }
  [[nodiscard]] DiffNode::Index top_after() const { return top_after_; }
  [[nodiscard]] bool is_top(DiffNode::Index node) const {
    return node == top_before_ || node == top_after_;
  }
  // Its row on each side.
  [[nodiscard]] std::optional<std::uint64_t> before() const { return before_; }
  [[nodiscard]] std::optional<std::uint64_t> after() const { return after_; }
  [[nodiscard]] ComparedRows rows(DirectoryTable& before, DirectoryTable& after) const {
    return {.before = before_ ? before.entries(*before_) : RowInterval{},
            .after = after_ ? after.entries(*after_) : RowInterval{}};
  }

 private:
  const std::string& path_;
  const bool all_;
  std::vector<bool> nodes_;  // whether each is in scope
  DiffNode::Index top_before_ = DiffNode::kNone;
  DiffNode::Index top_after_ = DiffNode::kNone;
  std::optional<std::uint64_t> before_;
  std::optional<std::uint64_t> after_;
};

// ---- Groups

// Adds what is in scope to the sums.
void add_changes(const RowChanges& changes, const Settled& settled, const Scope& scope,
                 GroupSums& sums) {
  for (const LoneEntry& entry : changes.gone) {
    if (scope.has(entry.node)) sums.take(entry.facts, entry.name);
  }
  for (const LoneEntry& entry : changes.come) {
    if (scope.has(entry.node)) sums.add(entry.facts, entry.name);
  }
  for (const auto& [from, to, name, before, after] : changes.changed) {
    if (scope.has(to)) sums.exchange(before, name, before.bytes, after, name, after.bytes);
  }
  for (const auto* pairs : {&settled.moves, &settled.carried}) {
    for (const auto& [was, is] : *pairs) {
      sums.exchange(was.facts, was.name, scope.has(was.node) ? was.facts.bytes : 0, is.facts,
                    is.name, scope.has(is.node) ? is.facts.bytes : 0);
    }
  }
}

// ---- The result

class Composer {
 public:
  Composer(DirectoryTable& before, DirectoryTable& after, DirectoryColumn bytes,
           std::vector<DiffNode>& nodes, const std::vector<CommonRoot>& roots, const Scope& scope,
           const DiffOptions& options, Diff& diff)
      : before_(before),
        after_(after),
        bytes_(bytes),
        nodes_(nodes),
        roots_(roots),
        scope_(scope),
        options_(options),
        diff_(diff),
        changed_(nodes.size()),
        created_(nodes.size()),
        removed_(nodes.size()),
        path_bytes_(nodes.size()),
        numbers_(nodes.size(), DiffDirectory::kNoParent) {}

  void compose(const RowChanges& changes, const std::vector<MovedEntry>& moves,
               const std::vector<DirectoryMove>& directory_moves,
               const std::vector<OtherFilesystem>& other_filesystems) {
    measure_paths();
    note_other_filesystems(other_filesystems);
    sum_items();
    roll_up();
    sum();
    for (DiffNode::Index i = 1; i < nodes_.size(); ++i) add_directory(i);
    add_created_and_removed(changes);
    add_changed(changes);
    add_moves(moves, directory_moves);
    for (DiffList* list : {&diff_.changed, &diff_.created, &diff_.removed, &diff_.moved}) {
      finish(*list, list == &diff_.moved);
    }
  }

 private:
  // Names the uppermost mount points of them, and counts the others.
  void note_other_filesystems(const std::vector<OtherFilesystem>& all) {
    constexpr std::size_t kMostNamed = 10;
    std::vector<std::string>& notes = diff_.notes;
    std::size_t named = 0;
    std::size_t unnamed = 0;
    for (const OtherFilesystem& other : all) {
      if (!concerns(other)) continue;
      const std::string_view name = after_.name(other.after);
      if (named == kMostNamed || joined_bytes(path_bytes_[other.parent], name) > fs::kLongestPath) {
        ++unnamed;
        continue;
      }
      std::string note = other_filesystem_at(joined(path_of(other.parent), name));
      // It may be a root inside of another one.
      if (std::find(notes.begin(), notes.end(), note) != notes.end()) continue;
      notes.push_back(std::move(note));
      ++named;
    }
    if (unnamed == 0) return;
    notes.push_back("another filesystem is at " + std::to_string(unnamed) +
                    (named == 0 ? "" : " more") + (unnamed == 1 ? " path" : " paths") + " now");
  }

  // Whether it is above what is in scope, or below.
  [[nodiscard]] bool concerns(const OtherFilesystem& other) {
    if (scope_.all()) return true;
    const ComparedRows compared = scope_.rows(before_, after_);
    return compared.before.overlaps(before_.entries(other.before)) ||
           compared.after.overlaps(after_.entries(other.after));
  }

  // The size of the directory on each side; 0 where it does not exist.
  [[nodiscard]] std::uint64_t size_before(const DiffNode& node) {
    return node.before == kNoRow ? 0 : size_of(before_, node.before);
  }
  [[nodiscard]] std::uint64_t size_after(const DiffNode& node) {
    return node.after == kNoRow ? 0 : size_of(after_, node.after);
  }
  [[nodiscard]] std::uint64_t size_of(DirectoryTable& table, std::uint64_t row) const {
    return static_cast<std::uint64_t>(table.number(bytes_, row));
  }

  // Sums what the items of created and removed directories are about. What is inside of a moved
  // directory has items of its own, wherever that is.
  void sum_items() {
    for (std::size_t i = nodes_.size(); i-- > 1;) {
      const DiffNode& node = nodes_[i];
      const State above = nodes_[node.parent].state;
      charge(created_[i], node.balance.created);
      charge(removed_[i], node.balance.removed);
      if (node.state != above) continue;
      if (above == State::created) charge(created_[node.parent], created_[i]);
      if (above == State::removed) charge(removed_[node.parent], removed_[i]);
    }
  }

  // Adds the balance of each directory to the one above. A directory may be in balance although
  // something in it has changed.
  void roll_up() {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      DiffNode& node = nodes_[i];
      changed_[i] = changed_[i] || node.balance != Balance{};
      // What was moved in a directory did not cross its border.
      for (std::uint64_t* moved : {&node.balance.moved_in, &node.balance.moved_out}) {
        *moved -= std::min(*moved, node.moved_within);
      }
      if (i == 0) break;
      nodes_[node.parent].balance.add(node.balance);
      if (changed_[i]) changed_[node.parent] = true;
    }
  }

  // The balance of everything in scope, and the sizes of a path.
  void sum() {
    if (scope_.all()) {
      diff_.balance = nodes_.front().balance;
      return;
    }
    diff_.before = scope_.before() ? size_of(before_, *scope_.before()) : 0;
    diff_.after = scope_.after() ? size_of(after_, *scope_.after()) : 0;
    const DiffNode::Index before = scope_.top_before();
    const DiffNode::Index after = scope_.top_after();
    if (before != DiffNode::kNone) diff_.balance = nodes_[before].balance;
    if (after != DiffNode::kNone && after != before) diff_.balance.add(nodes_[after].balance);
    if (before == DiffNode::kNone && after == DiffNode::kNone && is_unchanged()) return;
    if (before == DiffNode::kNone && scope_.before()) {
      add_moved({.name = scope_.path(),
                 .state = State::moved_away,
                 .before = diff_.before,
                 .balance = {.moved_out = diff_.before}});
    }
    if (after == DiffNode::kNone && scope_.after()) {
      add_moved({.name = scope_.path(),
                 .state = State::moved_here,
                 .after = diff_.after,
                 .balance = {.moved_in = diff_.after}});
    }
  }

  // Whether the path is the same directory on both sides, with the same contents.
  [[nodiscard]] bool is_unchanged() {
    return scope_.before() && scope_.after() &&
           before_.text(DirectoryColumn::subtree_hash, *scope_.before()) ==
               after_.text(DirectoryColumn::subtree_hash, *scope_.after());
  }

  // Adds the directory of the path, which is inside of one that moved as a whole: there, nothing
  // has a node of its own.
  void add_moved(DiffDirectory directory) {
    diff_.balance.add(directory.balance);
    diff_.directories.push_back(std::move(directory));
  }

  void add_directory(DiffNode::Index index) {
    const DiffNode& node = nodes_[index];
    if (!scope_.has(index) || node.hidden || !changed_[index]) return;
    numbers_[index] = diff_.directories.size();
    const bool top = scope_.is_top(index) || node.parent == 0;
    diff_.directories.push_back({.name = top ? path_of(index) : std::string(name_of(node)),
                                 .parent = top ? DiffDirectory::kNoParent : numbers_[node.parent],
                                 .state = node.state,
                                 .before = size_before(node),
                                 .after = size_after(node),
                                 .balance = node.balance});
  }

  // ---- Items

  void add_created_and_removed(const RowChanges& changes) {
    for (DiffNode::Index i = 1; i < nodes_.size(); ++i) {
      const DiffNode& node = nodes_[i];
      if (!scope_.has(i) || node.hidden) continue;
      const State above = nodes_[node.parent].state;
      if (node.state == State::created && (above != State::created || scope_.is_top(i)) &&
          (created_[i] != 0 || !after_.is_repeated(node.after))) {
        add(diff_.created, {.node = i, .kind = fs::Kind::directory, .after = created_[i]});
      }
      if (node.state == State::removed && (above != State::removed || scope_.is_top(i)) &&
          (removed_[i] != 0 || !before_.is_repeated(node.before))) {
        add(diff_.removed, {.node = i, .kind = fs::Kind::directory, .before = removed_[i]});
      }
    }
    for (const LoneEntry& entry : changes.come) {
      if (!scope_.has(entry.node) || nodes_[entry.node].state == State::created) continue;
      add(diff_.created, {.node = entry.node,
                          .name = &entry.name,
                          .kind = entry.facts.kind,
                          .after = entry.facts.bytes});
    }
    for (const LoneEntry& entry : changes.gone) {
      if (!scope_.has(entry.node) || nodes_[entry.node].state == State::removed) continue;
      add(diff_.removed, {.node = entry.node,
                          .name = &entry.name,
                          .kind = entry.facts.kind,
                          .before = entry.facts.bytes});
    }
  }

  void add_changed(const RowChanges& changes) {
    for (const ChangedEntry& entry : changes.changed) {
      if (!scope_.has(entry.to) || entry.before.bytes == entry.after.bytes) continue;
      add(diff_.changed, {.node = entry.to,
                          .name = &entry.name,
                          .kind = entry.after.kind,
                          .before = entry.before.bytes,
                          .after = entry.after.bytes});
    }
  }

  void add_moves(const std::vector<MovedEntry>& moves,
                 const std::vector<DirectoryMove>& directory_moves) {
    for (const DirectoryMove& move : directory_moves) {
      if (!scope_.has(move.from) && !scope_.has(move.to)) continue;
      if (is_same_path(move.from, move.to)) continue;
      add(diff_.moved, {.node = move.to,
                        .kind = fs::Kind::directory,
                        .from = move.from,
                        .before = size_before(nodes_[move.from]),
                        .after = size_after(nodes_[move.to])});
    }
    for (const MovedEntry& move : moves) {
      if (!scope_.has(move.before.node) && !scope_.has(move.after.node)) continue;
      Item item{.node = move.after.node,
                .name = &move.after.name,
                .kind = move.after.facts.kind,
                .before = move.before.facts.bytes,
                .after = move.after.facts.bytes};
      if (move.before.name == move.after.name && is_same_path(move.before.node, move.after.node)) {
        if (item.before != item.after) add(diff_.changed, item);
        continue;
      }
      item.from = move.before.node;
      item.from_name = &move.before.name;
      add(diff_.moved, item);
    }
  }

  // An item whose paths are made only if it is one of the largest.
  struct Item {
    DiffNode::Index node = 0;
    const std::string* name = nullptr;  // null: the directory itself, as in from_name
    fs::Kind kind = fs::Kind::other;
    DiffNode::Index from = DiffNode::kNone;
    const std::string* from_name = nullptr;
    std::uint64_t before = 0;
    std::uint64_t after = 0;
  };

  void add(DiffList& list, const Item& item) {
    ++list.count;
    if (is_too_long(item.node, item.name) || is_too_long(item.from, item.from_name)) {
      ++list.too_long;
    } else {
      items_[&list].push_back(item);
    }
  }

  [[nodiscard]] bool is_too_long(DiffNode::Index node, const std::string* name) const {
    if (node == DiffNode::kNone) return false;
    const std::size_t bytes = path_bytes_[node];
    return (name == nullptr ? bytes : joined_bytes(bytes, *name)) > fs::kLongestPath;
  }

  void finish(DiffList& list, bool moves) {
    std::vector<Item>& items = items_[&list];
    const auto key = [moves](const auto& item) {
      return moves ? std::max(item.before, item.after)
                   : std::max(item.before, item.after) - std::min(item.before, item.after);
    };
    // Equal ones in the order of their paths; of too many, in that in which they were found.
    const std::size_t most = std::min(options_.most, items.size());
    std::stable_sort(items.begin(), items.end(),
                     [&](const Item& a, const Item& b) { return key(a) > key(b); });
    items.resize(most);
    for (const Item& item : items) {
      const auto path = [this](DiffNode::Index node, const std::string* name) {
        return name == nullptr ? path_of(node) : joined(path_of(node), *name);
      };
      list.items.push_back(
          {.path = path(item.node, item.name),
           .from = item.from == DiffNode::kNone ? "" : path(item.from, item.from_name),
           .kind = item.kind,
           .before = item.before,
           .after = item.after});
    }
    std::sort(list.items.begin(), list.items.end(), [&](const DiffItem& a, const DiffItem& b) {
      const std::uint64_t of_a = key(a);
      const std::uint64_t of_b = key(b);
      return of_a != of_b ? of_a > of_b : a.path < b.path;
    });
  }

  // ---- Names

  void measure_paths() {
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      if (nodes_[i].hidden) continue;
      path_bytes_[i] = joined_bytes(path_bytes_[nodes_[i].parent], name_of(nodes_[i]));
    }
  }

  [[nodiscard]] std::string_view name_of(const DiffNode& node) {
    if (node.parent == 0) {
      // Its row may be one below another root, and have only the last part of its path.
      for (const CommonRoot& root : roots_) {
        const bool same =
            node.after != kNoRow ? root.after == node.after : root.before == node.before;
        if (same) return root.path;
      }
    }
    return node.after != kNoRow ? after_.name(node.after) : before_.name(node.before);
  }

  // What was moved is at the same path if the directory above was replaced by the one that it is
  // in now.
  [[nodiscard]] bool is_same_path(DiffNode::Index a, DiffNode::Index b) {
    while (a != b && a != 0 && b != 0 && name_of(nodes_[a]) == name_of(nodes_[b])) {
      a = nodes_[a].parent;
      b = nodes_[b].parent;
    }
    return a == b;
  }

  [[nodiscard]] std::string path_of(DiffNode::Index index) {
    std::vector<DiffNode::Index> above;
    for (; index != 0; index = nodes_[index].parent) above.push_back(index);
    std::string path;
    for (auto at = above.rbegin(); at != above.rend(); ++at) {
      path = joined(std::move(path), name_of(nodes_[*at]));
    }
    return path;
  }

  DirectoryTable& before_;
  DirectoryTable& after_;
  const DirectoryColumn bytes_;
  std::vector<DiffNode>& nodes_;
  const std::vector<CommonRoot>& roots_;
  const Scope& scope_;
  const DiffOptions& options_;
  Diff& diff_;
  std::vector<bool> changed_;           // by node: whether something in it has
  std::vector<std::uint64_t> created_;  // by node: what its item is about, as is the next
  std::vector<std::uint64_t> removed_;
  std::vector<std::size_t> path_bytes_;  // by node: the length of its path
  std::vector<std::size_t> numbers_;     // by node: its index in the result
  std::map<const DiffList*, std::vector<Item>> items_;
};

}  // namespace

std::int64_t Balance::total() const {
  std::uint64_t gained = 0;
  for (const std::uint64_t part : {created, grown, moved_in}) charge(gained, part);
  std::uint64_t lost = 0;
  for (const std::uint64_t part : {removed, shrunk, moved_out}) charge(lost, part);
  charge(reattributed < 0 ? lost : gained, base::magnitude(reattributed));
  return base::saturating_difference(gained, lost);
}

void Balance::add(const Balance& other) {
  charge(created, other.created);
  charge(grown, other.grown);
  charge(removed, other.removed);
  charge(shrunk, other.shrunk);
  charge(moved_in, other.moved_in);
  charge(moved_out, other.moved_out);
  reattributed = base::saturating_add_signed(reattributed, other.reattributed);
}

std::string Diff::path_of(std::size_t directory) const {
  std::vector<std::size_t> above;
  for (; directory != DiffDirectory::kNoParent; directory = directories[directory].parent) {
    above.push_back(directory);
  }
  std::string path;
  for (auto at = above.rbegin(); at != above.rend(); ++at) {
    path = joined(std::move(path), directories[*at].name);
  }
  return path;
}

Diff compare_files(const Snapshot::Files& before, const Snapshot::Files& after,
                   const DiffOptions& options, rt::Executor& executor) {
  const DirectoryColumn bytes = bytes_column(options.measure);
  DirectoryTable table_before(before.directories);
  DirectoryTable table_after(after.directories);
  const bool alone = is_alone(before.meta, after.meta, options.path);
  if (!is_in_both(before.meta, after.meta, options.path) &&
      missing_roots(before.meta, after.meta).size() == before.meta.roots.size()) {
    throw NotFound("the snapshots have no PATH in common: one is of " + list_of(before.meta.roots) +
                   ", the other of " + list_of(after.meta.roots) +
                   "; name a PATH that is in both of them");
  }
  Diff diff;
  diff.notes = notes_about(before.meta, after.meta, alone, options.path);
  Scope scope(options.path, table_before, table_after);
  const bool grouped = options.by_owner || options.by_extension;
  std::optional<ComparedRows> part;
  if (grouped && !scope.all()) part = scope.rows(table_before, table_after);
  DirectoryPairs pairs(table_before, table_after, bytes, part, executor);
  std::vector<CommonRoot> roots;
  if (alone) {
    roots.push_back({.path = scope.path(),
                     .before = scope.before().value_or(kNoRow),
                     .after = scope.after().value_or(kNoRow)});
  } else {
    roots = common_roots(before.meta, table_before, after.meta, table_after);
    require_compared(before.meta, after.meta, scope.path(), roots);
  }
  note_filesystems(roots, before.meta, table_before, after.meta, table_after, diff.notes);
  std::vector<std::uint64_t> rows_before;
  std::vector<std::uint64_t> rows_after;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> rows;
  for (const CommonRoot& root : roots) {
    rows_before.push_back(root.before);
    rows_after.push_back(root.after);
    rows.emplace_back(root.before, root.after);
  }
  pairs.run(rows);
  const CompareSide side_before{before.entries, table_before};
  const CompareSide side_after{after.entries, table_after};
  diff.before = size_on(before.meta, after.meta, side_before, options.measure, rows_before);
  diff.after = size_on(after.meta, before.meta, side_after, options.measure, rows_after);
  RowChanges changes =
      compare_rows(side_before, side_after, pairs.pairs(), pairs.nodes(), options, executor);
  drop_other_roots(before.meta, after.meta, changes);
  const Settled settled = settle(changes, pairs.nodes(), pairs.moves());
  scope.find(pairs.nodes());
  if (grouped) {
    add_changes(changes, settled, scope, changes.carried);
    changes.carried.write(before.meta, after.meta, diff);
  }
  Composer(table_before, table_after, bytes, pairs.nodes(), roots, scope, options, diff)
      .compose(changes, settled.moves, pairs.moves(), pairs.other_filesystems());
  note_long_paths(diff);
  return diff;
}

Diff compare(const Snapshot& before, const Snapshot& after, const DiffOptions& options,
             rt::Executor& executor) {
  return compare_files(before.files(), after.files(), options, executor);
}

}  // namespace fathom::store
