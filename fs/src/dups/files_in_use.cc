// FilesInUse: marks the directories that are set aside, the highest first.

#include "dups/files_in_use.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "fathom/base/path.h"
#include "tree/deepest_first.h"

namespace fathom::fs {

namespace {

// A saved scan may have roots that are not there any more.
std::string absolute_root(const std::string& root) {
  if (auto real = base::real_path(root)) return *std::move(real);
  return base::joined_path(base::current_directory().value_or("/"), root);
}

}  // namespace

FilesInUse::FilesInUse(const Tree& tree)
    : tree_(tree), set_aside_(base::own_set_aside()), is_aside_(tree.directory_limit()) {
  for (const NodeId root : tree.roots()) {
    roots_.push_back(root == kNoNode ? "" : absolute_root(std::string(tree.name(root))));
  }
  const std::vector<DirId> directories = deepest_first(tree);
  for (auto id = directories.rbegin(); id != directories.rend(); ++id) {
    const DirId parent = tree.parent_of(*id);
    is_aside_[*id] = (parent != kNoDir && is_aside_[parent]) || is_set_aside_itself(tree.node(*id));
  }
}

bool FilesInUse::has(NodeId node) const {
  const DirId parent = tree_.parent(node);
  return (parent == kNoDir || !is_aside_[parent]) && !is_set_aside_itself(node);
}

bool FilesInUse::is_set_aside_itself(NodeId node) const {
  const bool is_root = tree_.parent(node) == kNoDir;
  if (!is_root && !base::SetAside::is_possible_name(tree_.name(node))) return false;
  const std::size_t root = tree_.root_index(node);
  const std::string path = tree_.path(node);
  std::string_view below = path;
  below.remove_prefix(tree_.name(tree_.roots()[root]).size());
  below.remove_prefix(std::min(below.find_first_not_of('/'), below.size()));
  return set_aside_.why(base::joined_path(roots_[root], below)).has_value();
}

}  // namespace fathom::fs
