// settle(): by identity, in the order reattributions, moves, and the rest.

#include "diff/moves.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace fathom::store {

namespace {

// Charges a change of size to a node.
void charge_change(Balance& balance, std::uint64_t before, std::uint64_t after) {
  if (after > before) {
    charge(balance.grown, after - before);
  } else {
    charge(balance.shrunk, before - after);
  }
}

void reattribute_to(Balance& balance, std::int64_t bytes) {
  balance.reattributed = base::saturating_add_signed(balance.reattributed, bytes);
}

// Finds the lowest directory that contains two others, in a time that grows with the logarithm of
// their depths: each has a jump to a directory above it, which is far away for every second one,
// and so on, as in a skip list.
class CommonDirectories {
 public:
  explicit CommonDirectories(const std::vector<DiffNode>& nodes) : nodes_(nodes), above_(1) {
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const DiffNode::Index parent = nodes[i].parent;
      const Above& near = above_[parent];
      const Above& far = above_[near.jump];
      const bool doubles = near.depth - far.depth == far.depth - above_[far.jump].depth;
      above_.push_back({.depth = near.depth + 1, .jump = doubles ? far.jump : parent});
    }
  }

  [[nodiscard]] DiffNode::Index of(DiffNode::Index a, DiffNode::Index b) const {
    if (above_[a].depth < above_[b].depth) std::swap(a, b);
    const std::uint32_t depth = above_[b].depth;
    while (above_[a].depth > depth) {
      const DiffNode::Index jump = above_[a].jump;
      a = above_[jump].depth >= depth ? jump : nodes_[a].parent;
    }
    while (a != b) {
      // Directories of the same depth have jumps of the same length.
      const bool jumps = above_[a].jump != above_[b].jump;
      a = jumps ? above_[a].jump : nodes_[a].parent;
      b = jumps ? above_[b].jump : nodes_[b].parent;
    }
    return a;
  }

 private:
  struct Above {
    std::uint32_t depth = 0;
    DiffNode::Index jump = 0;
  };

  const std::vector<DiffNode>& nodes_;
  std::vector<Above> above_;  // by node
};

// Charges bytes that were at one place and are at another.
void charge_move(std::vector<DiffNode>& nodes, const CommonDirectories& common,
                 DiffNode::Index from, DiffNode::Index to, std::uint64_t bytes) {
  charge(nodes[from].balance.moved_out, bytes);
  charge(nodes[to].balance.moved_in, bytes);
  charge(nodes[common.of(from, to)].moved_within, bytes);
}

// Does the last of these for what is in moved directories; nothing else was moved yet.
void charge_directory_moves(std::vector<DiffNode>& nodes, const CommonDirectories& common,
                            std::span<const DirectoryMove> moves) {
  std::vector<DiffNode::Index> within(nodes.size(), DiffNode::kNone);
  for (const DirectoryMove& move : moves) within[move.to] = common.of(move.from, move.to);
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].state != DiffDirectory::State::moved_here) continue;
    // What is in a moved directory was moved from the same place to the same place.
    if (within[i] == DiffNode::kNone) within[i] = within[nodes[i].parent];
    charge(nodes[within[i]].moved_within, nodes[i].balance.moved_in);
  }
}

// The two names of an inode that its bytes are charged to, before and after. Each is an entry of
// one of the lists.
struct Relinked {
  ChangedEntry* changed_before = nullptr;
  ChangedEntry* changed_after = nullptr;
  LoneEntry* gone = nullptr;
  LoneEntry* come = nullptr;

  [[nodiscard]] bool complete() const {
    return (changed_before != nullptr || gone != nullptr) &&
           (changed_after != nullptr || come != nullptr);
  }
};

using Inodes = std::map<EntryIdentity, Relinked>;

// Inodes that were charged to another name before, of which at least one is on both sides.
Inodes relinked_inodes(RowChanges& changes) {
  Inodes inodes;
  for (ChangedEntry& entry : changes.changed) {
    if (entry.before.further_link == entry.after.further_link) continue;
    Relinked& inode = inodes[entry.before.identity];
    (entry.before.further_link ? inode.changed_after : inode.changed_before) = &entry;
  }
  for (LoneEntry& entry : changes.gone) {
    const auto inode = inodes.find(entry.facts.identity);
    if (inode != inodes.end() && !entry.facts.further_link) inode->second.gone = &entry;
  }
  for (LoneEntry& entry : changes.come) {
    const auto inode = inodes.find(entry.facts.identity);
    if (inode != inodes.end() && !entry.facts.further_link) inode->second.come = &entry;
  }
  return inodes;
}

// The name to which the bytes of the inode were charged, which loses them.
LoneEntry take_charge(const Relinked& inode) {
  LoneEntry was;
  if (ChangedEntry* const entry = inode.changed_before; entry != nullptr) {
    // If a directory was moved, so were the bytes in it: they are lost where it is now.
    was = {.node = entry->to, .name = entry->name, .facts = entry->before};
    entry->before.bytes = 0;
  } else {
    was = *inode.gone;
    inode.gone->facts.bytes = 0;
  }
  return was;
}

// Moves the bytes from the one name to the other. What is left there is the change of the size.
std::vector<MovedEntry> reattribute(RowChanges& changes, std::vector<DiffNode>& nodes) {
  std::vector<MovedEntry> relinked;
  std::vector<ChangedEntry> grown;  // through names that are new
  for (auto& [identity, inode] : relinked_inodes(changes)) {
    if (!inode.complete()) continue;
    LoneEntry was = take_charge(inode);
    LoneEntry is{.node = 0, .name = {}, .facts = was.facts};
    if (ChangedEntry* const entry = inode.changed_after; entry != nullptr) {
      is.node = entry->to;
      is.name = entry->name;
      entry->before.bytes = was.facts.bytes;
    } else {
      is.node = inode.come->node;
      is.name = inode.come->name;
      grown.push_back({.from = is.node,
                       .to = is.node,
                       .name = is.name,
                       .before = was.facts,
                       .after = inode.come->facts});
      inode.come->facts.bytes = 0;
    }
    const std::int64_t bytes = base::saturating_difference(was.facts.bytes, 0);
    reattribute_to(nodes[was.node].balance, -bytes);
    reattribute_to(nodes[is.node].balance, bytes);
    relinked.push_back({.before = std::move(was), .after = std::move(is)});
  }
  changes.changed.insert(changes.changed.end(), std::make_move_iterator(grown.begin()),
                         std::make_move_iterator(grown.end()));
  return relinked;
}

// Entries that may have moved, by identity; of the names of an inode, the one with the charge
// first, and then by their places in the snapshot, so that forwards and backwards the same ones are
// pairs. `row`: of a directory on the side of the entries.
std::vector<std::size_t> movable(const std::vector<LoneEntry>& entries,
                                 const std::vector<DiffNode>& nodes, std::uint64_t DiffNode::*row) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const EntryFacts& facts = entries[i].facts;
    if (facts.kind != fs::Kind::directory && facts.identity.certain()) order.push_back(i);
  }
  const auto key = [&](std::size_t i) {
    const auto& [node, name, facts] = entries[i];
    return std::tuple(facts.identity, facts.kind, facts.further_link, nodes[node].*row,
                      std::string_view(name));
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

template <class Entry>
void erase_marked(std::vector<Entry>& entries, const std::vector<bool>& marked) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (!marked[i]) {
      if (kept != i) entries[kept] = std::move(entries[i]);
      ++kept;
    }
  }
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(kept), entries.end());
}

void find_moves(RowChanges& changes, std::vector<DiffNode>& nodes, const CommonDirectories& common,
                Settled& settled) {
  const std::vector<std::size_t> gone = movable(changes.gone, nodes, &DiffNode::before);
  const std::vector<std::size_t> come = movable(changes.come, nodes, &DiffNode::after);
  std::vector<bool> gone_moved(changes.gone.size());
  std::vector<bool> come_moved(changes.come.size());
  const auto key = [](const LoneEntry& entry) {
    return std::pair(entry.facts.identity, entry.facts.kind);
  };
  auto from = gone.begin();
  auto to = come.begin();
  while (from != gone.end() && to != come.end()) {
    LoneEntry& before = changes.gone[*from];
    LoneEntry& after = changes.come[*to];
    if (key(before) < key(after)) {
      ++from;
    } else if (key(after) < key(before)) {
      ++to;
    } else {
      gone_moved[*from++] = true;
      come_moved[*to++] = true;
      settled.moves.push_back({.before = std::move(before), .after = std::move(after)});
    }
  }
  for (const auto& [lost, gained] : changes.replaced) {
    if (gone_moved[lost] || come_moved[gained]) continue;
    gone_moved[lost] = true;
    come_moved[gained] = true;
    LoneEntry& before = changes.gone[lost];
    LoneEntry& after = changes.come[gained];
    changes.changed.push_back({.from = before.node,
                               .to = after.node,
                               .name = after.name,
                               .before = before.facts,
                               .after = after.facts});
    // In a moved directory, also what was replaced has moved.
    if (before.node != after.node) {
      charge_move(nodes, common, before.node, after.node, before.facts.bytes);
      after.facts = before.facts;
      settled.carried.push_back({.before = std::move(before), .after = std::move(after)});
    }
  }
  changes.replaced.clear();
  erase_marked(changes.gone, gone_moved);
  erase_marked(changes.come, come_moved);
}

}  // namespace

Settled settle(RowChanges& changes, std::vector<DiffNode>& nodes,
               std::span<const DirectoryMove> directory_moves) {
  const CommonDirectories common(nodes);
  charge_directory_moves(nodes, common, directory_moves);
  Settled settled;
  settled.carried = reattribute(changes, nodes);
  find_moves(changes, nodes, common, settled);
  for (const MovedEntry& move : settled.moves) {
    charge_move(nodes, common, move.before.node, move.after.node, move.before.facts.bytes);
    charge_change(nodes[move.after.node].balance, move.before.facts.bytes, move.after.facts.bytes);
  }
  for (const LoneEntry& entry : changes.gone) {
    charge(nodes[entry.node].balance.removed, entry.facts.bytes);
  }
  for (const LoneEntry& entry : changes.come) {
    charge(nodes[entry.node].balance.created, entry.facts.bytes);
  }
  for (const ChangedEntry& entry : changes.changed) {
    charge_change(nodes[entry.to].balance, entry.before.bytes, entry.after.bytes);
  }
  return settled;
}

}  // namespace fathom::store
