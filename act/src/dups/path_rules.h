// PathRules: which files no plan for duplicates may keep or act on, whatever they contain.
//
// A kept file in a quarantine of Fathom or in a trash is gone when that is emptied, so the search
// finds no such files (base/set_aside.h); a plan may be of an earlier version, or edited. What
// NeverTouch knows does not lose its name; a file that is linked keeps it, with its content.

#pragma once

#include <optional>
#include <string>

#include "dups/verified_file.h"
#include "fathom/act/dup_plan.h"
#include "fathom/act/never_touch.h"
#include "fathom/base/set_aside.h"
#include "run/verdict.h"

namespace fathom::act {

class PathRules {
 public:
  explicit PathRules(DupAction action);

  // Nothing if the file at an absolute path may be kept.
  [[nodiscard]] std::optional<Verdict> check_kept(const std::string& path) const;
  // Nothing if it may be acted on.
  [[nodiscard]] std::optional<Verdict> check_victim(const std::string& path,
                                                    const VerifiedFile& victim) const;

 private:
  const base::SetAside set_aside_ = base::own_set_aside();
  std::optional<NeverTouch> never_;  // for actions that take a name away
};

}  // namespace fathom::act
