// Whatever happens to a tree, a comparison of its snapshots is exact.
//
// Each script edits a tree of its own at random. What is expected comes from the trees themselves:
// sizes from an independent count and from du, moves from the identities of inodes. The sums of
// directories are those of a scan.
//
// FATHOM_EDIT_SCRIPTS=10000 runs more scripts, FATHOM_EDIT_SEED=42 begins with another one. A
// failure prints the seed and the fewest edits that fail.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "compared.h"
#include "fathom/fs/extension.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/utf8.h"
#include "fathom/store/diff.h"
#include "fathom/testing/oracle.h"
#include "fathom/testing/temp_tree.h"
#include "tree_editor.h"

namespace fathom::store {
namespace {

// ---- What a tree is, as other programs see it

// An inode is the same one only if it was created at the same time: numbers are used again.
using Inode = std::tuple<std::uint64_t, std::int64_t, std::uint32_t, mode_t>;

std::optional<Inode> inode_at(const std::string& path) {
  struct statx seen = {};
  constexpr unsigned kWanted = STATX_INO | STATX_TYPE | STATX_BTIME;
  if (::statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, kWanted, &seen) != 0) return {};
  if ((seen.stx_mask & STATX_BTIME) == 0) return {};
  return Inode(seen.stx_ino, seen.stx_btime.tv_sec, seen.stx_btime.tv_nsec, seen.stx_mode & S_IFMT);
}

// Bytes by the path of a directory, or by owner, group or extension: "user 0", "ext txt".
using BytesBy = std::map<std::string, std::uint64_t>;

struct TreeBytes {
  BytesBy directories;
  BytesBy groups;
};

struct TreeState {
  Snapshot snapshot;
  testing::OracleTotals totals;
  std::map<std::string, Inode> inodes;  // by path; without those of unknown creation
  TreeBytes disk;
  TreeBytes apparent;

  [[nodiscard]] std::uint64_t size(fs::Measure measure) const {
    return measure == fs::Measure::disk ? totals.disk_bytes : totals.apparent_bytes;
  }
  [[nodiscard]] const TreeBytes& sizes(fs::Measure measure) const {
    return measure == fs::Measure::disk ? disk : apparent;
  }
};

// The groups are those of the directory at the path and of what is in it.
TreeBytes bytes_in(const fs::Tree& tree, fs::Measure measure, const std::string& path) {
  TreeBytes sizes;
  const fs::Totals totals(tree);
  tree.for_each_directory([&](fs::DirId id) {
    sizes.directories[tree.path(tree.node(id))] = fs::bytes_of(totals.below(id), measure);
  });
  tree.for_each_node([&](fs::NodeId node) {
    if ((tree.flags(node) & (fs::kExtraLink | fs::kUncounted)) != 0) return;
    const std::string at = tree.path(node);
    const fs::Entry entry = tree.entry(node);
    const bool top = at == path && entry.kind() == fs::Kind::directory;
    if (!top && !at.starts_with(path + '/')) return;
    const std::uint64_t bytes =
        measure == fs::Measure::disk ? entry.disk_bytes() : entry.apparent_bytes();
    std::string extension(entry.kind() == fs::Kind::file ? fs::extension_of(tree.name(node)) : "");
    std::transform(extension.begin(), extension.end(), extension.begin(), fs::lower);
    for (const std::string& group : {"user " + std::to_string(entry.uid),
                                     "group " + std::to_string(entry.gid), "ext " + extension}) {
      sizes.groups[group] += bytes;
    }
  });
  return sizes;
}

TreeState state_of(const std::string& root) {
  TreeState state{.snapshot = take({root}),
                  .totals = testing::count({root}),
                  .inodes = {},
                  .disk = {},
                  .apparent = {}};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (const auto inode = inode_at(entry.path())) state.inodes.emplace(entry.path(), *inode);
  }
  const fs::Scan scan = state.snapshot.load();
  state.disk = bytes_in(scan.tree, fs::Measure::disk, root);
  state.apparent = bytes_in(scan.tree, fs::Measure::apparent, root);
  return state;
}

std::uint64_t size_in(const BytesBy& sizes, const std::string& path) {
  const auto found = sizes.find(path);
  return found == sizes.end() ? 0 : found->second;
}

// ---- What is wrong with a comparison

class Flaws {
 public:
  template <class T>
  void expect_equal(const std::string& what, const T& is, const T& expected) {
    if (is == expected) return;
    found_.push_back(what + ": " + std::to_string(is) + ", not " + std::to_string(expected));
  }
  void expect(bool holds, const std::string& otherwise) {
    if (!holds) found_.push_back(otherwise);
  }
  [[nodiscard]] const std::vector<std::string>& found() const { return found_; }

 private:
  std::vector<std::string> found_;
};

void check_balance(const Diff& diff, std::uint64_t before, std::uint64_t after, Flaws& flaws) {
  flaws.expect_equal("before", diff.before, before);
  flaws.expect_equal("after", diff.after, after);
  flaws.expect_equal("the total", diff.balance.total(), static_cast<std::int64_t>(after - before));
  flaws.expect_equal("what was reattributed", diff.balance.reattributed, std::int64_t{0});
  flaws.expect_equal("what was moved in", diff.balance.moved_in, std::uint64_t{0});
  flaws.expect_equal("what was moved out", diff.balance.moved_out, std::uint64_t{0});
}

// No byte has two items.
void check_items(const Diff& diff, Flaws& flaws) {
  std::uint64_t created = 0;
  std::uint64_t removed = 0;
  for (const DiffItem& item : diff.created.items) created += item.after;
  for (const DiffItem& item : diff.removed.items) removed += item.before;
  if (diff.created.count == diff.created.items.size()) {
    flaws.expect_equal("what items say was created", created, diff.balance.created);
  }
  if (diff.removed.count == diff.removed.items.size()) {
    flaws.expect_equal("what items say was removed", removed, diff.balance.removed);
  }
}

// The balance of a directory is its own and those of the directories in it.
void check_sums(const Diff& diff, Flaws& flaws) {
  std::vector<Balance> inside(diff.directories.size());
  Balance roots;
  for (const DiffDirectory& directory : diff.directories) {
    const bool top = directory.parent == DiffDirectory::kNoParent;
    (top ? roots : inside[directory.parent]).add(directory.balance);
  }
  if (!diff.directories.empty()) flaws.expect(roots == diff.balance, "the balances of the roots");
  for (std::size_t i = 0; i < diff.directories.size(); ++i) {
    const Balance& all = diff.directories[i].balance;
    for (const auto part :
         {&Balance::created, &Balance::grown, &Balance::removed, &Balance::shrunk}) {
      flaws.expect(all.*part >= inside[i].*part, "the sums in " + diff.path_of(i));
    }
  }
}

// Of a path, there may be two: what was there, and what is there.
void check_directories(const Diff& diff, const BytesBy& was, const BytesBy& is, Flaws& flaws) {
  std::map<std::string, std::int64_t> reported;
  for (std::size_t i = 0; i < diff.directories.size(); ++i) {
    const DiffDirectory& directory = diff.directories[i];
    flaws.expect_equal("the balance of " + diff.path_of(i), directory.balance.total(),
                       directory.change());
    reported[diff.path_of(i)] += directory.change();
  }
  for (const auto& [path, change] : reported) {
    flaws.expect_equal("the change of " + path, change,
                       static_cast<std::int64_t>(size_in(is, path) - size_in(was, path)));
  }
  for (const auto& [path, size] : was) {
    if (!is.contains(path) || reported.contains(path)) continue;
    flaws.expect_equal(path + ", which is not reported", is.at(path), size);
  }
}

void check_groups(const Diff& diff, const BytesBy& was, const BytesBy& is, Flaws& flaws) {
  std::map<std::string, std::int64_t> reported;
  for (const DiffGroup& group : diff.owners) {
    reported["user " + std::to_string(group.id)] = group.change();
  }
  for (const DiffGroup& group : diff.groups) {
    reported["group " + std::to_string(group.id)] = group.change();
  }
  for (const DiffGroup& group : diff.extensions) reported["ext " + group.name] = group.change();
  for (const BytesBy* sizes : {&was, &is}) {
    for (const auto& [group, bytes] : *sizes) reported.emplace(group, 0);
  }
  for (const auto& [group, change] : reported) {
    flaws.expect_equal("the change of " + group, change,
                       static_cast<std::int64_t>(size_in(is, group) - size_in(was, group)));
  }
}

// ---- Moves

using Renames = std::set<std::pair<std::string, std::string>>;  // from, to

// The entry was moved with a directory.
bool moved_with(const Renames& directories, const std::string& from, const std::string& to) {
  return std::any_of(directories.begin(), directories.end(), [&](const auto& move) {
    const auto& [old, now] = move;
    return from.starts_with(old + '/') && to.starts_with(now + '/') &&
           from.substr(old.size()) == to.substr(now.size());
  });
}

// What is reported as a move is one, and what has one name before and another one after is either
// reported or in a directory that is.
void check_moves(const Diff& diff, const TreeState& before, const TreeState& after, Flaws& flaws) {
  Renames moves;
  Renames of_directories;
  for (const DiffItem& item : diff.moved.items) {
    const auto was = before.inodes.find(item.from);
    const auto is = after.inodes.find(item.path);
    const bool same =
        was != before.inodes.end() && is != after.inodes.end() && was->second == is->second;
    flaws.expect(same || before.inodes.empty(), "no move: " + item.from + " -> " + item.path);
    moves.emplace(item.from, item.path);
    if (item.kind == fs::Kind::directory) of_directories.emplace(item.from, item.path);
  }
  std::map<Inode, std::pair<std::vector<std::string>, std::vector<std::string>>> names;
  for (const auto& [path, inode] : before.inodes) names[inode].first.push_back(path);
  for (const auto& [path, inode] : after.inodes) names[inode].second.push_back(path);
  for (const auto& [inode, paths] : names) {
    if (paths.first.size() != 1 || paths.second.size() != 1) continue;
    const std::string& from = paths.first[0];
    const std::string& to = paths.second[0];
    flaws.expect(from == to || moves.contains({from, to}) || moved_with(of_directories, from, to),
                 "not reported as moved: " + from + " -> " + to);
  }
}

// Where only entries were moved, and no directories, what has crossed the border of a directory are
// those that are on one side of it only.
void check_borders(const Diff& diff, Flaws& flaws) {
  const std::vector<DiffItem>& moves = diff.moved.items;
  const auto is_directory = [](const DiffItem& move) { return move.kind == fs::Kind::directory; };
  if (std::any_of(moves.begin(), moves.end(), is_directory)) return;
  for (std::size_t i = 0; i < diff.directories.size(); ++i) {
    const DiffDirectory& directory = diff.directories[i];
    const std::string path = diff.path_of(i);
    const bool was = directory.state != DiffDirectory::State::created;
    const bool is = directory.state != DiffDirectory::State::removed;
    std::uint64_t moved_in = 0;
    std::uint64_t moved_out = 0;
    for (const DiffItem& move : moves) {
      const bool from = was && move.from.starts_with(path + '/');
      const bool to = is && move.path.starts_with(path + '/');
      if (to && !from) moved_in += move.before;
      if (from && !to) moved_out += move.before;
    }
    flaws.expect_equal("what was moved into " + path, directory.balance.moved_in, moved_in);
    flaws.expect_equal("what was moved out of " + path, directory.balance.moved_out, moved_out);
  }
}

// ---- Backwards

DiffDirectory::State reversed(DiffDirectory::State state) {
  using enum DiffDirectory::State;
  switch (state) {
    case created:
      return removed;
    case removed:
      return created;
    case moved_here:
      return moved_away;
    case moved_away:
      return moved_here;
    case kept:
      return kept;
  }
  return state;
}

using ItemFacts = std::tuple<std::string, std::string, std::uint64_t, std::uint64_t>;

std::set<ItemFacts> items_of(const DiffList& list) {
  std::set<ItemFacts> items;
  for (const DiffItem& item : list.items) {
    items.emplace(item.from, item.path, item.before, item.after);
  }
  return items;
}

std::set<ItemFacts> reversed(const DiffList& list) {
  std::set<ItemFacts> items;
  for (const DiffItem& item : list.items) {
    const bool moved = !item.from.empty();
    items.emplace(moved ? item.path : "", moved ? item.from : item.path, item.after, item.before);
  }
  return items;
}

// The growth of what was moved is at its new place. So which bytes were moved differs, but neither
// the change of a directory nor what was created, removed, grown or shrunk altogether.
void check_reverse(const Diff& diff, const Diff& back, Flaws& flaws) {
  flaws.expect_equal("created and removed", diff.balance.created, back.balance.removed);
  flaws.expect_equal("removed and created", diff.balance.removed, back.balance.created);
  flaws.expect_equal("grown and shrunk", diff.balance.grown, back.balance.shrunk);
  flaws.expect_equal("shrunk and grown", diff.balance.shrunk, back.balance.grown);
  std::set<std::tuple<std::string, DiffDirectory::State, std::int64_t>> forth;
  auto backwards = forth;
  for (std::size_t i = 0; i < diff.directories.size(); ++i) {
    const DiffDirectory& directory = diff.directories[i];
    if (directory.change() == 0) continue;
    forth.emplace(diff.path_of(i), directory.state, directory.change());
  }
  for (std::size_t i = 0; i < back.directories.size(); ++i) {
    const DiffDirectory& directory = back.directories[i];
    if (directory.change() == 0) continue;
    backwards.emplace(back.path_of(i), reversed(directory.state), -directory.change());
  }
  flaws.expect(forth == backwards, "the directories backwards");
  flaws.expect(items_of(diff.created) == reversed(back.removed), "what was created, backwards");
  flaws.expect(items_of(diff.removed) == reversed(back.created), "what was removed, backwards");
  flaws.expect(items_of(diff.moved) == reversed(back.moved), "what was moved, backwards");
  flaws.expect_equal("how much was changed, backwards", diff.changed.count, back.changed.count);
}

// ---- Scripts

void check_part(const TreeState& before, const TreeState& after, fs::Measure measure,
                std::uint64_t seed, Flaws& flaws) {
  std::set<std::string> paths;
  for (const auto* sizes : {&before.disk, &after.disk}) {
    for (const auto& [path, size] : sizes->directories) paths.insert(path);
  }
  const std::string path = *std::next(paths.begin(), static_cast<long>(seed % paths.size()));
  const DiffOptions options{
      .measure = measure, .path = path, .by_owner = true, .by_extension = true};
  const Diff diff = compare(before.snapshot, after.snapshot, options, executor());
  flaws.expect_equal("before in " + path, diff.before,
                     size_in(before.sizes(measure).directories, path));
  check_items(diff, flaws);
  flaws.expect_equal("after in " + path, diff.after,
                     size_in(after.sizes(measure).directories, path));
  flaws.expect_equal("the total of " + path, diff.balance.total(),
                     static_cast<std::int64_t>(diff.after - diff.before));
  check_sums(diff, flaws);
  const auto groups_in = [&](const TreeState& state) {
    return bytes_in(state.snapshot.load().tree, measure, path).groups;
  };
  check_groups(diff, groups_in(before), groups_in(after), flaws);
}

void check(const TreeState& before, const TreeState& after, fs::Measure measure, std::uint64_t seed,
           Flaws& flaws) {
  const DiffOptions options{.measure = measure, .by_owner = true, .by_extension = true};
  const Diff diff = compare(before.snapshot, after.snapshot, options, executor());
  check_balance(diff, before.size(measure), after.size(measure), flaws);
  check_sums(diff, flaws);
  check_items(diff, flaws);
  const TreeBytes& was = before.sizes(measure);
  const TreeBytes& is = after.sizes(measure);
  check_directories(diff, was.directories, is.directories, flaws);
  check_groups(diff, was.groups, is.groups, flaws);
  check_moves(diff, before, after, flaws);
  check_borders(diff, flaws);
  check_reverse(diff, compare(after.snapshot, before.snapshot, options, executor()), flaws);
  check_part(before, after, measure, seed, flaws);
}

struct EditRun {
  std::vector<std::string> script;  // what was done between the snapshots
  std::vector<std::string> flaws;
};

EditRun run_script(std::uint64_t seed, std::size_t edits) {
  const testing::TempTree tree;
  TreeEditor editor(tree, seed);
  editor.edit(40);
  const std::size_t prepared = editor.script().size();
  const TreeState before = state_of(tree.path());
  {
    // Filesystems use the numbers of removed inodes again, so half of the scripts let them.
    const std::optional<KeptInodes> kept =
        seed % 2 == 0 ? std::optional<KeptInodes>(tree.path()) : std::nullopt;
    editor.edit(edits);
  }
  const TreeState after = state_of(tree.path());
  Flaws flaws;
  for (const auto measure : {fs::Measure::disk, fs::Measure::apparent}) {
    check(before, after, measure, seed, flaws);
  }
  if (seed % 50 == 0) {
    flaws.expect_equal("du", testing::du(tree.path(), false), after.totals.disk_bytes);
  }
  return {.script = {editor.script().begin() + static_cast<std::ptrdiff_t>(prepared),
                     editor.script().end()},
          .flaws = flaws.found()};
}

// The seed, the script and what is wrong; of the shortest beginning of the script that fails.
std::string story_of(std::uint64_t seed, std::size_t edits) {
  EditRun run;
  for (std::size_t fewer = 1; fewer <= edits && run.flaws.empty(); ++fewer) {
    run = run_script(seed, fewer);
  }
  std::string story = "seed " + std::to_string(seed) + '\n';
  if (run.flaws.empty()) story += "  repeated, it does not fail\n";
  for (const std::string& line : run.script) story += "  " + fs::to_escaped_utf8(line) + '\n';
  for (const std::string& flaw : run.flaws) story += "wrong: " + fs::to_escaped_utf8(flaw) + '\n';
  return story;
}

std::uint64_t number_in(const char* variable, std::uint64_t otherwise) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

TEST(DiffOfAnyEdits, IsExact) {
  const std::uint64_t first = number_in("FATHOM_EDIT_SEED", 1);
  const std::uint64_t scripts = number_in("FATHOM_EDIT_SCRIPTS", 300);
  for (std::uint64_t seed = first; seed < first + scripts && !HasFailure(); ++seed) {
    const std::size_t edits = 1 + seed % 30;
    if (const EditRun run = run_script(seed, edits); !run.flaws.empty()) {
      ADD_FAILURE() << run.flaws.front() << '\n' << story_of(seed, edits);
    }
  }
}

}  // namespace
}  // namespace fathom::store
