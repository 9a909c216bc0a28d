// PathRules: asks SetAside.

#include "dups/path_rules.h"

namespace fathom::act {

std::optional<Verdict> PathRules::check(const std::string& path) const {
  if (const auto why = set_aside_.why(path)) return refused("it " + std::string(*why));
  return std::nullopt;
}

}  // namespace fathom::act
