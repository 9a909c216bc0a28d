// What an act that was begun by a run that is no more has left.
//
// Either it is brought to its end, or everything is as before it began; no name that the run made
// up stays behind. What is destroyed now was compared byte by byte before.

#pragma once

#include <optional>
#include <string>

#include "dups/act_context.h"

namespace fathom::fs {

struct Remains {
  const MutatingOps& ops;
  const VerifiedFile& kept;
  const FileIdentity& kept_identity;  // as planned
  const Location& location;           // of the victim's name
  const FileIdentity& victim;         // as planned
  const std::string& temp_prefix;
  bool dry_run = true;
  const Quarantine* quarantine = nullptr;
  std::string target;
};

// When the kept file is not as planned, and is not held: nothing can be finished, so that what was
// moved goes back to its own name, if that is free or a link of ours. Where it is, for people, if
// it does not; in a dry run, if it would.
[[nodiscard]] std::optional<std::string> give_back(const Remains& remains, DupAction action);

// A verdict: the act is settled. Nothing: it has still to be done.
[[nodiscard]] std::optional<Verdict> recover_hardlink(const Remains& remains);
[[nodiscard]] std::optional<Verdict> recover_remove(const Remains& remains);
[[nodiscard]] std::optional<Verdict> recover_quarantine(const Remains& remains);

}  // namespace fathom::fs
