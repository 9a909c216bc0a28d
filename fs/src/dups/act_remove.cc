#include "dups/act_context.h"
#include "dups/set_aside.h"

namespace fathom::fs {

Verdict act_remove(const ActContext& context) {
  if (context.dry_run) return {Outcome::would_be_done, {}, 0, 0};
  Place aside;
  if (const int result = beside(context.victim.place, old_name(context.mark), aside); result < 0) {
    return failed("its directory cannot be held open", -result);
  }
  if (const auto verdict = set_aside(context, aside)) return *verdict;
  return let_go(context, aside);
}

}  // namespace fathom::fs
