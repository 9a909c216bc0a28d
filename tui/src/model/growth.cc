// Growth: directories that no single thing in them explains, and all that is new or gone.

#include "model/growth.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "fathom/base/saturating.h"

namespace fathom::tui {

namespace {

using ChangeKind = Change::Kind;

std::string_view parent_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return path.substr(0, std::max<std::size_t>(slash, 1));
}

// For each directory, the largest change of a single thing directly in it.
class LargestInside {
 public:
  explicit LargestInside(const store::Diff& diff) : most_(diff.directories.size()) {
    for (std::size_t i = 0; i < diff.directories.size(); ++i) {
      const store::DiffDirectory& one = diff.directories[i];
      by_path_[diff.path_of(i)] = i;
      if (one.parent != store::DiffDirectory::kNoParent) note(one.parent, one.change());
    }
    for (const store::DiffList* list : {&diff.changed, &diff.created, &diff.removed}) {
      for (const store::DiffItem& item : list->items) {
        const auto parent = by_path_.find(std::string(parent_of(item.path)));
        if (parent != by_path_.end()) note(parent->second, item.change());
      }
    }
  }

  // Whether it is at least four fifths of that change.
  [[nodiscard]] bool explains(std::size_t directory, std::int64_t change) const {
    return most_[directory] / 4 >= base::magnitude(change) / 5;
  }

 private:
  void note(std::size_t directory, std::int64_t change) {
    most_[directory] = std::max(most_[directory], base::magnitude(change));
  }

  std::unordered_map<std::string, std::size_t> by_path_;
  std::vector<std::uint64_t> most_;
};

void add_directories(const store::Diff& diff, std::vector<Change>& changes) {
  const LargestInside inside(diff);
  for (std::size_t i = 0; i < diff.directories.size(); ++i) {
    const store::DiffDirectory& one = diff.directories[i];
    // What is new or gone as a whole is an item.
    if (one.state != store::DiffDirectory::State::kept || one.change() == 0) continue;
    if (inside.explains(i, one.change())) continue;
    changes.push_back({ChangeKind::changed, one.before, one.after, diff.path_of(i)});
  }
}

void add_items(const store::DiffList& list, ChangeKind kind, std::vector<Change>& changes) {
  for (const store::DiffItem& item : list.items) {
    if (item.change() != 0) changes.push_back({kind, item.before, item.after, item.path});
  }
}

}  // namespace

std::vector<Change> changes_of(const store::Diff& diff) {
  std::vector<Change> changes;
  add_directories(diff, changes);
  add_items(diff.changed, ChangeKind::changed, changes);
  add_items(diff.created, ChangeKind::created, changes);
  add_items(diff.removed, ChangeKind::removed, changes);
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.bytes() != b.bytes() ? a.bytes() > b.bytes() : a.path < b.path;
  });
  return changes;
}

ScannedEntries::ScannedEntries(const Facts& facts, const std::vector<std::string>& roots)
    : facts_(facts) {
  const fs::Tree& tree = facts.tree();
  for (std::size_t i = 0; i < roots.size() && i < tree.roots().size(); ++i) {
    const fs::NodeId node = tree.roots()[i];
    if (node != fs::kNoNode) roots_.push_back({roots[i], {node, facts.directory_at(node)}});
  }
}

const ScannedEntries::Names& ScannedEntries::names_in(fs::DirId directory) {
  const auto [place, is_new] = known_.try_emplace(directory);
  if (!is_new) return place->second;
  const fs::Tree& tree = facts_.tree();
  const Items items = facts_.in(directory);
  for (const fs::DirId id : items.directories) {
    place->second[tree.name(tree.node(id))] = {tree.node(id), id};
  }
  for (const fs::NodeId node : items.others) place->second[tree.name(node)] = {node, fs::kNoDir};
  return place->second;
}

fs::Chosen ScannedEntries::at(const std::string& path) {
  for (const auto& [root, entry] : roots_) {
    if (path == root) return entry;
    const std::string top = root.ends_with('/') ? root : root + '/';
    if (!path.starts_with(top)) continue;
    fs::Chosen found = entry;
    std::string_view rest = std::string_view(path).substr(top.size());
    while (!rest.empty() && found.directory != fs::kNoDir) {
      const std::size_t slash = rest.find('/');
      const Names& names = names_in(found.directory);
      const auto name = names.find(rest.substr(0, slash));
      if (name == names.end()) return {};
      found = name->second;
      rest = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
    }
    return rest.empty() ? found : fs::Chosen{};
  }
  return {};
}

std::string ScannedEntries::below_root(const std::string& path) const {
  if (roots_.size() != 1 || path == roots_.front().first) return path;
  const std::string& root = roots_.front().first;
  const std::string top = root.ends_with('/') ? root : root + '/';
  return path.starts_with(top) ? path.substr(top.size()) : path;
}

Findings findings_of(std::shared_ptr<const Facts> facts, const store::Diff& diff,
                     std::int64_t since, const std::vector<std::string>& roots) {
  Findings findings;
  findings.facts = std::move(facts);
  findings.since = since;
  findings.total = base::saturating_difference(diff.after, diff.before);
  findings.changes = changes_of(diff);
  ScannedEntries entries(*findings.facts, roots);
  std::vector<Finding> items;
  for (std::uint32_t i = 0; i < findings.changes.size(); ++i) {
    Change& change = findings.changes[i];
    const auto [node, directory] = entries.at(change.path);
    items.push_back({node, directory, change.after, change.after, i});
    change.path = entries.below_root(change.path);
  }
  if (!items.empty()) {
    findings.groups.push_back({.kind = FindingGroup::Kind::changes, .end = items.size()});
  }
  findings.items = std::move(items);
  return findings;
}

}  // namespace fathom::tui
