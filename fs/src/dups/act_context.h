// ActContext: all that one act is about. Acts are functions of it, each in a file of its own.
//
// Before an act is called, both files were found to be those of the plan, and equal. It makes the
// dry run's last stop itself, right before its first step.

#pragma once

#include <cstdint>
#include <string>

#include "dups/mutating_ops.h"
#include "dups/quarantine.h"
#include "dups/temp_name.h"
#include "dups/unsynced.h"
#include "dups/verdict.h"
#include "dups/verified_file.h"
#include "fathom/fs/dup_plan.h"

namespace fathom::fs {

struct ActContext {
  const MutatingOps& ops;
  VerifiedFile& kept;
  const VerifiedFile& victim;
  const std::string& temp_prefix;  // how names begin that this act alone uses
  bool dry_run = true;
  std::uint64_t max_links = 0;             // 0: the filesystem knows
  const Quarantine* quarantine = nullptr;  // of that action
  std::string target;                      // the path in it
  Unsynced& unsynced;                      // told what is changed beside the victim's directory
};

[[nodiscard]] Verdict act_hardlink(const ActContext& context);
[[nodiscard]] Verdict act_reflink(const ActContext& context);
[[nodiscard]] Verdict act_remove(const ActContext& context);
[[nodiscard]] Verdict act_quarantine(const ActContext& context);

}  // namespace fathom::fs
