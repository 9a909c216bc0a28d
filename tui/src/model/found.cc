// Found: passes over the tree.

#include "model/found.h"

#include "fathom/fs/extension.h"
#include "fathom/fs/name_matcher.h"

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

Found find_by_name(const Facts& facts, const Query& query) {
  const fs::Tree& tree = facts.tree();
  Found found{query, {}, {}};
  fs::NameMatcher matches(query.text);
  tree.for_each_directory([&](fs::DirId id) {
    if (matches(tree.name(tree.node(id)))) found.directories.push_back(id);
  });
  tree.for_each_node([&](fs::NodeId node) {
    if (tree.kind(node) == fs::Kind::directory) return;
    if (matches(tree.name(node))) found.others.push_back(node);
  });
  return found;
}

}  // namespace

Found find_all(const Facts& facts, const Query& query) {
  return query.kind == Query::Kind::name ? find_by_name(facts, query) : find_by_fact(facts, query);
}

Found find_among(const Facts& facts, const Found& before, const Query& query) {
  const fs::Tree& tree = facts.tree();
  Found found{query, {}, {}};
  fs::NameMatcher matches(query.text);
  for (const fs::DirId id : before.directories) {
    if (matches(tree.name(tree.node(id)))) found.directories.push_back(id);
  }
  for (const fs::NodeId node : before.others) {
    if (matches(tree.name(node))) found.others.push_back(node);
  }
  return found;
}

}  // namespace fathom::tui
