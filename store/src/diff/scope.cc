#include "diff/scope.h"

#include <cstddef>

#include "diff/charged_directory.h"
#include "fathom/store/snapshot.h"

namespace fathom::store {

Scope::Scope(const std::string& path, DirectoryTable& before, DirectoryTable& after)
    : path_(path), all_(path.empty()) {
  if (all_) return;
  before_ = charged_directory(before, path);
  after_ = charged_directory(after, path);
  if (!before_ && !after_) {
    throw NotFound(path + " is not a directory in either snapshot");
  }
}

void Scope::find(const std::vector<DiffNode>& nodes) {
  nodes_.assign(nodes.size(), all_);
  if (all_) return;
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    const DiffNode& node = nodes[i];
    const auto index = static_cast<DiffNode::Index>(i);
    if (!node.hidden && before_ && node.before == *before_) top_before_ = index;
    if (!node.hidden && after_ && node.after == *after_) top_after_ = index;
    nodes_[i] = is_top(index) || nodes_[node.parent];
  }
}

}  // namespace fathom::store
