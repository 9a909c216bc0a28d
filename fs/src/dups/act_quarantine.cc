// act_quarantine: moves the victim to its path in the quarantine, if nothing is there.

#include <cerrno>

#include "dups/act_context.h"
#include "dups/staging.h"

namespace fathom::fs {

namespace {

constexpr const char* kFar = "the quarantine is on another filesystem";
constexpr const char* kTaken = "its path in the quarantine already exists";

Verdict not_moved(int code) {
  if (code == EXDEV) return refused(kFar, code);
  if (code == EEXIST) return refused(kTaken, code);
  return failed("it cannot be moved to the quarantine", code);
}

Verdict rehearse(const ActContext& context) {
  Location target;
  const int result = context.quarantine->find(context.target, target);
  if (result < 0 && result != -ENOENT) return not_moved(-result);
  if (result == 0 && occupant_of(target, {}) != Occupant::none) return refused(kTaken, EEXIST);
  return {Outcome::would_be_done, {}, 0, 0};
}

}  // namespace

Verdict act_quarantine(const ActContext& context) {
  if (context.quarantine->device() != context.victim.state.identity.device) {
    return refused(kFar, EXDEV);
  }
  if (context.dry_run) return rehearse(context);
  Location target;
  if (const int result = context.quarantine->make(context.target, target, context.unsynced);
      result < 0) {
    return not_moved(-result);
  }
  if (!is_untouched(context.victim)) return refused("it has changed in the meantime");
  const int result = context.ops.move_aside(context.victim.location, target);
  if (result < 0) return not_moved(-result);
  FileState moved;
  if (state_at(target, moved) != 0 ||
      !same_but_for_ctime(moved.identity, context.victim.state.identity)) {
    return put_back(context.ops, target, context.victim.location,
                    refused("another file was put in its place"));
  }
  if (!is_untouched(context.kept)) {
    return put_back(context.ops, target, context.victim.location,
                    refused("the kept file has changed in the meantime"));
  }
  return {};
}

}  // namespace fathom::fs
