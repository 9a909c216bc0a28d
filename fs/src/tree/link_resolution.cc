// resolve_hard_links_and_repeats: sorts the names of each inode by path; the smallest one owns the
// inode.

#include "tree/link_resolution.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fathom/base/path.h"
#include "tree/path_less.h"

namespace fathom::fs {

namespace {

// One name of an inode that may have several.
struct LinkName {
  std::uint64_t device;
  std::uint64_t inode;
  NodeId node;

  [[nodiscard]] auto identity() const { return std::tie(device, inode); }
};

LinkName name_of(const Tree& tree, NodeId node) {
  return {tree.device(node), tree.inode(node), node};
}

// Calls mark for every name of an inode except the smallest.
template <class Less, class Mark>
void mark_all_but_least(std::vector<LinkName>& names, const Less& less, Mark mark) {
  std::sort(names.begin(), names.end(), [](const LinkName& a, const LinkName& b) {
    return std::tie(a.device, a.inode, a.node) < std::tie(b.device, b.inode, b.node);
  });
  for (auto first = names.begin(); first != names.end();) {
    const auto last = std::find_if(first, names.end(), [&](const LinkName& name) {
      return name.identity() != first->identity();
    });
    auto owner = first;
    for (auto name = first + 1; name != last; ++name) {
      if (less(name->node, owner->node)) owner = name;
    }
    for (auto name = first; name != last; ++name) {
      if (name != owner) mark(name->node);
    }
    first = last;
  }
}

// The order that decides which of several copies of a directory owns the contents.
bool directory_less(const Tree& tree, NodeId a, NodeId b) {
  const std::string path_a = tree.path(a);
  const std::string path_b = tree.path(b);
  if (base::is_shallower(path_a, path_b)) return true;
  if (base::is_shallower(path_b, path_a)) return false;
  return tree.root_index(a) < tree.root_index(b);
}

// Marks directories that were reached by more than one path, non-directory roots inside a scanned
// directory, and then the contents of repeated directories.
class Repeats {
 public:
  Repeats(const Tree& tree, const std::function<void(NodeId, NodeFlag)>& mark)
      : tree_(tree), mark_(mark), repeated_(tree.directory_limit()) {
    mark_directories();
    mark_contents();
    if (tree.roots().size() > 1) mark_roots();
  }

 private:
  void mark_directories() {
    std::vector<LinkName> names;
    names.reserve(tree_.directory_limit());
    tree_.for_each_directory([&](DirId id) { names.push_back(name_of(tree_, tree_.node(id))); });
    std::unordered_set<NodeId> repeated;
    mark_all_but_least(
        names, [this](NodeId a, NodeId b) { return directory_less(tree_, a, b); },
        [&](NodeId node) { repeated.insert(node); });
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

  // A root that is not a directory cannot be identified by its parent, so its inode is searched
  // among all entries. If the inode has other links, the path must be the same as well; entries
  // that were reached by another link are left to mark_extra_links.
  void mark_roots() {
    std::unordered_set<std::uint64_t> inodes;  // of those roots
    for_each_plain_root([&](NodeId root) { inodes.insert(tree_.inode(root)); });
    if (inodes.empty()) return;
    std::set<Reached> reached;
    tree_.for_each_node([&](NodeId node) {
      if (tree_.parent(node) == kNoDir || tree_.kind(node) == Kind::directory) return;
      if (inodes.contains(tree_.inode(node))) reached.insert(reached_by(node));
    });
    for_each_plain_root([&](NodeId root) {
      if (!reached.insert(reached_by(root)).second) mark_(root, kRepeated);
    });
  }

  // Device, inode and, if there are several links, the names of the path.
  using Reached = std::tuple<std::uint64_t, std::uint64_t, std::string>;

  Reached reached_by(NodeId node) const {
    std::string names;
    if (tree_.links(node) > 1) {
      const std::string path = tree_.path(node);
      for (const std::string_view name : base::names_along(path)) names.append("/").append(name);
    }
    return {tree_.device(node), tree_.inode(node), std::move(names)};
  }

  template <class Function>
  void for_each_plain_root(Function function) const {
    for (const NodeId root : tree_.roots()) {
      if (root != kNoNode && tree_.kind(root) != Kind::directory) function(root);
    }
  }

  const Tree& tree_;
  const std::function<void(NodeId, NodeFlag)>& mark_;
  std::vector<bool> repeated_;  // by DirId
  bool any_ = false;
};

void mark_extra_links(const Tree& tree, const std::function<void(NodeId, NodeFlag)>& mark) {
  std::vector<LinkName> names;
  tree.for_each_node([&](NodeId node) {
    if (tree.links(node) < 2 || tree.kind(node) == Kind::directory) return;
    if ((tree.flags(node) & kRepeated) != 0) return;
    names.push_back(name_of(tree, node));
  });
  if (names.size() < 2) return;
  const PathLess less(tree);
  mark_all_but_least(names, less, [&](NodeId node) { mark(node, kExtraLink); });
}

}  // namespace

void resolve_hard_links_and_repeats(const Tree& tree,
                                    const std::function<void(NodeId, NodeFlag)>& mark) {
  const Repeats repeats(tree, mark);
  mark_extra_links(tree, mark);
}

}  // namespace fathom::fs
