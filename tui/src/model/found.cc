// Found: passes over the tree.

#include "model/found.h"

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

// The nodes whose names match.
std::vector<fs::NodeId> names_among(const fs::Tree& tree, const std::vector<fs::NodeId>& nodes,
                                    const std::string& text) {
  return joined(in_parts<fs::NodeId>(nodes.size(), [&](std::size_t begin, std::size_t end) {
    fs::NameMatcher matches(text);
    std::vector<fs::NodeId> found;
    for (std::size_t i = begin; i < end; ++i) {
      if (matches(tree.name(nodes[i]))) found.push_back(nodes[i]);
    }
    return found;
  }));
}

Found find_by_name(const Facts& facts, const Query& query) {
  const fs::Tree& tree = facts.tree();
  Found found{query, {}, {}};
  fs::NameMatcher matches(query.text);
  tree.for_each_directory([&](fs::DirId id) {
    if (matches(tree.name(tree.node(id)))) found.directories.push_back(id);
  });
  // Numbers of nodes are dense but for the ends of a few chunks, so they are listed first.
  std::vector<fs::NodeId> others;
  tree.for_each_node([&](fs::NodeId node) {
    if (tree.kind(node) != fs::Kind::directory) others.push_back(node);
  });
  found.others = names_among(tree, others, query.text);
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
  found.others = names_among(tree, before.others, query.text);
  return found;
}

}  // namespace fathom::tui
