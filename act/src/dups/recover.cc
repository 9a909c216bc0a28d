// Recovery of acts that an interrupted run has begun.

#include "dups/recover.h"

#include <cerrno>
#include <cstdint>
#include <utility>

#include "dups/staging.h"
#include "os/same_bytes.h"
#include "os/unshared.h"

namespace fathom::act {

namespace {

using Recovered = std::optional<Verdict>;

Verdict before() {
  return {Outcome::done_before, {}, 0, 0};
}

Verdict would() {
  return {Outcome::would_be_done, {}, 0, 0};
}

// Whether a file may lose one of its names without being lost: it has other names, or another file
// has the same content.
bool is_spare(const Location& name, const Location& other) {
  base::Fd file;
  base::Fd same;
  FileState state;
  if (open_regular(name, file) < 0 || state_of(file.get(), state) < 0) return false;
  if (state.links > 1) return true;
  return open_regular(other, same) == 0 && same_bytes(file.get(), same.get()) == 1;
}

// Removes our link to the kept file, if that is what is there.
bool drop(const Remains& remains, const Location& link) {
  return occupant_of(link, remains.kept_identity) == Occupant::expected &&
         remains.ops.unlink(link) == 0;
}

// Like swap_back(), where names cannot be exchanged.
bool swap_back_by_moves(const Remains& remains, const Location& left) {
  Location link;
  const bool is_old = left.name == old_name(remains.temp_prefix);
  const std::string other = is_old ? new_name(remains.temp_prefix) : old_name(remains.temp_prefix);
  if (beside(remains.location, other, link) < 0) return false;
  if (remains.ops.move_aside(remains.location, link) < 0) return false;
  if (remains.ops.move_back(left, remains.location) == 0) return drop(remains, link);
  [[maybe_unused]] const int as_it_was = remains.ops.move_back(link, remains.location);
  return false;
}

// The victim's name is a link to the kept file: exchanges both names and removes the link. Returns
// whether that succeeded.
bool swap_back(const Remains& remains, const Location& left) {
  if (!is_spare(remains.location, left)) return false;
  const int result = exchange_back(remains.ops, left, remains.location, remains.kept_identity);
  if (result == -ENOSYS) return swap_back_by_moves(remains, left);
  if (result < 0) return false;
  if (drop(remains, left)) return true;
  [[maybe_unused]] const int as_it_was = remains.ops.exchange(left, remains.location);
  return false;
}

// Moves a victim back to its own name. False: it is still where it was.
bool restore(const Remains& remains, const Location& left) {
  switch (occupant_of(remains.location, remains.victim)) {
    case Occupant::expected:
      return remains.ops.unlink(left) == 0;
    case Occupant::none:
      return remains.ops.move_back(left, remains.location) == 0;
    case Occupant::other:
      break;
  }
  return occupant_of(remains.location, remains.kept_identity) == Occupant::expected &&
         swap_back(remains, left);
}

// The victim is at a temporary name, and its own name is a link to the kept file: what remains of
// the act is to remove it, if it still has the kept file's content.
Verdict finish(const Remains& remains, const Location& left) {
  base::Fd file;
  FileState state;
  FileState kept;
  int result = open_regular(left, file);
  if (result == 0) result = state_of(file.get(), state);
  if (result == 0) result = state_of(remains.kept.file.get(), kept);
  if (result == 0) result = same_bytes(file.get(), remains.kept.file.get());
  if (result < 0) {
    return failed("it cannot be compared again (" + left_at(left.name) + ")", -result);
  }
  if (result == 0) {
    const std::string differs = "its content now differs from that of the kept file; ";
    return refused(differs + (restore(remains, left) ? "it was moved back" : left_at(left.name)));
  }
  const std::uint64_t freed = state.links == 1 ? unshared_bytes(file.get(), state) : 0;
  FileState now;
  if (state_at(remains.kept.location, now) != 0 || now.identity != kept.identity) {
    return refused("the kept file has changed in the meantime; " + left_at(left.name));
  }
  if (state_at(left, now) != 0 || now.identity != state.identity) {
    return refused("it has changed in the meantime; " + left_at(left.name));
  }
  result = remains.ops.unlink(left);
  if (result < 0) return failed("it cannot be removed (" + left_at(left.name) + ")", -result);
  return {Outcome::done, {}, 0, freed};
}

// Removes a temporary name that is a link to the kept file, or a second name of the victim.
Recovered take_away(const Remains& remains, const Location& left) {
  if (remains.dry_run) return would();
  const int result = remains.ops.unlink(left);
  if (result == 0) return std::nullopt;
  return failed("'" + left.name + "' of an earlier run cannot be removed", -result);
}

// The victim is at a temporary name.
Recovered recover_victim(const Remains& remains, const Location& left) {
  switch (occupant_of(remains.location, remains.victim)) {
    case Occupant::expected:
      return take_away(remains, left);
    case Occupant::none: {
      if (remains.dry_run) return would();
      const int result = remains.ops.move_back(left, remains.location);
      if (result == 0) return std::nullopt;
      return failed("it cannot be moved back (" + left_at(left.name) + ")", -result);
    }
    case Occupant::other:
      break;
  }
  if (occupant_of(remains.location, remains.kept_identity) == Occupant::expected) {
    return remains.dry_run ? would() : finish(remains, left);
  }
  return refused("another file was put in its place; " + left_at(left.name));
}

Recovered recover_name(const Remains& remains, const std::string& name) {
  Location left;
  if (const int result = beside(remains.location, name, left); result < 0) {
    return failed("its directory cannot be opened", -result);
  }
  if (occupant_of(left, remains.kept_identity) == Occupant::expected)
    return take_away(remains, left);
  switch (occupant_of(left, remains.victim)) {
    case Occupant::none:
      return std::nullopt;
    case Occupant::expected:
      return recover_victim(remains, left);
    case Occupant::other:
      break;
  }
  return refused("'" + name + "' already exists", EEXIST);
}

// Handles one temporary name when the kept file is not as planned. Returns the victim's location if
// it stays there.
std::optional<std::string> give_back_from(const Remains& remains, const std::string& name) {
  Location left;
  if (beside(remains.location, name, left) < 0) return std::nullopt;
  if (occupant_of(left, remains.kept_identity) == Occupant::expected) {
    if (remains.dry_run || (is_spare(left, remains.location) && drop(remains, left))) {
      return std::nullopt;
    }
    return "the content of the kept file is at '" + name + "' beside it";
  }
  if (occupant_of(left, remains.victim) != Occupant::expected) return std::nullopt;
  if (!remains.dry_run && restore(remains, left)) return std::nullopt;
  return left_at(name);
}

std::optional<std::string> give_back_from_quarantine(const Remains& remains) {
  Location target;
  const int found = remains.quarantine->find(remains.target, target);
  if (found < 0 || occupant_of(target, remains.victim) != Occupant::expected) return std::nullopt;
  const bool is_taken = occupant_of(remains.location, {}) != Occupant::none &&
                        occupant_of(remains.location, remains.victim) != Occupant::expected;
  if (is_taken || remains.dry_run || !restore(remains, target)) return "it is in the quarantine";
  remains.quarantine->remove_empty(remains.target);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> give_back(const Remains& remains, DupAction action) {
  if (action == DupAction::reflink) return std::nullopt;  // it moves nothing
  if (action == DupAction::quarantine) return give_back_from_quarantine(remains);
  // A link may block the victim's name, and may be all that is left of the kept file until the
  // victim is back.
  [[maybe_unused]] const auto in_the_way = give_back_from(remains, new_name(remains.temp_prefix));
  auto of_old = give_back_from(remains, old_name(remains.temp_prefix));
  auto of_new = give_back_from(remains, new_name(remains.temp_prefix));
  return of_new ? of_new : of_old;
}

Recovered recover_hardlink(const Remains& remains) {
  // If the first name completes the act, the second does not exist: names were exchanged, not
  // moved.
  for (const std::string& name : {new_name(remains.temp_prefix), old_name(remains.temp_prefix)}) {
    if (auto verdict = recover_name(remains, name)) return verdict;
  }
  if (occupant_of(remains.location, remains.kept_identity) == Occupant::expected) return before();
  return std::nullopt;
}

Recovered recover_remove(const Remains& remains) {
  if (auto verdict = recover_name(remains, old_name(remains.temp_prefix))) return verdict;
  if (occupant_of(remains.location, remains.victim) == Occupant::none) return before();
  return std::nullopt;
}

Recovered recover_quarantine(const Remains& remains) {
  Location target;
  const int result = remains.quarantine->find(remains.target, target);
  if (result < 0 || occupant_of(target, remains.victim) != Occupant::expected) return std::nullopt;
  if (occupant_of(remains.location, remains.victim) == Occupant::expected)
    return take_away(remains, target);
  // An inode number may have been reused for another file.
  FileState now;
  if (state_at(target, now) != 0 || !same_but_for_ctime(now.identity, remains.victim)) {
    return refused("the file in the quarantine is not the one that was moved");
  }
  return before();
}

}  // namespace fathom::act
