// Found: passes over the tree.

#include "model/found.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "fathom/fs/extension.h"
#include "fathom/fs/name_matcher.h"
#include "model/passes.h"

namespace fathom::tui {

namespace {

bool matches_fact(const fs::Tree& tree, fs::NodeId node, const Query& query) {
  switch (query.kind) {
    case Query::Kind::extension:
      return tree.kind(node) == fs::Kind::file &&
             fs::same_extension(fs::extension_of(tree.name(node)), query.text);
    case Query::Kind::user:
      return tree.uid(node) == query.id;
    case Query::Kind::group:
      return tree.gid(node) == query.id;
    case Query::Kind::modified:
      return tree.mtime(node) >= query.from && tree.mtime(node) <= query.until;
    case Query::Kind::name:
    case Query::Kind::condition:
      break;
  }
  return false;
}

Found find_by_fact(const Facts& facts, const Query& query) {
  const fs::Tree& tree = facts.tree();
  Found found{query, {}, {}};
  tree.for_each_node([&](fs::NodeId node) {
    if (tree.kind(node) == fs::Kind::directory || (tree.flags(node) & fs::kUncounted) != 0) return;
    if (matches_fact(tree, node, query)) found.others.push_back(node);
  });
  return found;
}

// Makes the nodes be those of item_at(i), for i from 0 to count, whose names match.
template <class ItemAt>
void fill_with_names(const fs::Tree& tree, const std::string& text, std::size_t count,
                     ItemAt item_at, std::vector<fs::NodeId>& nodes) {
  fill_with(nodes, count, item_at, [&] {
    return [&tree, matches = fs::NameMatcher(text)](fs::NodeId node) mutable {
      return matches(tree.name(node));
    };
  });
}

// The lists of entries that are not directories, of all directories, as one.
class AllOthers {
 public:
  explicit AllOthers(const Facts& facts) {
    add(facts.in(fs::kNoDir).others);
    facts.tree().for_each_directory([&](fs::DirId id) { add(facts.in(id).others); });
  }

  [[nodiscard]] std::size_t lists() const { return lists_.size(); }
  [[nodiscard]] std::size_t size() const { return ends_.empty() ? 0 : ends_.back(); }

  // Reads them one after the other faster than in any order: `hint` is the list of the last one.
  [[nodiscard]] fs::NodeId at(std::size_t index, std::size_t& hint) const {
    if (index >= ends_[hint] || (hint > 0 && index < ends_[hint - 1])) {
      const auto list = std::upper_bound(ends_.begin(), ends_.end(), index);
      hint = static_cast<std::size_t>(list - ends_.begin());
    }
    return lists_[hint][index - (hint == 0 ? 0 : ends_[hint - 1])];
  }

 private:
  void add(std::span<const fs::NodeId> list) {
    if (list.empty()) return;
    lists_.push_back(list);
    ends_.push_back(size() + list.size());
  }

  std::vector<std::span<const fs::NodeId>> lists_;
  std::vector<std::size_t> ends_;  // behind the last one of each list
};

Found find_by_name(const Facts& facts, const Query& query) {
  const fs::Tree& tree = facts.tree();
  Found found{query, {}, {}};
  fs::NameMatcher matches(query.text);
  tree.for_each_directory([&](fs::DirId id) {
    if (matches(tree.name(tree.node(id)))) found.directories.push_back(id);
  });
  const AllOthers all(facts);
  const auto item_at = [&](std::size_t index) {
    // Each thread reads a part in its order; at() checks the hint.
    thread_local std::size_t hint = 0;
    if (hint >= all.lists()) hint = 0;
    return all.at(index, hint);
  };
  fill_with_names(tree, query.text, all.size(), item_at, found.others);
  return found;
}

// The roots are where the search takes place.
Found find_by_condition(const Facts& facts, const Query& query) {
  const fs::Tree& tree = facts.tree();
  Found found{query, {}, {}};
  ConditionFilter filter(facts, *query.condition);
  tree.for_each_directory([&](fs::DirId id) {
    if (tree.parent_of(id) == fs::kNoDir) return;
    if (filter.selects(tree.node(id), id)) found.directories.push_back(id);
  });
  tree.for_each_node([&](fs::NodeId node) {
    if (tree.kind(node) == fs::Kind::directory || (tree.flags(node) & fs::kUncounted) != 0) return;
    if (filter.selects(node, fs::kNoDir)) found.others.push_back(node);
  });
  return found;
}

}  // namespace

Found find_all(const Facts& facts, const Query& query) {
  switch (query.kind) {
    case Query::Kind::name:
      return find_by_name(facts, query);
    case Query::Kind::condition:
      return find_by_condition(facts, query);
    default:
      return find_by_fact(facts, query);
  }
}

Found find_among(const Facts& facts, const Found& before, const Query& query) {
  const fs::Tree& tree = facts.tree();
  Found found{query, {}, {}};
  fs::NameMatcher matches(query.text);
  for (const fs::DirId id : before.directories) {
    if (matches(tree.name(tree.node(id)))) found.directories.push_back(id);
  }
  fill_with_names(
      tree, query.text, before.others.size(), [&](std::size_t i) { return before.others[i]; },
      found.others);
  return found;
}

}  // namespace fathom::tui
