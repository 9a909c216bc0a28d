// PathRules: which files no plan for duplicates may keep or act on, whatever they contain.
//
// A kept file in a quarantine of Fathom or in a trash is gone when that is emptied, so the search
// finds no such files (base/set_aside.h); a plan may be of an earlier version, or edited.

#pragma once

#include <optional>
#include <string>

#include "fathom/base/set_aside.h"
#include "run/verdict.h"

namespace fathom::act {

class PathRules {
 public:
  // Nothing if the file at an absolute path may be kept and acted on.
  [[nodiscard]] std::optional<Verdict> check(const std::string& path) const;

 private:
  const base::SetAside set_aside_ = base::own_set_aside();
};

}  // namespace fathom::act
