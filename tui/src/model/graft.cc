// Graft: copies both trees into a new one, which resolves hard links again.

#include "model/graft.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "fathom/base/path.h"
#include "fathom/fs/tree_builder.h"

namespace fathom::tui {

namespace {

// Flags that the scan found; the others follow from the whole tree.
constexpr std::uint8_t kFoundFlags = fs::kIncomplete | fs::kFilteredOut | fs::kHasOmittedChildren;

std::vector<fs::DirId> parents_first(const fs::Tree& tree) {
  std::vector<fs::DirId> ids;
  tree.for_each_directory([&](fs::DirId id) { ids.push_back(id); });
  std::stable_sort(ids.begin(), ids.end(),
                   [&](fs::DirId a, fs::DirId b) { return tree.depth(a) < tree.depth(b); });
  return ids;
}

class Grafting {
 public:
  Grafting(const fs::Scan& old, fs::DirId at, const fs::Scan& fresh)
      : old_(old),
        at_(at),
        fresh_(fresh),
        gone_(fresh.tree.roots().empty() || fresh.tree.roots().front() == fs::kNoNode),
        is_replaced_(old.tree.directory_limit()),
        fresh_directories_(fresh.tree.directory_limit(), fs::kNoDir) {
    numbers_.directories.assign(old.tree.directory_limit(), fs::kNoDir);
    old.tree.for_each_node([&](fs::NodeId node) {
      if (node >= numbers_.nodes.size()) numbers_.nodes.resize(node + 1, fs::kNoNode);
    });
    rows_.emplace(builder_);
  }

  Grafted grafted() {
    copy_old();
    if (!gone_) copy_fresh();
    std::vector<fs::NodeId> roots;
    for (const fs::NodeId root : old_.tree.roots()) {
      roots.push_back(root == fs::kNoNode ? root : numbers_.nodes[root]);
    }
    rows_.reset();
    Grafted made;
    made.scan.tree = builder_.finish(std::move(roots));
    if (!gone_) match_names(made.scan.tree);
    fill_rest(made.scan);
    made.numbers = std::move(numbers_);
    return made;
  }

 private:
  using Added = fs::TreeBuilder::Appender::Directory;

  void add_old_directory(fs::DirId id) {
    const fs::Tree& tree = old_.tree;
    const fs::NodeId node = tree.node(id);
    const fs::DirId parent = tree.parent_of(id);
    const Added added = rows_->add_directory(
        parent == fs::kNoDir ? fs::kNoDir : numbers_.directories[parent], tree.depth(id),
        tree.name(node), tree.entry(node), tree.flags(node) & kFoundFlags);
    numbers_.nodes[node] = added.node;
    numbers_.directories[id] = added.id;
  }

  static fs::NodeId add_other(fs::TreeBuilder::Appender& rows, const fs::Tree& tree,
                              fs::NodeId node, fs::DirId parent) {
    const auto target = tree.link_target(node);
    if (target) return rows.add_link(parent, tree.name(node), tree.entry(node), *target);
    return rows.add(parent, tree.name(node), tree.entry(node));
  }

  // All but what is in the directory.
  void copy_old() {
    const fs::Tree& tree = old_.tree;
    for (const fs::DirId id : parents_first(tree)) {
      const fs::DirId parent = tree.parent_of(id);
      is_replaced_[id] = id == at_ || (parent != fs::kNoDir && is_replaced_[parent]);
      if (!is_replaced_[id]) add_old_directory(id);
    }
    tree.for_each_node([&](fs::NodeId node) {
      if (tree.kind(node) == fs::Kind::directory) return;
      const fs::DirId parent = tree.parent(node);
      if (parent != fs::kNoDir && is_replaced_[parent]) return;
      const fs::DirId to = parent == fs::kNoDir ? fs::kNoDir : numbers_.directories[parent];
      numbers_.nodes[node] = add_other(*rows_, tree, node, to);
    });
  }

  void copy_fresh() {
    const fs::Tree& tree = fresh_.tree;
    const fs::DirId above = old_.tree.parent_of(at_);
    const std::uint32_t depth = old_.tree.depth(at_);
    for (const fs::DirId id : parents_first(tree)) {
      const fs::NodeId node = tree.node(id);
      const fs::DirId parent = tree.parent_of(id);
      const bool root = parent == fs::kNoDir;
      const fs::DirId to = !root                 ? fresh_directories_[parent]
                           : above == fs::kNoDir ? fs::kNoDir
                                                 : numbers_.directories[above];
      const std::string_view name = root ? old_.tree.name(old_.tree.node(at_)) : tree.name(node);
      const Added added = rows_->add_directory(to, depth + tree.depth(id), name, tree.entry(node),
                                               tree.flags(node) & kFoundFlags);
      fresh_directories_[id] = added.id;
      if (!root) continue;
      numbers_.nodes[old_.tree.node(at_)] = added.node;
      numbers_.directories[at_] = added.id;
    }
    tree.for_each_node([&](fs::NodeId node) {
      if (tree.kind(node) == fs::Kind::directory || tree.parent(node) == fs::kNoDir) return;
      add_other(*rows_, tree, node, fresh_directories_[tree.parent(node)]);
    });
  }

  // Gives the old entries in the directory the numbers of the new ones with the same path.
  void match_names(const fs::Tree& made) {
    std::map<std::pair<fs::DirId, std::string_view>, fs::NodeId> others;
    std::map<std::pair<fs::DirId, std::string_view>, fs::DirId> directories;
    std::vector<bool> is_fresh(made.directory_limit());
    for (const fs::DirId id : fresh_directories_) {
      if (id == fs::kNoDir) continue;
      is_fresh[id] = true;
      directories[{made.parent_of(id), made.name(made.node(id))}] = id;
    }
    made.for_each_node([&](fs::NodeId node) {
      const fs::DirId parent = made.parent(node);
      if (parent == fs::kNoDir || !is_fresh[parent]) return;
      if (made.kind(node) != fs::Kind::directory) others[{parent, made.name(node)}] = node;
    });
    const fs::Tree& tree = old_.tree;
    for (const fs::DirId id : parents_first(tree)) {
      if (!is_replaced_[id] || id == at_) continue;
      const fs::DirId parent = numbers_.directories[tree.parent_of(id)];
      const auto found = directories.find({parent, tree.name(tree.node(id))});
      if (parent == fs::kNoDir || found == directories.end()) continue;
      numbers_.directories[id] = found->second;
      numbers_.nodes[tree.node(id)] = made.node(found->second);
    }
    tree.for_each_node([&](fs::NodeId node) {
      const fs::DirId parent = tree.parent(node);
      if (tree.kind(node) == fs::Kind::directory || parent == fs::kNoDir) return;
      if (!is_replaced_[parent] || numbers_.directories[parent] == fs::kNoDir) return;
      const auto found = others.find({numbers_.directories[parent], tree.name(node)});
      if (found != others.end()) numbers_.nodes[node] = found->second;
    });
  }

  void fill_rest(fs::Scan& made) const {
    made.roots = old_.roots;
    made.engine = old_.engine;
    made.threads = std::max(old_.threads, fresh_.threads);
    made.seconds = old_.seconds;
    made.filtered_out = old_.filtered_out;
    made.changed = old_.changed + fresh_.changed;
    // Of a scan that was ended early, nothing is left if its only root is replaced.
    const bool is_all = old_.tree.parent_of(at_) == fs::kNoDir && old_.tree.roots().size() == 1;
    made.cancelled = fresh_.cancelled || (old_.cancelled && !is_all);
    const std::string path = old_.tree.path(old_.tree.node(at_));
    for (const fs::ScanError& error : old_.errors) {
      if (!base::is_at_or_below(error.path, path)) made.errors.push_back(error);
    }
    if (!gone_) made.errors.insert(made.errors.end(), fresh_.errors.begin(), fresh_.errors.end());
    std::stable_sort(made.errors.begin(), made.errors.end(),
                     [](const auto& a, const auto& b) { return a.path < b.path; });
    for (const fs::ExcludedEntry& entry : old_.excluded) {
      if (entry.in == fs::kNoDir || is_replaced_[entry.in]) continue;
      made.excluded.push_back({numbers_.directories[entry.in], entry.name, entry.why});
    }
    for (const fs::ExcludedEntry& entry : fresh_.excluded) {
      if (entry.in == fs::kNoDir) continue;
      made.excluded.push_back({fresh_directories_[entry.in], entry.name, entry.why});
    }
  }

  const fs::Scan& old_;
  const fs::DirId at_;
  const fs::Scan& fresh_;
  const bool gone_;  // the directory
  fs::TreeBuilder builder_;
  std::optional<fs::TreeBuilder::Appender> rows_;
  std::vector<bool> is_replaced_;             // by DirId of the old scan
  std::vector<fs::DirId> fresh_directories_;  // by DirId of the fresh scan
  Renumbering numbers_;
};

}  // namespace

Grafted graft(const fs::Scan& old, fs::DirId at, const fs::Scan& fresh) {
  return Grafting(old, at, fresh).grafted();
}

}  // namespace fathom::tui
