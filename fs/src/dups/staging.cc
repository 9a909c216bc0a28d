// Staging: moves a file aside before it is removed, and back if anything is wrong.

#include "dups/staging.h"

#include <utility>

namespace fathom::fs {

Verdict put_back(const MutatingOps& ops, const Location& staged, const Location& location,
                 Verdict verdict) {
  const int result = ops.move_back(staged, location);
  if (result == 0) return verdict;
  return failed(verdict.why + ", and it cannot be moved back (" + left_at(staged.name) + ")",
                -result);
}

std::optional<Verdict> stage_for_removal(const ActContext& context, const Location& staged) {
  if (!is_untouched(context.victim)) return refused("it has changed in the meantime");
  const int result = context.ops.move_aside(context.victim.location, staged);
  if (result < 0) return failed("it cannot be moved aside", -result);
  FileState moved;
  if (state_at(staged, moved) == 0 &&
      same_but_for_ctime(moved.identity, context.victim.state.identity)) {
    return std::nullopt;
  }
  return put_back(context.ops, staged, context.victim.location,
                  refused("another file was put in its place"));
}

Verdict remove_staged(const ActContext& context, const Location& staged) {
  if (!is_untouched(context.kept)) {
    return put_back(context.ops, staged, context.victim.location,
                    refused("the kept file has changed in the meantime"));
  }
  const int result = context.ops.unlink(staged);
  if (result == 0) return {};
  return put_back(context.ops, staged, context.victim.location,
                  failed("it cannot be removed", -result));
}

}  // namespace fathom::fs
