// Staging: moves a file aside before it is removed, and back if anything is wrong.

#include "dups/staging.h"

#include <cerrno>
#include <utility>

namespace fathom::act {

// Each round gives the name to what is at `left`. If that displaces something unexpected, it is
// newer than what has just got the name, so the next round gives the name to it.
int exchange_back(const MutatingOps& ops, const Location& left, const Location& name,
                  const fs::FileIdentity& link) {
  constexpr int kMost = 16;  // rounds that another program disturbs
  fs::FileIdentity at_name = link;
  for (int round = 0; round < kMost; ++round) {
    FileState given;
    FileState displaced;
    int result = state_at(left, given);
    if (result == 0) result = ops.exchange(left, name);
    if (result == -ENOENT) return ops.move_back(left, name);  // our file was removed
    if (result == 0) result = state_at(left, displaced);
    if (result < 0) return result;
    if (same_file(displaced.identity, link)) return 0;
    if (same_file(displaced.identity, at_name)) break;
    at_name = given.identity;
  }
  return -EBUSY;
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

}  // namespace fathom::act
