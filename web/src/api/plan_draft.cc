// PlanDraft: from paths of the scan to those of the filesystem, and back.

#include "api/plan_draft.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace fathom::web {

namespace {

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// Where the roots are on the filesystem.
std::vector<std::string> roots_of(const Snapshot& snapshot, const Acting& acting) {
  std::vector<std::string> roots;
  for (const std::string& root : snapshot.scan().roots) {
    roots.push_back(without_slashes(acting.real_root ? acting.real_root(root) : root));
  }
  return roots;
}

// Why a rule of fathom clean chose entries of this snapshot.
class Reasons {
 public:
  Reasons(const Snapshot& snapshot, const CleanState* clean) {
    if (clean == nullptr || clean->found == nullptr || clean->snapshot.get() != &snapshot) return;
    for (const act::Candidate& one : clean->found->candidates.items) by_node_[one.node] = &one;
  }

  // Empty if it was chosen by hand. What only its own program may remove is, too.
  [[nodiscard]] act::Reason of(Place place) const {
    const auto found = by_node_.find(place.node);
    if (found == by_node_.end() || found->second->left_to_tool()) return {};
    const act::Candidate& one = *found->second;
    return {.rule = one.rule->id,
            .rule_class = std::string(to_string(one.cls)),
            .rebuild = one.rebuild,
            .evidence = one.evidence};
  }

 private:
  std::unordered_map<fs::NodeId, const act::Candidate*> by_node_;
};

// A link above a root may lead elsewhere than during the scan.
act::Seen seen_of(const fs::Tree& tree, fs::NodeId node) {
  return {.device = tree.device(node), .inode = tree.inode(node)};
}

}  // namespace

PlanDraft::PlanDraft(const Snapshot& snapshot, std::vector<std::string> paths,
                     const Options& options)
    : chosen_(snapshot, std::move(paths), ChosenPlaces::Inner::kept),
      roots_(roots_of(snapshot, options.acting)) {
  const Reasons reasons(snapshot, options.clean);
  std::vector<act::Chosen> choices;
  std::unordered_map<std::string, const ChosenPlace*> by_real_path;
  for (const ChosenPlace& one : chosen_.places()) {
    std::string real = real_path(snapshot, one.place);
    by_real_path.emplace(real, &one);
    choices.push_back({std::move(real), options.action, reasons.of(one.place),
                       seen_of(snapshot.tree(), one.place.node)});
  }
  draft_ = act::draft_plan(std::move(choices), {.roots = roots_,
                                                .keep_roots = true,
                                                .host = options.acting.host,
                                                .quarantine = options.acting.quarantine,
                                                .cancel = options.cancel});
  for (const act::PlanItem& item : draft_.plan.items) {
    planned_.push_back({*by_real_path.at(draft_.plan.path_of(item)), &item});
  }
  for (const act::NotPlanned& one : draft_.refused) {
    refused_.push_back({by_real_path.at(one.path)->path, one.why});
  }
  std::sort(refused_.begin(), refused_.end(),
            [](const Refused& a, const Refused& b) { return a.path < b.path; });
}

std::string PlanDraft::real_path(const Snapshot& snapshot, Place place) const {
  const fs::Tree& tree = snapshot.tree();
  const std::size_t root = tree.root_index(place.node);
  std::string below = tree.path(place.node).substr(tree.name(tree.roots()[root]).size());
  if (below.starts_with('/')) below.erase(0, 1);
  if (below.empty()) return roots_[root];
  return (roots_[root] == "/" ? "" : roots_[root]) + '/' + below;
}

}  // namespace fathom::web
