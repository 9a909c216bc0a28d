#include "settle.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace fathom::fs {

namespace {

// One name of an inode that may have others.
struct Name {
  std::uint64_t device;
  std::uint64_t inode;
  NodeId node;

  [[nodiscard]] auto identity() const { return std::tie(device, inode); }
};

Name name_of(const Tree& tree, NodeId node) {
  const Entry entry = tree.entry(node);
  return {entry.device, entry.inode, node};
}

// Calls mark for every name of an inode but that with the smallest path.
template <class Mark>
void mark_all_but_smallest(const Tree& tree, std::vector<Name>& names, Mark mark) {
  std::sort(names.begin(), names.end(), [](const Name& a, const Name& b) {
    return std::tie(a.device, a.inode, a.node) < std::tie(b.device, b.inode, b.node);
  });
  for (auto first = names.begin(); first != names.end();) {
    const auto last = std::find_if(
        first, names.end(), [&](const Name& name) { return name.identity() != first->identity(); });
    auto owner = first;
    for (auto name = first + 1; name != last; ++name) {
      if (tree.path_less(name->node, owner->node)) owner = name;
    }
    for (auto name = first; name != last; ++name) {
      if (name != owner) mark(name->node);
    }
    first = last;
  }
}

// Marks the directories that were reached by more than one path and the roots that are no
// directories but stand in a directory that was scanned; then whatever a repeated directory holds.
class Repeats {
 public:
  Repeats(const Tree& tree, const std::function<void(NodeId, Flag)>& mark)
      : tree_(tree), mark_(mark), repeated_(tree.directory_limit()) {
    mark_directories();
    mark_contents();
    if (tree.roots().size() > 1) mark_roots();
  }

 private:
  void mark_directories() {
    std::vector<Name> names;
    names.reserve(tree_.directory_limit());
    tree_.for_each_directory([&](DirId id) { names.push_back(name_of(tree_, tree_.node(id))); });
    std::unordered_set<NodeId> repeated;
    mark_all_but_smallest(tree_, names, [&](NodeId node) { repeated.insert(node); });
    if (repeated.empty()) return;
    tree_.for_each_directory([&](DirId id) {
      if (!repeated.contains(tree_.node(id))) return;
      repeated_[id] = true;
      any_ = true;
      mark_(tree_.node(id), kRepeated);
    });
  }

  void mark_contents() {
    if (!any_) return;
    tree_.for_each_node([&](NodeId node) {
      const DirId parent = tree_.parent(node);
      if (parent != kNoDir && repeated_[parent] && tree_.kind(node) != Kind::directory) {
        mark_(node, kRepeated);
      }
    });
  }

  // A root that is no directory has no directory to be recognized by: its inode is looked for among
  // all entries. One that has several links and was reached by another of them is left to
  // mark_extra_links.
  void mark_roots() {
    std::unordered_map<std::uint64_t, std::vector<Name>> reached;  // by inode
    for (const NodeId root : tree_.roots()) {
      if (root != kNoNode && tree_.kind(root) != Kind::directory) {
        reached[tree_.entry(root).inode];
      }
    }
    if (reached.empty()) return;
    tree_.for_each_node([&](NodeId node) {
      if (tree_.parent(node) == kNoDir || tree_.kind(node) == Kind::directory) return;
      const auto found = reached.find(tree_.entry(node).inode);
      if (found != reached.end()) found->second.push_back(name_of(tree_, node));
    });
    for (const NodeId root : tree_.roots()) {
      if (root != kNoNode && tree_.kind(root) != Kind::directory) {
        mark_root(root, reached[tree_.entry(root).inode]);
      }
    }
  }

  void mark_root(NodeId root, std::vector<Name>& reached) {
    const Name name = name_of(tree_, root);
    const bool again = std::any_of(reached.begin(), reached.end(), [&](const Name& other) {
      return other.identity() == name.identity() &&
             (tree_.links(root) < 2 || tree_.path(other.node) == tree_.path(root));
    });
    if (again) {
      mark_(root, kRepeated);
    } else {
      reached.push_back(name);
    }
  }

  const Tree& tree_;
  const std::function<void(NodeId, Flag)>& mark_;
  std::vector<bool> repeated_;  // by DirId
  bool any_ = false;
};

void mark_extra_links(const Tree& tree, const std::function<void(NodeId, Flag)>& mark) {
  std::vector<Name> names;
  tree.for_each_node([&](NodeId node) {
    if (tree.links(node) < 2 || tree.kind(node) == Kind::directory) return;
    if ((tree.flags(node) & kRepeated) != 0) return;
    names.push_back(name_of(tree, node));
  });
  mark_all_but_smallest(tree, names, [&](NodeId node) { mark(node, kExtraLink); });
}

}  // namespace

void settle(const Tree& tree, const std::function<void(NodeId, Flag)>& mark) {
  const Repeats repeats(tree, mark);
  mark_extra_links(tree, mark);
}

}  // namespace fathom::fs
