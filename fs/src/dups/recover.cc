#include "dups/recover.h"

#include <cerrno>
#include <cstdint>

#include "dups/same_bytes.h"
#include "dups/unshared.h"

namespace fathom::fs {

namespace {

using Settled = std::optional<Verdict>;

Verdict before() {
  return {Outcome::done_before, {}, 0, 0};
}

Verdict would() {
  return {Outcome::would_be_done, {}, 0, 0};
}

// The victim stands at a made-up name, and a link to the kept file has its own: the rest of the act
// is to remove it, if it still has the kept file's content.
Verdict finish(const Remains& remains, const Place& left) {
  Fd file;
  int result = open_regular(left, file);
  if (result == 0) result = same_bytes(file.get(), remains.kept.file.get());
  if (result < 0) {
    return failed("it cannot be compared once more (" + left_at(left.name) + ")", -result);
  }
  if (result == 0) {
    return refused("it has changed since it was replaced; " + left_at(left.name));
  }
  if (!is_in_place(remains.kept)) {
    return refused("the kept file has changed meanwhile; " + left_at(left.name));
  }
  FileState state;
  const bool was_last = state_of(file.get(), state) == 0 && state.links == 1;
  const std::uint64_t freed = was_last ? unshared_bytes(file.get(), state) : 0;
  result = remains.steps.unlink(left);
  if (result < 0) return failed("it cannot be removed (" + left_at(left.name) + ")", -result);
  return {Outcome::done, {}, 0, freed};
}

// A made-up name that is a link to the kept file, or one more of a victim that has its own, is
// taken away.
Settled take_away(const Remains& remains, const Place& left) {
  if (remains.dry_run) return would();
  const int result = remains.steps.unlink(left);
  if (result == 0) return std::nullopt;
  return failed("'" + left.name + "' of an earlier run cannot be removed", -result);
}

// The victim stands at a made-up name.
Settled recover_victim(const Remains& remains, const Place& left) {
  switch (look(remains.place, remains.victim)) {
    case Found::it:
      return take_away(remains, left);
    case Found::nothing: {
      if (remains.dry_run) return would();
      const int result = remains.steps.move_back(left, remains.place);
      if (result == 0) return std::nullopt;
      return failed("it cannot be put back (" + left_at(left.name) + ")", -result);
    }
    case Found::other:
      break;
  }
  if (look(remains.place, remains.kept.state.identity) == Found::it) {
    return remains.dry_run ? would() : finish(remains, left);
  }
  return refused("another file was put there meanwhile; " + left_at(left.name));
}

Settled recover_name(const Remains& remains, const std::string& name) {
  Place left;
  if (const int result = beside(remains.place, name, left); result < 0) {
    return failed("its directory cannot be held open", -result);
  }
  if (look(left, remains.kept.state.identity) == Found::it) return take_away(remains, left);
  switch (look(left, remains.victim)) {
    case Found::nothing:
      return std::nullopt;
    case Found::it:
      return recover_victim(remains, left);
    case Found::other:
      break;
  }
  return refused("'" + name + "' is in the way", EEXIST);
}

}  // namespace

Settled recover_hardlink(const Remains& remains) {
  // When the first settles the act, there is no second: names were exchanged, and nothing was
  // moved.
  for (const std::string& name : {new_name(remains.mark), old_name(remains.mark)}) {
    if (auto verdict = recover_name(remains, name)) return verdict;
  }
  if (look(remains.place, remains.kept.state.identity) == Found::it) return before();
  return std::nullopt;
}

Settled recover_remove(const Remains& remains) {
  if (auto verdict = recover_name(remains, old_name(remains.mark))) return verdict;
  if (look(remains.place, remains.victim) == Found::nothing) return before();
  return std::nullopt;
}

Settled recover_quarantine(const Remains& remains) {
  Place target;
  const int result = remains.quarantine->find(remains.target, target);
  if (result < 0 || look(target, remains.victim) != Found::it) return std::nullopt;
  if (look(remains.place, remains.victim) == Found::it) return take_away(remains, target);
  return before();
}

}  // namespace fathom::fs
