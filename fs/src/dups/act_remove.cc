// act_remove: stages the victim, checks the kept file again, and removes the victim.

#include "dups/act_context.h"
#include "dups/staging.h"

namespace fathom::fs {

Verdict act_remove(const ActContext& context) {
  if (context.dry_run) return {Outcome::would_be_done, {}, 0, 0};
  Location staged;
  if (const int result = beside(context.victim.location, old_name(context.temp_prefix), staged);
      result < 0) {
    return failed("its directory cannot be opened", -result);
  }
  if (const auto verdict = stage_for_removal(context, staged)) return *verdict;
  return remove_staged(context, staged);
}

}  // namespace fathom::fs
