// ScannedPaths: climbs from an entry to its root, whose path was resolved at the beginning.

#include "rules/scanned_paths.h"

#include <algorithm>
#include <string_view>

#include "fathom/base/path.h"
#include "os/safe_open.h"

namespace fathom::act {

ScannedPaths::ScannedPaths(const fs::Scan& scan) : tree_(scan.tree) {
  for (const fs::NodeId root : tree_.roots()) {
    ScannedRoot& known = roots_.emplace_back();
    if (root == fs::kNoNode) continue;
    known.path = base::real_path(std::string(tree_.name(root))).value_or("");
    known.device = tree_.device(root);
    if (!known.path.empty()) static_cast<void>(open_root(known.path, known.folder));
  }
}

std::string ScannedPaths::below_root(fs::NodeId node) const {
  std::vector<std::string_view> names;
  while (tree_.parent(node) != fs::kNoDir) {
    names.push_back(tree_.name(node));
    node = tree_.node(tree_.parent(node));
  }
  std::string path;
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!path.empty()) path += '/';
    path += *name;
  }
  return path;
}

std::string ScannedPaths::path(fs::NodeId node) const {
  const std::string& root = root_of(node).path;
  if (root.empty() || tree_.parent(node) == fs::kNoDir) return root;
  return (root == "/" ? "" : root) + '/' + below_root(node);
}

fs::NodeId ScannedPaths::find(const std::string& path) const {
  fs::NodeId found = fs::kNoNode;
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  tree_.for_each_node([&](fs::NodeId node) {
    if (found != fs::kNoNode) return;
    const bool is_root = tree_.parent(node) == fs::kNoDir;
    if ((is_root || tree_.name(node) == name) && this->path(node) == path) found = node;
  });
  return found;
}

}  // namespace fathom::act
