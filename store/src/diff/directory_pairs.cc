// DirectoryPairs: level by level where paths agree; then a queue of what is left over.

#include "diff/directory_pairs.h"

#include <algorithm>
#include <array>
#include <utility>

#include "fathom/fs/filesystem_id.h"

namespace fathom::store {

namespace {

using State = DiffDirectory::State;

// What the comparison of directories reads.
std::array<DirectoryColumn, 13> compared_columns(DirectoryColumn bytes) {
  return {DirectoryColumn::subtree_hash,
          DirectoryColumn::own_hash,
          DirectoryColumn::name,
          DirectoryColumn::name_raw,
          DirectoryColumn::flags,
          DirectoryColumn::id,
          DirectoryColumn::subtree_end,
          DirectoryColumn::subdirs,
          DirectoryColumn::first_subdir,
          DirectoryColumn::ino,
          DirectoryColumn::btime_ns,
          DirectoryColumn::fs_uuid,
          bytes};
}

}  // namespace

DirectoryPairs::DirectoryPairs(DirectoryTable& before, DirectoryTable& after, DirectoryColumn bytes,
                               const std::optional<ComparedRows>& part, rt::Executor& executor)
    : before_(before), after_(after), bytes_(bytes), part_(part), executor_(executor) {}

void DirectoryPairs::run(std::span<const std::pair<std::uint64_t, std::uint64_t>> roots) {
  const DiffNode::Index top = add_node({});
  std::vector<DirectoryPair> level;
  for (const auto& [before, after] : roots) {
    if (after == kNoRow) {
      lost_roots_.push_back({.row = before, .parent = top});
    } else if (before == kNoRow) {
      gained_.push_back({.row = after, .parent = top});
    } else if (!equal_inside(before, after)) {
      level.push_back(pair_in({.from = top, .to = top}, before, after));
    }
  }
  compare_in_place(std::move(level));
  collect_lost();
  collect_gained();
  place_gained();
  report_lost();
}

// ---- Directories at the same path

void DirectoryPairs::compare_in_place(std::vector<DirectoryPair> level) {
  while (!level.empty()) {
    prefetch_subdirectories(level);
    std::vector<DirectoryPair> below;
    for (DirectoryPair& pair : level) {
      // Only now, so that what is equal has no node.
      pair.to = pair.from =
          add_node({.parent = pair.from, .before = pair.before, .after = pair.after});
      expand(pair, below);
    }
    level = std::move(below);
  }
}

void DirectoryPairs::prefetch_subdirectories(std::span<const DirectoryPair> pairs) {
  std::vector<RowInterval> before;
  std::vector<RowInterval> after;
  for (const DirectoryPair& pair : pairs) {
    before.push_back(before_.subdirectories(pair.before));
    after.push_back(after_.subdirectories(pair.after));
  }
  const auto columns = compared_columns(bytes_);
  before_.prefetch(columns, before, executor_);
  after_.prefetch(columns, after, executor_);
}

// Notes whether the pair must be compared entry by entry, and finds its pairs of subdirectories.
void DirectoryPairs::expand(const DirectoryPair& pair, std::vector<DirectoryPair>& below) {
  if (before_.hash(DirectoryColumn::own_hash, pair.before) !=
      after_.hash(DirectoryColumn::own_hash, pair.after)) {
    pairs_.push_back(pair);
    pairs_.back().crossing = crossing_of(pair, pair.before);
  } else if (pair.moved) {
    const std::uint64_t bytes = own_bytes(before_, pair.before);
    charge(nodes_[pair.from].balance.moved_out, bytes);
    charge(nodes_[pair.to].balance.moved_in, bytes);
    carry(pair, pair.before);
  }
  match_subdirectories(pair, below);
}

// Both sides are ordered by name.
void DirectoryPairs::match_subdirectories(const DirectoryPair& pair,
                                          std::vector<DirectoryPair>& below) {
  RowInterval before = before_.subdirectories(pair.before);
  RowInterval after = after_.subdirectories(pair.after);
  // What is in a directory that was moved or replaced is known as lost already.
  const bool known = pair.moved || pair.replaced;
  const auto lose = [&] {
    if (!known) lost_roots_.push_back({.row = before.begin, .parent = pair.from});
    ++before.begin;
  };
  const auto gain = [&](std::uint64_t namesake) {
    gained_.push_back({.row = after.begin, .parent = pair.to, .namesake = namesake});
    ++after.begin;
  };
  while (before.size() > 0 && after.size() > 0) {
    const int compared = before_.name(before.begin).compare(after_.name(after.begin));
    if (compared < 0) {
      lose();
    } else if (compared > 0) {
      gain(kNoRow);
    } else if (known && lost_.at(before.begin).found) {
      gain(kNoRow);
      lose();
    } else if (!known && equal_inside(before.begin, after.begin)) {
      ++before.begin;
      ++after.begin;
    } else {
      compare_filesystems(pair, before.begin, after.begin);
      if (may_be_same(before.begin, after.begin)) {
        below.push_back(pair_in(pair, before.begin, after.begin));
        ++before.begin;
        ++after.begin;
      } else {
        // In a moved directory, what has the same name is at another path.
        gain(pair.moved ? kNoRow : before.begin);
        lose();
      }
    }
  }
  while (before.size() > 0) lose();
  while (after.size() > 0) gain(kNoRow);
}

// Notes a mount point at which another filesystem is now, or none any more, or was none before.
void DirectoryPairs::compare_filesystems(const DirectoryPair& parent, std::uint64_t before,
                                         std::uint64_t after) {
  const auto id_before = [this](std::uint64_t row) {
    return before_.text(DirectoryColumn::fs_uuid, row);
  };
  const auto id_after = [this](std::uint64_t row) {
    return after_.text(DirectoryColumn::fs_uuid, row);
  };
  const std::string_view was = id_before(before);
  const std::string_view is = id_after(after);
  if (was == is) return;
  const std::string_view above_was = id_before(parent.before);
  const std::string_view above_is = id_after(parent.after);
  if (was == above_was && is == above_is) return;
  // If what is above has another identity, too, one that is not a UUID may only be a new one.
  const bool certain = above_was == above_is || (fs::is_uuid(was) && fs::is_uuid(is));
  if (certain) other_filesystems_.push_back({parent.to, before, after});
}

// A pair in another one. If that was moved, it gets its nodes now, otherwise when it is compared.
DirectoryPair DirectoryPairs::pair_in(const DirectoryPair& parent, std::uint64_t before,
                                      std::uint64_t after) {
  DirectoryPair pair = parent;
  pair.before = before;
  pair.after = after;
  if (!parent.moved && !parent.replaced) return pair;
  pair.from = lost_.at(before).node;
  find_lost(before);
  if (parent.moved) {
    pair.to = add_node({.parent = parent.to, .state = State::moved_here, .after = after});
  } else {
    pair.to = pair.from;
    nodes_[pair.to].state = State::kept;
    nodes_[pair.to].after = after;
  }
  return pair;
}

// ---- Directories at other paths

// Makes a node for each directory that is not where it was, the upper ones first.
void DirectoryPairs::collect_lost() {
  std::deque<std::uint64_t> rows;
  for (const Alone& root : lost_roots_) {
    lost_[root.row].node =
        add_node({.parent = root.parent, .state = State::removed, .before = root.row});
    rows.push_back(root.row);
  }
  while (!rows.empty()) {
    const std::uint64_t row = rows.front();
    rows.pop_front();
    if (const EntryIdentity identity = movable_identity(before_, row); identity.certain()) {
      lost_by_identity_.emplace(identity, row);
    }
    const DiffNode::Index node = lost_.at(row).node;
    const RowInterval inside = before_.subdirectories(row);
    for (std::uint64_t at = inside.begin; at < inside.end; ++at) {
      lost_[at] = {.node = add_node({.parent = node, .state = State::removed, .before = at}),
                   .parent = row};
      rows.push_back(at);
    }
  }
}

// Finds out which directories are anywhere in those that are not where they were. Only what may be
// replaced needs it: a directory that was moved is not, even if it is in its successor now.
void DirectoryPairs::collect_gained() {
  std::vector<std::uint64_t> rows;
  bool may_replace = false;
  for (const Alone& gained : gained_) {
    rows.push_back(gained.row);
    may_replace = may_replace || gained.namesake != kNoRow;
  }
  if (!may_replace) return;
  while (!rows.empty()) {
    const std::uint64_t row = rows.back();
    rows.pop_back();
    if (const EntryIdentity identity = movable_identity(after_, row); identity.certain()) {
      gained_identities_.insert(identity);
    }
    const RowInterval inside = after_.subdirectories(row);
    for (std::uint64_t at = inside.begin; at < inside.end; ++at) rows.push_back(at);
  }
}

void DirectoryPairs::place_gained() {
  while (!gained_.empty() || !maybe_replaced_.empty()) {
    if (!gained_.empty()) {
      const Alone gained = gained_.front();
      gained_.pop_front();
      place(gained);
    } else {
      const Alone gained = maybe_replaced_.front();
      maybe_replaced_.pop_front();
      const bool was_moved = gained_identities_.contains(identity_of(before_, gained.namesake));
      was_moved || lost_.at(gained.namesake).found ? create(gained) : replace(gained);
    }
  }
}

// A directory that was not at this path: it was moved, has replaced another one, or is new.
void DirectoryPairs::place(const Alone& gained) {
  const EntryIdentity identity = movable_identity(after_, gained.row);
  const auto known =
      identity.certain() ? lost_by_identity_.find(identity) : lost_by_identity_.end();
  if (known == lost_by_identity_.end() || lost_.at(known->second).found) {
    if (gained.namesake != kNoRow) {
      maybe_replaced_.push_back(gained);
    } else {
      create(gained);
    }
    return;
  }
  const std::uint64_t before = known->second;
  const DiffNode::Index from = lost_.at(before).node;
  const DiffNode::Index to =
      add_node({.parent = gained.parent, .state = State::moved_here, .after = gained.row});
  moves_.push_back({.from = from, .to = to});
  find_lost(before);
  expand_known({.before = before, .after = gained.row, .from = from, .to = to, .moved = true});
}

void DirectoryPairs::create(const Alone& gained) {
  const DiffNode::Index to =
      add_node({.parent = gained.parent, .state = State::created, .after = gained.row});
  pairs_.push_back({.after = gained.row, .from = to, .to = to});
  const RowInterval inside = after_.subdirectories(gained.row);
  for (std::uint64_t at = inside.begin; at < inside.end; ++at) {
    gained_.push_back({.row = at, .parent = to});
  }
}

void DirectoryPairs::replace(const Alone& gained) {
  expand_known(pair_in({.replaced = true}, gained.namesake, gained.row));
}

void DirectoryPairs::find_lost(std::uint64_t row) {
  Lost& found = lost_.at(row);
  found.found = true;
  nodes_[found.node].state = State::moved_away;
  // Above a touched directory, all are.
  for (std::uint64_t above = found.parent; above != kNoRow && !lost_.at(above).touched;
       above = lost_.at(above).parent) {
    lost_.at(above).touched = true;
  }
}

void DirectoryPairs::expand_known(const DirectoryPair& pair) {
  std::vector<DirectoryPair> left = {pair};
  while (!left.empty()) {
    const DirectoryPair next = left.back();
    left.pop_back();
    if (!take_whole(next)) expand(next, left);
  }
}

// Takes a lost directory with everything in it, if nothing in it has changed.
bool DirectoryPairs::take_whole(const DirectoryPair& pair) {
  if (!equal_inside(pair.before, pair.after) || lost_.at(pair.before).touched) {
    return false;
  }
  if (pair.moved) {
    const auto bytes = static_cast<std::uint64_t>(before_.number(bytes_, pair.before));
    charge(nodes_[pair.from].balance.moved_out, bytes);
    charge(nodes_[pair.to].balance.moved_in, bytes);
  }
  std::vector<std::uint64_t> rows = {pair.before};
  while (!rows.empty()) {
    const std::uint64_t row = rows.back();
    rows.pop_back();
    carry(pair, row);
    const RowInterval inside = before_.subdirectories(row);
    for (std::uint64_t at = inside.begin; at < inside.end; ++at) {
      Lost& lost = lost_.at(at);
      lost.found = true;
      nodes_[lost.node].hidden = true;
      rows.push_back(at);
    }
  }
  return true;
}

// Has the rows read of a directory in a moved one, or of that itself, if groups need them: nothing
// in it has changed.
void DirectoryPairs::carry(const DirectoryPair& pair, std::uint64_t row) {
  const Crossing crossing = crossing_of(pair, row);
  if (crossing == Crossing::none) return;
  pairs_.push_back(
      {.before = row, .from = pair.from, .to = pair.to, .moved = true, .crossing = crossing});
}

// `row`: that of pair.before, or of a directory in it if nothing in it has changed.
Crossing DirectoryPairs::crossing_of(const DirectoryPair& pair, std::uint64_t row) {
  if (!part_ || !pair.moved) return Crossing::none;
  const std::uint64_t was = before_.entries(row).begin;
  // What is equal is in the same order on both sides.
  const std::uint64_t is =
      after_.entries(pair.after).begin + (was - before_.entries(pair.before).begin);
  const bool leaves = part_->before.contains(was);
  if (leaves == part_->after.contains(is)) return Crossing::none;
  return leaves ? Crossing::out : Crossing::in;
}

// What nobody has found was removed.
void DirectoryPairs::report_lost() {
  for (const auto& [row, lost] : lost_) {
    if (!lost.found) pairs_.push_back({.before = row, .from = lost.node, .to = lost.node});
  }
}

// ----

DiffNode::Index DirectoryPairs::add_node(const DiffNode& node) {
  nodes_.push_back(node);
  return static_cast<DiffNode::Index>(nodes_.size() - 1);
}

// Whether nothing in the directories differs, nor they themselves, except for their names.
bool DirectoryPairs::equal_inside(std::uint64_t before, std::uint64_t after) {
  return before_.text(DirectoryColumn::subtree_hash, before) ==
         after_.text(DirectoryColumn::subtree_hash, after);
}

// Whether the directories at the same path are the same one, as far as is known.
bool DirectoryPairs::may_be_same(std::uint64_t before, std::uint64_t after) {
  const EntryIdentity was = identity_of(before_, before);
  const EntryIdentity is = identity_of(after_, after);
  return !was.certain() || !is.certain() || was == is;
}

EntryIdentity DirectoryPairs::identity_of(DirectoryTable& table, std::uint64_t row) const {
  return {.filesystem = hash_of_filesystem(table.text(DirectoryColumn::fs_uuid, row)),
          .inode = static_cast<std::uint64_t>(table.number(DirectoryColumn::ino, row)),
          .btime = table.known_number(DirectoryColumn::btime_ns, row).value_or(fs::kUnknownTime)};
}

// Uncertain for what is counted at another path, because that moves there.
EntryIdentity DirectoryPairs::movable_identity(DirectoryTable& table, std::uint64_t row) const {
  return table.is_repeated(row) ? EntryIdentity() : identity_of(table, row);
}

// What the directory has itself, without its subdirectories.
std::uint64_t DirectoryPairs::own_bytes(DirectoryTable& table, std::uint64_t row) const {
  auto bytes = static_cast<std::uint64_t>(table.number(bytes_, row));
  const RowInterval inside = table.subdirectories(row);
  for (std::uint64_t at = inside.begin; at < inside.end; ++at) {
    // Less only if sums have saturated, or if the file is damaged.
    bytes -= std::min(bytes, static_cast<std::uint64_t>(table.number(bytes_, at)));
  }
  return bytes;
}

}  // namespace fathom::store
