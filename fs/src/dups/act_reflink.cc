// act_reflink: makes the victim share the blocks of the kept file. The kernel locks and compares
// both files, and changes nothing else of the victim: owner, permissions, times and attributes
// stay.

#include <cerrno>

#include "dups/act_context.h"

namespace fathom::fs {

namespace {

Verdict not_shared(int code) {
  switch (code) {
    case EOPNOTSUPP:
    case EINVAL:
    case ENOSYS:
      return refused("its filesystem does not support shared blocks", code);
    case EXDEV:
      return refused("the kept file is on another filesystem", code);
    default:
      return failed("its blocks cannot be shared", code);
  }
}

}  // namespace

Verdict act_reflink(const ActContext& context) {
  const int kept = context.kept.file.get();
  const int victim = context.victim.file.get();
  // Tests with an empty range whether the operation is supported; a dry run needs no more.
  if (const int result = context.ops.share(kept, victim, 0); result < 0) {
    return not_shared(-result);
  }
  if (context.dry_run) return {Outcome::would_be_done, {}, 0, 0};
  const int result = context.ops.share(kept, victim, context.victim.state.identity.size);
  if (result < 0) return not_shared(-result);
  if (result == 0) return refused("its content now differs from that of the kept file");
  context.unsynced.add_file(victim);
  return {};
}

}  // namespace fathom::fs
