// PlanRoots: maps the roots of a scan to directories.

#include "dups/plan_roots.h"

#include "fathom/base/error.h"

namespace fathom::act {

PlanRoots::PlanRoots(const fs::Tree& tree, std::vector<std::string> roots)
    : tree_(tree), paths_(std::move(roots)), file_names_(paths_.size()) {
  if (paths_.size() != tree.roots().size()) throw base::Error("a plan needs the path of each root");
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    const fs::NodeId root = tree.roots()[i];
    if (root == fs::kNoNode || tree.kind(root) == fs::Kind::directory) continue;
    std::string& path = paths_[i];
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) throw base::Error("the path of a root is not absolute");
    file_names_[i] = path.substr(slash + 1);
    path.resize(slash == 0 ? 1 : slash);
  }
}

std::pair<std::uint32_t, std::string> PlanRoots::place_of(fs::NodeId node) const {
  const std::size_t root = tree_.root_index(node);
  const auto number = static_cast<std::uint32_t>(root);
  if (node == tree_.roots()[root]) return {number, file_names_[root]};
  const std::string path = tree_.path(node);
  const std::size_t above = tree_.name(tree_.roots()[root]).size();
  return {number, path.substr(path.find_first_not_of('/', above))};
}

}  // namespace fathom::act
