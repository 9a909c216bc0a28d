// PathRules: asks SetAside, then NeverTouch.

#include "dups/path_rules.h"

#include "fathom/act/surroundings.h"

namespace fathom::act {

PathRules::PathRules(DupAction action) {
  if (action == DupAction::remove || action == DupAction::quarantine) {
    never_.emplace(own_surroundings());
  }
}

std::optional<Verdict> PathRules::check_kept(const std::string& path) const {
  if (const auto why = set_aside_.why(path)) return refused("it " + std::string(*why));
  return std::nullopt;
}

std::optional<Verdict> PathRules::check_victim(const std::string& path,
                                               const VerifiedFile& victim) const {
  if (auto verdict = check_kept(path)) return verdict;
  if (!never_) return std::nullopt;
  const auto why = never_->why_file(path, victim.location, victim.file.get());
  if (why) return refused("it " + *why);
  return std::nullopt;
}

}  // namespace fathom::act
