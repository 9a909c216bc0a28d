// make_plan: decides which file of each group is kept, and which names are acted on.

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

#include "dups/plan_roots.h"
#include "dups/plan_text.h"
#include "fathom/act/dup_plan.h"
#include "fathom/base/path.h"
#include "fathom/fs/ignore.h"
#include "os/safe_open.h"
#include "run/temp_name.h"

namespace fathom::act {

namespace {

std::string joined_plan_path(const std::string& root, const std::string& path) {
  return (root.size() > 1 ? root + '/' : root) + path;
}

// One name of a file of the current group.
struct PlannedName {
  PlanFile file;
  std::size_t of = 0;         // index of its file in the group
  std::size_t argument = 0;   // the scan's root below which it was found
  std::size_t length = 0;     // of its whole path
  bool is_protected = false;  // the glob protects it
};

class Planner {
 public:
  Planner(const fs::Tree& tree, const PlanOptions& options)
      : options_(options), roots_(tree, options.roots) {
    if (options.keep.by == KeepRule::By::glob) protect_.add_line(options.keep.pattern);
  }

  // Adds the part of the group that the action can handle together.
  void add(const fs::DuplicateGroup& group) {
    std::vector<std::pair<std::uint64_t, std::vector<const fs::DuplicateFile*>>> by_device;
    const bool crosses =
        options_.action == DupAction::remove || options_.action == DupAction::quarantine;
    for (const fs::DuplicateFile& file : group.files) {
      const std::uint64_t device = crosses ? 0 : file.identity.device;
      auto same = std::find_if(by_device.begin(), by_device.end(),
                               [&](const auto& it) { return it.first == device; });
      if (same == by_device.end()) same = by_device.insert(same, {device, {}});
      same->second.push_back(&file);
    }
    for (const auto& [device, files] : by_device) {
      if (files.size() > 1) decide(files);
    }
    for (const fs::DuplicateFile& file : group.files) count_too_long(file);
  }

  // The index of the kept file in the group.
  [[nodiscard]] std::uint32_t kept_in(const fs::DuplicateGroup& group) const {
    std::vector<const fs::DuplicateFile*> files;
    for (const fs::DuplicateFile& file : group.files) files.push_back(&file);
    const std::vector<PlannedName> names = names_of(files);
    if (is_left_alone(names)) return fs::kNoneKept;
    return static_cast<std::uint32_t>(best_of(names).of);
  }

  DupPlan finish() {
    plan_.action = options_.action;
    plan_.keep = options_.keep;
    plan_.looked_ns = options_.looked_ns;
    plan_.quarantine = options_.quarantine;
    plan_.roots = roots_.paths();
    return std::move(plan_);
  }

 private:
  void decide(const std::vector<const fs::DuplicateFile*>& files) {
    const std::vector<PlannedName> names = names_of(files);
    if (is_left_alone(names)) return;
    const PlannedName& kept = best_of(names);
    PlanGroup group{kept.file, {}};
    for (const PlannedName& name : names) {
      if (gives_way(name, kept, files)) group.acts.push_back(name.file);
    }
    if (!group.acts.empty()) plan_.groups.push_back(std::move(group));
  }

  [[nodiscard]] const PlannedName& best_of(const std::vector<PlannedName>& names) const {
    return *std::min_element(names.begin(), names.end(),
                             [&](const auto& a, const auto& b) { return is_better(a, b); });
  }

  [[nodiscard]] std::vector<PlannedName> names_of(
      const std::vector<const fs::DuplicateFile*>& files) const {
    std::vector<PlannedName> names;
    for (std::size_t i = 0; i < files.size(); ++i) {
      add_name(files[i]->node, *files[i], i, names);
      for (const fs::NodeId link : files[i]->links) add_name(link, *files[i], i, names);
    }
    return names;
  }

  void add_name(fs::NodeId node, const fs::DuplicateFile& file, std::size_t of,
                std::vector<PlannedName>& names) const {
    PlannedName name = candidate(node, file, of);
    if (is_eligible(name.file) && fits_a_line(name.file)) names.push_back(std::move(name));
  }

  [[nodiscard]] bool is_eligible(const PlanFile& file) const {
    if (is_made_up(file.path)) return false;
    return options_.quarantine.empty() ||
           !base::is_below(joined_plan_path(roots_.paths()[file.root], file.path),
                           options_.quarantine);
  }

  static bool is_made_up(const std::string& path) {
    return is_temp_name(std::string_view(path).substr(path.rfind('/') + 1));
  }

  void count_too_long(const fs::DuplicateFile& file) {
    const auto count = [&](fs::NodeId node) {
      const auto [root, path] = roots_.place_of(node);
      const PlanFile name{root, path, file.identity};
      if (is_eligible(name) && !fits_a_line(name)) ++plan_.too_long;
    };
    count(file.node);
    for (const fs::NodeId link : file.links) count(link);
  }

  // Whether nothing of a group is acted on: it has one file, or the glob matches none of it.
  [[nodiscard]] bool is_left_alone(const std::vector<PlannedName>& names) const {
    const bool by_glob = options_.keep.by == KeepRule::By::glob;
    const auto differs = [&](const PlannedName& it) { return it.of != names.front().of; };
    return std::none_of(names.begin(), names.end(), differs) ||
           (by_glob && !best_of(names).is_protected);
  }

  // As of excluded entries: a directory that matches stands for everything in it.
  [[nodiscard]] bool is_protected(std::string_view path) const {
    for (std::size_t end = path.find('/'); end != path.npos; end = path.find('/', end + 1)) {
      if (protect_.ignores(path.substr(0, end), /*directory=*/true)) return true;
    }
    return protect_.ignores(path, /*directory=*/false);
  }

  [[nodiscard]] PlannedName candidate(fs::NodeId node, const fs::DuplicateFile& file,
                                      std::size_t of) const {
    PlannedName name;
    const auto [root, path] = roots_.place_of(node);
    name.file = {root, path, file.identity};
    name.of = of;
    name.argument = roots_.argument_of(node);
    name.length = plan_path_length(name.file);
    name.is_protected = is_protected(path);
    return name;
  }

  [[nodiscard]] std::size_t plan_path_length(const PlanFile& file) const {
    return roots_.paths()[file.root].size() + file.path.size();
  }

  [[nodiscard]] bool is_better(const PlannedName& a, const PlannedName& b) const {
    const auto path = [&](const PlannedName& it) {
      return std::tie(roots_.paths()[it.file.root], it.file.path);
    };
    switch (options_.keep.by) {
      case KeepRule::By::oldest:
        if (a.file.identity.mtime_ns != b.file.identity.mtime_ns) {
          return a.file.identity.mtime_ns < b.file.identity.mtime_ns;
        }
        break;
      case KeepRule::By::newest:
        if (a.file.identity.mtime_ns != b.file.identity.mtime_ns) {
          return a.file.identity.mtime_ns > b.file.identity.mtime_ns;
        }
        break;
      case KeepRule::By::shortest:
        if (a.length != b.length) return a.length < b.length;
        break;
      case KeepRule::By::order:
        if (a.argument != b.argument) return a.argument < b.argument;
        break;
      case KeepRule::By::glob:
        if (a.is_protected != b.is_protected) return a.is_protected;
        break;
      case KeepRule::By::first:
        break;
    }
    return path(a) < path(b);
  }

  [[nodiscard]] bool gives_way(const PlannedName& name, const PlannedName& kept,
                               const std::vector<const fs::DuplicateFile*>& files) const {
    if (name.of == kept.of || name.is_protected) return false;
    if (options_.action != DupAction::reflink) return true;
    // A file that shares its blocks already frees nothing, and its names share one set of blocks.
    const fs::DuplicateFile& file = *files[name.of];
    return file.storage != files[kept.of]->storage && file.identity.size > 0 &&
           name.file.path == roots_.place_of(file.node).second;
  }

  const PlanOptions& options_;
  const PlanRoots roots_;
  fs::IgnoreRules protect_;
  DupPlan plan_;
};

}  // namespace

std::uint64_t DupPlan::acts() const {
  std::uint64_t count = 0;
  for (const PlanGroup& group : groups) count += group.acts.size();
  return count;
}

std::string DupPlan::path_of(const PlanFile& file) const {
  return joined_plan_path(roots[file.root], file.path);
}

DupPlan make_plan(const fs::Tree& tree, const fs::Duplicates& duplicates,
                  const PlanOptions& options) {
  Planner planner(tree, options);
  for (const fs::DuplicateGroup& group : duplicates.groups) planner.add(group);
  DupPlan plan = planner.finish();
  // What earlier searches have compared is compared before each act, whatever its times are.
  if (duplicates.recalled > 0) plan.looked_ns = 0;
  return plan;
}

std::vector<std::uint32_t> kept_files(const fs::Tree& tree, const fs::Duplicates& duplicates,
                                      const PlanOptions& options) {
  const Planner planner(tree, options);
  std::vector<std::uint32_t> kept;
  for (const fs::DuplicateGroup& group : duplicates.groups) kept.push_back(planner.kept_in(group));
  return kept;
}

}  // namespace fathom::act
