// act_hardlink: makes the victim's name another name of the kept file. A new link is created beside
// it, both names are exchanged atomically, and the old file is removed once it is verified to be
// the victim.
//
// Where names cannot be exchanged, the victim is moved aside before the link takes its name, so the
// name does not exist for a moment.
//
// Each of these calls changes the kept file's ctime. It is recorded right after each call, so that
// any other change is noticed before the victim is removed.

#include <cerrno>

#include "dups/act_context.h"
#include "dups/link_limit.h"
#include "dups/staging.h"

namespace fathom::fs {

namespace {

constexpr const char* kNoMoreLinks =
    "the kept file has reached its link limit: this file is kept as well";

// An act learns the limit from link(); a dry run has to look it up.
std::uint64_t limit_of(const ActContext& context) {
  if (context.max_links > 0 || !context.dry_run) return context.max_links;
  return link_limit(context.kept.file.get());
}

// Removes our link from the place where it was created, if it is still there.
void drop_link(const ActContext& context, const Location& link) {
  if (occupant_of(link, context.kept.state.identity) != Occupant::expected) return;
  [[maybe_unused]] const int kept_for_the_next_run = context.ops.unlink(link);
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
  // The kept file's name refers to another file now: remove the link to that one.
  [[maybe_unused]] const int left = context.ops.unlink(link);
  return refused("the kept file has changed in the meantime");
}

// After an exchange: the victim is at `link`, and its name refers to our link.
Verdict undo_exchange(const ActContext& context, const Location& link, const Verdict& verdict) {
  const int result = context.ops.exchange(link, context.victim.location);
  if (result < 0) {
    return failed(verdict.why + ", and it cannot be moved back (" + left_at(link.name) + ")",
                  -result);
  }
  drop_link(context, link);
  return verdict;
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
  if (occupant_of(context.victim.location, context.kept.state.identity) == Occupant::expected &&
      context.ops.move_aside(context.victim.location, link) == 0) {
    drop_link(context, link);
  }
  return put_back(context.ops, staged, context.victim.location, verdict);
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
    drop_link(context, link);
    return failed("its directory cannot be opened", -result);
  }
  if (const auto verdict = stage_for_removal(context, staged)) {
    drop_link(context, link);
    return *verdict;
  }
  if (!is_untouched(context.kept)) {
    drop_link(context, link);
    return put_back(context.ops, staged, context.victim.location,
                    refused("the kept file has changed in the meantime"));
  }
  const int result = context.ops.move_back(link, context.victim.location);
  if (result == 0) refresh(context.kept);
  if (result == 0) return finish_moves(context, link, staged);
  const bool is_kept_known = is_untouched(context.kept);
  drop_link(context, link);
  // Moving the link may need one more link for a moment.
  if (result == -EMLINK) {
    return put_back(context.ops, staged, context.victim.location,
                    {Outcome::promoted_to_kept, kNoMoreLinks, EMLINK, 0});
  }
  if (result != -EEXIST) {
    return put_back(context.ops, staged, context.victim.location,
                    failed("the link cannot be renamed to its name", -result));
  }
  // Another file has taken the victim's name. Its content is not lost with the victim: the kept
  // file has it.
  if (is_kept_known) refresh(context.kept);  // one link less
  const Verdict verdict = remove_staged(context, staged);
  return verdict.outcome == Outcome::done ? refused("another file was put in its place") : verdict;
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
    drop_link(context, link);
    return refused("it has changed in the meantime");
  }
  if (!is_untouched(context.kept)) {
    drop_link(context, link);
    return refused("the kept file has changed in the meantime");
  }
  const int result = context.ops.exchange(link, context.victim.location);
  if (result == 0) refresh(context.kept);
  if (result == 0) return finish_exchange(context, link);
  if (result == -ENOSYS) return replace_by_moves(context, link);
  drop_link(context, link);
  return failed("the link cannot be renamed to its name", -result);
}

}  // namespace fathom::fs
