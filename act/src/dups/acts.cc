// The acts on duplicates: each makes one change to one file, the victim.

#include <cerrno>
#include <string>
#include <utility>

#include "dups/act_context.h"
#include "dups/staging.h"
#include "os/link_limit.h"
#include "run/make_location.h"

namespace fathom::act {

// ---- act_hardlink: makes the victim's name another name of the kept file. A new link is created
// beside it, both names are exchanged atomically, and the old file is removed once it is verified
// to be the victim.
//
// Where names cannot be exchanged, the victim is moved aside before the link takes its name, so the
// name does not exist for a moment.
//
// Each of these calls changes the kept file's ctime. It is recorded right after each call, so that
// any other change is noticed before the victim is removed.

namespace {

constexpr const char* kNoMoreLinks =
    "the kept file has reached its link limit: this file is kept as well";

// An act learns the limit from link(); a dry run has to look it up.
std::uint64_t limit_of(const ActContext& context) {
  if (context.max_links > 0 || !context.dry_run) return context.max_links;
  return link_limit(context.kept.file.get());
}

// Removes our link from the place where it was created. If something stays there, the verdict says
// what.
Verdict without_link(const ActContext& context, const Location& link, Verdict verdict) {
  switch (occupant_of(link, context.kept.state.identity)) {
    case Occupant::none:
      return verdict;
    case Occupant::expected:
      break;
    case Occupant::other:
      return left_behind(std::move(verdict), "another file is at " + beside_it(link));
  }
  const int result = context.ops.unlink(link);
  if (result == 0 || result == -ENOENT) return verdict;
  return left_behind(std::move(verdict), "a second name of the kept file, " + beside_it(link) +
                                             ", cannot be removed: " + message_of(-result));
}

// The kept file's name refers to another file now, and so does our link.
Verdict without_wrong_link(const ActContext& context, const Location& link) {
  Verdict verdict = refused("the kept file has changed in the meantime");
  FileState there;
  FileState kept;
  const bool is_spare = state_at(link, there) == 0 && state_at(context.kept.location, kept) == 0 &&
                        same_file(there.identity, kept.identity);
  if (is_spare && context.ops.unlink(link) == 0) return verdict;
  return without_link(context, link, verdict);
}

Verdict not_renamed(const ActContext& context, int code) {
  return failed("the link to the kept file cannot take the name '" + context.victim.location.name +
                    "', which stays as it was",
                code);
}

std::optional<Verdict> make_link(const ActContext& context, const Location& link) {
  if (!is_untouched(context.kept)) return refused("the kept file has changed in the meantime");
  const int result = context.ops.link(context.kept.location, link);
  if (result == 0) refresh(context.kept);
  if (result == -EMLINK) return Verdict{Outcome::promoted_to_kept, kNoMoreLinks, EMLINK, 0};
  if (result == -EEXIST) return refused("'" + link.name + "' already exists", EEXIST);
  if (result == -EXDEV) return refused("the kept file is on another filesystem", EXDEV);
  if (result < 0) return failed("cannot create a link to the kept file", -result);
  if (occupant_of(link, context.kept.state.identity) == Occupant::expected &&
      is_in_place(context.kept)) {
    return std::nullopt;
  }
  return without_wrong_link(context, link);
}

// After an exchange: what had the victim's name is at `link`, and the name refers to our link.
Verdict undo_exchange(const ActContext& context, const Location& link, const Verdict& verdict) {
  const int result =
      exchange_back(context.ops, link, context.victim.location, context.kept.state.identity);
  if (result == 0) return without_link(context, link, verdict);
  if (result == -EBUSY) {
    return left_behind(verdict, "then a further file was put at '" + context.victim.location.name +
                                    "', and the one before it is at " + beside_it(link));
  }
  return failed(verdict.why + ", and it cannot be moved back to '" + context.victim.location.name +
                    "' (" + left_at(link.name) + ")",
                -result);
}

Verdict finish_exchange(const ActContext& context, const Location& link) {
  FileState moved;
  if (state_at(link, moved) != 0 ||
      !same_but_for_ctime(moved.identity, context.victim.state.identity)) {
    return undo_exchange(context, link, refused("another file was put in its place"));
  }
  if (!is_untouched(context.kept)) {
    return undo_exchange(context, link, refused("the kept file has changed in the meantime"));
  }
  const int result = context.ops.unlink(link);
  if (result == 0) return {};
  return undo_exchange(context, link, failed("it cannot be removed", -result));
}

// After both moves: the victim is staged, and its name refers to our link.
Verdict undo_moves(const ActContext& context, const Location& link, const Location& staged,
                   const Verdict& verdict) {
  Verdict undone = verdict;
  if (occupant_of(context.victim.location, context.kept.state.identity) == Occupant::expected &&
      context.ops.move_aside(context.victim.location, link) == 0) {
    undone = without_link(context, link, verdict);
  }
  return put_back(context.ops, staged, context.victim.location, undone);
}

Verdict finish_moves(const ActContext& context, const Location& link, const Location& staged) {
  FileState moved;
  if (state_at(staged, moved) != 0 ||
      !same_but_for_ctime(moved.identity, context.victim.state.identity)) {
    return undo_moves(context, link, staged, refused("it has changed in the meantime"));
  }
  if (!is_untouched(context.kept)) {
    return undo_moves(context, link, staged, refused("the kept file has changed in the meantime"));
  }
  const int result = context.ops.unlink(staged);
  if (result == 0) return {};
  return undo_moves(context, link, staged, failed("it cannot be removed", -result));
}

Verdict replace_by_moves(const ActContext& context, const Location& link) {
  Location staged;
  if (const int result = beside(context.victim.location, old_name(context.temp_prefix), staged);
      result < 0) {
    return without_link(context, link, failed("its directory cannot be opened", -result));
  }
  if (const auto verdict = stage_for_removal(context, staged)) {
    return without_link(context, link, *verdict);
  }
  if (!is_untouched(context.kept)) {
    const Verdict verdict = refused("the kept file has changed in the meantime");
    return put_back(context.ops, staged, context.victim.location,
                    without_link(context, link, verdict));
  }
  const int result = context.ops.move_back(link, context.victim.location);
  if (result == 0) refresh(context.kept);
  if (result == 0) return finish_moves(context, link, staged);
  const bool is_kept_known = is_untouched(context.kept);
  // Moving the link may need one more link for a moment.
  if (result == -EMLINK) {
    const Verdict full{Outcome::promoted_to_kept, kNoMoreLinks, EMLINK, 0};
    return put_back(context.ops, staged, context.victim.location,
                    without_link(context, link, full));
  }
  if (result != -EEXIST) {
    return put_back(context.ops, staged, context.victim.location,
                    without_link(context, link, not_renamed(context, -result)));
  }
  const Verdict taken = without_link(context, link, refused("another file was put in its place"));
  // Another file has taken the victim's name. Its content is not lost with the victim: the kept
  // file has it.
  if (is_kept_known) refresh(context.kept);  // one link less
  const Verdict verdict = remove_staged(context, staged);
  return verdict.outcome == Outcome::done ? taken : verdict;
}

}  // namespace

Verdict act_hardlink(const ActContext& context) {
  const std::uint64_t limit = limit_of(context);
  if (limit > 0 && context.kept.state.links >= limit) {
    return {Outcome::promoted_to_kept, kNoMoreLinks, EMLINK, 0};
  }
  if (context.dry_run) return {Outcome::would_be_done, {}, 0, 0};
  Location link;
  if (const int result = beside(context.victim.location, new_name(context.temp_prefix), link);
      result < 0) {
    return failed("its directory cannot be opened", -result);
  }
  if (const auto verdict = make_link(context, link)) return *verdict;
  if (!is_untouched(context.victim)) {
    return without_link(context, link, refused("it has changed in the meantime"));
  }
  if (!is_untouched(context.kept)) {
    return without_link(context, link, refused("the kept file has changed in the meantime"));
  }
  const int result = context.ops.exchange(link, context.victim.location);
  if (result == 0) refresh(context.kept);
  if (result == 0) return finish_exchange(context, link);
  if (result == -ENOSYS) return replace_by_moves(context, link);
  return without_link(context, link, not_renamed(context, -result));
}

// ---- act_reflink: makes the victim share the blocks of the kept file. The kernel locks and
// compares both files, and changes nothing else of the victim: owner, permissions, times and
// attributes stay.

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

// ---- act_quarantine: moves the victim to its path in the quarantine, if nothing is there.

namespace {

constexpr const char* kFar = "the quarantine is on another filesystem or mount";
constexpr const char* kTaken = "its path in the quarantine already exists";

Verdict not_moved(int code) {
  if (code == EXDEV) return refused(kFar, code);
  if (code == EEXIST) return refused(kTaken, code);
  return failed("it cannot be moved to the quarantine", code);
}

std::string in_quarantine(const ActContext& context) {
  return "its content is at '" + context.target + "' in the quarantine";
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
  if (context.quarantine == nullptr) return {Outcome::would_be_done, {}, 0, 0};
  if (mount_id_at(context.victim.location.folder.get(), "") != context.quarantine->mount()) {
    return refused(kFar, EXDEV);
  }
  if (context.dry_run) return rehearse(context);
  Location target;
  bool has_changed = false;
  const int result = again_if_removed([&] {
    const int made = context.quarantine->make(context.target, target, context.unsynced);
    has_changed = made == 0 && !is_untouched(context.victim);
    if (made < 0 || has_changed) return made;
    return context.ops.move_aside(context.victim.location, target);
  });
  if (has_changed) return refused("it has changed in the meantime");
  if (result < 0) return not_moved(-result);
  FileState moved;
  if (state_at(target, moved) != 0 ||
      !same_but_for_ctime(moved.identity, context.victim.state.identity)) {
    return put_back(context.ops, target, context.victim.location,
                    refused("another file was put in its place"), in_quarantine(context));
  }
  if (!is_untouched(context.kept)) {
    return put_back(context.ops, target, context.victim.location,
                    refused("the kept file has changed in the meantime"), in_quarantine(context));
  }
  return {};
}

// ---- act_remove: stages the victim, checks the kept file again, and removes the victim.

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

}  // namespace fathom::act
