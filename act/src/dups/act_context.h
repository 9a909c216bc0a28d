// ActContext: the input of one act. Each kind of act is a function of it, in acts.cc.
//
// Before an act is called, both files were verified to be those of the plan, and equal. A dry run
// returns from the act right before its first operation.

#pragma once

#include <cstdint>
#include <string>

#include "dups/verified_file.h"
#include "fathom/act/dup_plan.h"
#include "os/mutating_ops.h"
#include "run/quarantine.h"
#include "run/temp_name.h"
#include "run/unsynced.h"
#include "run/verdict.h"

namespace fathom::act {

struct ActContext {
  const MutatingOps& ops;
  VerifiedFile& kept;
  const VerifiedFile& victim;
  const std::string& temp_prefix;  // the prefix of names that only this act uses
  bool dry_run = true;
  std::uint64_t max_links = 0;             // 0: the filesystem's limit
  const Quarantine* quarantine = nullptr;  // for that action; null: a check before one is named
  std::string target;                      // the path in the quarantine
  Unsynced& unsynced;                      // receives changes outside the victim's directory
};

[[nodiscard]] Verdict act_hardlink(const ActContext& context);
[[nodiscard]] Verdict act_reflink(const ActContext& context);
[[nodiscard]] Verdict act_remove(const ActContext& context);
[[nodiscard]] Verdict act_quarantine(const ActContext& context);

}  // namespace fathom::act
