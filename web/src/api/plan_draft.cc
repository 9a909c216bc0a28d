// PlanDraft: from paths of the scan to those of the filesystem, and back.

#include "api/plan_draft.h"

#include <algorithm>
#include <utility>

namespace fathom::web {

namespace {

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// The roots that are directories on the filesystem.
std::vector<std::string> roots_of(const Snapshot& snapshot, const Acting& acting) {
  std::vector<std::string> roots =
      acting.roots.size() == snapshot.scan().roots.size() ? acting.roots : snapshot.scan().roots;
  for (std::string& root : roots) root = without_slashes(std::move(root));
  return roots;
}

bool is_root(const Snapshot& snapshot, Place place) {
  return snapshot.tree().parent(place.node) == fs::kNoDir;
}

}  // namespace

PlanDraft::PlanDraft(const Snapshot& snapshot, std::vector<std::string> paths, act::Action action,
                     const Acting& acting, const rt::CancelToken& cancel)
    : chosen_(snapshot, std::move(paths)), roots_(roots_of(snapshot, acting)) {
  std::vector<act::Chosen> choices;
  std::unordered_map<std::string, const ChosenPlace*> by_real_path;
  for (const ChosenPlace& one : chosen_.places()) {
    if (is_root(snapshot, one.place)) {
      refused_.push_back({one.path, "it is a root of the scan"});
      continue;
    }
    std::string real = real_path(snapshot, one.place);
    by_real_path.emplace(real, &one);
    choices.push_back({std::move(real), action});
  }
  draft_ =
      act::draft_plan(std::move(choices), {.roots = roots_, .host = acting.host, .cancel = cancel});
  for (const act::PlanItem& item : draft_.plan.items) {
    const ChosenPlace& one = *by_real_path.at(draft_.plan.path_of(item));
    planned_.push_back(one);
    items_.emplace(one.path, &item);
  }
  for (const act::NotPlanned& one : draft_.refused) {
    refused_.push_back({by_real_path.at(one.path)->path, one.why});
  }
  std::sort(refused_.begin(), refused_.end(),
            [](const Refused& a, const Refused& b) { return a.path < b.path; });
}

const act::PlanItem& PlanDraft::item_of(const ChosenPlace& planned) const {
  return *items_.at(planned.path);
}

std::string PlanDraft::real_path(const Snapshot& snapshot, Place place) const {
  const fs::Tree& tree = snapshot.tree();
  const std::size_t root = tree.root_index(place.node);
  std::string below = tree.path(place.node).substr(tree.name(tree.roots()[root]).size());
  if (below.starts_with('/')) below.erase(0, 1);
  return (roots_[root] == "/" ? "" : roots_[root]) + '/' + below;
}

}  // namespace fathom::web
