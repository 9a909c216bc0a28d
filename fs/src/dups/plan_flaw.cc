// flaw_of: checks a plan without looking at the filesystem.

#include <map>
#include <set>
#include <utility>

#include "dups/safe_open.h"
#include "fathom/fs/dup_plan.h"

namespace fathom::fs {

namespace {

class Inspection {
 public:
  explicit Inspection(const DupPlan& plan) : plan_(plan) {}

  std::optional<std::string> flaw() {
    for (const std::string& root : plan_.roots) {
      if (is_plain_root(root)) continue;
      return "the root '" + root + "' is not an absolute path without . and ..";
    }
    for (group_ = 0; group_ < plan_.groups.size(); ++group_) {
      const PlanGroup& group = plan_.groups[group_];
      if (auto flaw = of(group.kept, group)) return flaw;
      for (const PlanFile& file : group.acts) {
        if (auto flaw = of(file, group)) return flaw;
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> of(const PlanFile& file, const PlanGroup& group) {
    if (file.root >= plan_.roots.size()) return "unknown root " + std::to_string(file.root);
    if (!is_plain_path(file.path)) {
      return "'" + file.path + "' is not a path below a root";
    }
    if (!paths_.emplace(file.root, file.path).second) {
      return "'" + file.path + "' occurs twice";
    }
    const FileIdentity& identity = file.identity;
    if (identity.size != group.kept.identity.size) {
      return "'" + file.path + "' differs in size from the kept file of its group";
    }
    const auto known = inodes_.emplace(std::pair(identity.device, identity.inode), group_);
    if (known.first->second != group_) {
      return "'" + file.path + "' also belongs to another group";
    }
    return std::nullopt;
  }

  const DupPlan& plan_;
  std::size_t group_ = 0;
  std::set<std::pair<std::uint32_t, std::string_view>> paths_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> inodes_;  // the group of each
};

}  // namespace

std::optional<std::string> flaw_of(const DupPlan& plan) {
  return Inspection(plan).flaw();
}

}  // namespace fathom::fs
