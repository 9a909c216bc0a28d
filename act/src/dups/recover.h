// Recovers an act that an interrupted run has begun.
//
// Either it is completed, or everything is as before it began; no temporary name of that run stays
// behind. A file that is destroyed here is compared byte by byte before.

#pragma once

#include <optional>
#include <string>

#include "dups/act_context.h"

namespace fathom::act {

struct Remains {
  const MutatingOps& ops;
  const VerifiedFile& kept;
  const fs::FileIdentity kept_identity;  // as planned, like the next
  const fs::FileIdentity victim;
  const Location& location;  // the victim's name
  const std::string& temp_prefix;
  bool dry_run = true;
  const Quarantine* quarantine = nullptr;
  std::string target;
};

// For a kept file that is not as planned and therefore not open: acts cannot be completed, so a
// moved file returns to its own name, if that is free or our link. Returns where the file is, for
// people, if it does not return (in a dry run: if it would not).
[[nodiscard]] std::optional<std::string> give_back(const Remains& remains, DupAction action);

// A verdict: the act has ended. Nothing: it still has to be done.
[[nodiscard]] std::optional<Verdict> recover_hardlink(const Remains& remains);
[[nodiscard]] std::optional<Verdict> recover_remove(const Remains& remains);
[[nodiscard]] std::optional<Verdict> recover_quarantine(const Remains& remains);

}  // namespace fathom::act
