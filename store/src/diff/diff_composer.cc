#include "diff/diff_composer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "diff/diff_notes.h"
#include "diff/directory_path.h"
#include "fathom/fs/table.h"

namespace fathom::store {

namespace {

using State = DiffDirectory::State;

// The length of a joined path, where nothing is above a root.
std::size_t joined_bytes(std::size_t path, std::string_view name) {
  if (name.empty()) return path;
  return path + (path > std::string_view("/").size() ? 1 : 0) + name.size();
}

class Composer {
 public:
  Composer(const Compared& compared, const DiffOptions& options, Diff& diff)
      : before_(compared.before),
        after_(compared.after),
        bytes_(bytes_column(options.measure)),
        nodes_(compared.pairs.nodes()),
        roots_(compared.roots),
        scope_(compared.scope),
        options_(options),
        diff_(diff),
        changed_(nodes_.size()),
        created_(nodes_.size()),
        removed_(nodes_.size()),
        path_bytes_(nodes_.size()),
        numbers_(nodes_.size(), DiffDirectory::kNoParent) {}

  void compose(const Compared& compared) {
    measure_paths();
    note_other_filesystems(compared.pairs.other_filesystems());
    sum_items();
    roll_up();
    sum();
    for (DiffNode::Index i = 1; i < nodes_.size(); ++i) add_directory(i);
    add_created_and_removed(compared.changes);
    add_changed(compared.changes);
    add_moves(compared.settled.moves, compared.pairs.moves());
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

void compose(const Compared& compared, const DiffOptions& options, Diff& diff) {
  Composer(compared, options, diff).compose(compared);
}

}  // namespace fathom::store
