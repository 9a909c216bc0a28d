// compare(): directories, then the entries of those that differ, then what moved, and the result.

#include "fathom/store/diff.h"

#include <optional>
#include <utility>

#include "diff/common_roots.h"
#include "diff/compare_files.h"
#include "diff/diff_composer.h"
#include "diff/diff_notes.h"
#include "diff/directory_pairs.h"
#include "diff/directory_path.h"
#include "diff/group_sums.h"
#include "diff/moves.h"
#include "diff/row_changes.h"
#include "diff/scope.h"
#include "fathom/base/saturating.h"
#include "snapshot/directory_table.h"
#include "snapshot/snapshot_files.h"

namespace fathom::store {

namespace {

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
  return path_in(directories, directory);
}

Diff compare_files(const Snapshot::Files& before, const Snapshot::Files& after,
                   const DiffOptions& options, rt::Executor& executor) {
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
  DirectoryPairs pairs(table_before, table_after, bytes_column(options.measure), part, executor);
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
  diff.before = compared_size(before.meta, after.meta, side_before, options.measure, rows_before);
  diff.after = compared_size(after.meta, before.meta, side_after, options.measure, rows_after);
  RowChanges changes =
      compare_rows(side_before, side_after, pairs.pairs(), pairs.nodes(), options, executor);
  drop_other_roots(before.meta, after.meta, changes);
  const Settled settled = settle(changes, pairs.nodes(), pairs.moves());
  scope.find(pairs.nodes());
  if (grouped) {
    add_changes(changes, settled, scope, changes.carried);
    changes.carried.write(before.meta, after.meta, diff);
  }
  compose({.before = table_before,
           .after = table_after,
           .pairs = pairs,
           .roots = roots,
           .scope = scope,
           .changes = changes,
           .settled = settled},
          options, diff);
  note_long_paths(diff);
  return diff;
}

Diff compare(const Snapshot& before, const Snapshot& after, const DiffOptions& options,
             rt::Executor& executor) {
  return compare_files(before.files(), after.files(), options, executor);
}

}  // namespace fathom::store
