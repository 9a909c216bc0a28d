// apply_plan: does what a DupPlan says, so that no content is ever lost.
//
// Guarantees, whatever else happens on the filesystem meanwhile:
//   - Nothing is destroyed but a file that was found, at that moment, to be the one that the plan
//     names: it is first set aside under a name that nobody else knows, looked at again, and only
//     then removed. What proves to be something else is put back.
//   - The kept file is open during each act, has been written to the disk before the first one, and
//     is looked for at its name again right before anything is removed.
//   - Nothing outside the roots is touched, no symbolic link below them is followed, nothing is
//     overwritten, and what cannot be done as planned is refused: there is no second best.
//   - A run that was killed, or whose machine lost its power, goes on where it stopped when it is
//     started again with its journal, and takes away what it left half done. Every act is in the
//     journal, and that on the disk, before it begins; none is said to be done before it is on the
//     disk (fs/src/dups/apply_run.h tells why that is enough for many acts at a time).
//   - A dry run makes the same checks in the same code, and changes nothing at all. What only the
//     system knows until it is asked to act, such as a full disk, it does not foretell.
//
// A file is taken for the one of the plan if device, inode, size, mtime and ctime are equal. That
// says which file it is, not what it holds: a write through a mapping changes no time while its
// page waits to be written, clocks of filesystems tick a few milliseconds at best and 2 seconds at
// worst, those of servers are not ours, and a plan may have been edited. Hence both files of an act
// are compared once more, byte by byte, right before it, in a dry run, too; the kernel itself does
// so for reflinks.
//
// With `trust_times` they are compared only where times cannot tell: when one of them changed less
// than 2 seconds before the scan began, or later; when an interrupted run, or an act on another
// name of the same file, may have touched them; and when the ctime of the kept file is not the one
// that was noted when it was opened or, for hard links, after our own last act. What then goes
// unnoticed is a write that changed no time, one that was dated before the scan by a clock that
// runs slow or was set back, and a plan that joins files of the same size and different content.
//
// Two runs at once, one of which keeps what the other removes, never remove both: each moves its
// file away before it looks for the one that it keeps, so one of them at least finds that gone.
//
// What remains: what happens between the comparison and the act, as no call of the kernel joins the
// two. Times are looked at again in between, the last time microseconds before. A program that
// removes or overwrites the kept file after that has destroyed what it believed to be one of two
// copies; one that alters either and sets back its mtime while a call of ours changes its ctime, or
// writes to it through a mapping, is not noticed. And a program that has a file open for writing
// goes on writing to it when it has no name any more: do not act on what is in use.
//
//   fs::ApplyOptions options{.dry_run = false, .journal = "plan.journal"};
//   options.on_act = [](const fs::Act& act) { ... };
//   fs::Applied applied = fs::apply_plan(plan, options);

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/dup_plan.h"
#include "fathom/rt/cancel.h"

namespace fathom::fs {

enum class Outcome : std::uint8_t {
  done,
  would_be_done,     // in a dry run
  done_before,       // by an earlier run, as the journal says
  already_shared,    // it is the kept file already, or shares its blocks: nothing need be done
  promoted_to_kept,  // the kept file may have no more names: this one is kept for those that follow
  refused,           // something is not as the plan says, or may not be: nothing was done
  failed,            // the system refused
};

[[nodiscard]] std::string_view to_string(Outcome outcome);

// What became of one act.
struct Act {
  std::string path;  // absolute
  const PlanFile* file = nullptr;
  const PlanFile* kept = nullptr;
  Outcome outcome = Outcome::done;
  std::string why;  // of all but done, would_be_done and done_before; for people, no full stop
  int code = 0;     // errno, if the system said so
  std::uint64_t freed = 0;  // bytes on the disk; 0 while other names, or reflinks, hold on to them
};

struct ApplyOptions {
  bool dry_run = true;

  // Made if need be; the journal of another plan is refused. A dry run only reads it.
  std::string journal;

  // Of that action alone, absolute: made if need be. Files keep their whole path below it.
  std::string quarantine;

  // Takes files whose times are unchanged for unchanged, instead of comparing them before each act.
  bool trust_times = false;

  // How many acts wait for the disk together, at most. More of them are faster, and are told later.
  std::size_t acts_at_once = 64;

  // How many names a file may get; 0: as many as the filesystem lets it have. A dry run foretells
  // the limits of ext4, btrfs and nilfs2.
  std::uint64_t max_links = 0;

  // Looked at before each act; what was begun is finished.
  rt::CancelToken cancel;

  // Called in the order of the plan, with acts that are on the disk.
  std::function<void(const Act&)> on_act;

  // Called before each call that changes something, with its name. For tests, which end the process
  // there, or meddle.
  std::function<void(std::string_view step)> before_step;
};

struct Applied {
  std::uint64_t done = 0;  // or would be
  std::uint64_t done_before = 0;
  std::uint64_t already_shared = 0;
  std::uint64_t promoted_to_kept = 0;
  std::uint64_t refused = 0;
  std::uint64_t failed = 0;
  std::uint64_t freed = 0;  // bytes, as are those of the acts
  bool cancelled = false;

  [[nodiscard]] bool complete() const { return refused == 0 && failed == 0 && !cancelled; }
};

// Throws base::Error for a plan with a flaw, for a journal that is another plan's, in use or none,
// and when there is no journal or quarantine to begin with.
[[nodiscard]] Applied apply_plan(const DupPlan& plan, const ApplyOptions& options);

// What a run that was killed has left half done.
struct Unfinished {
  std::uint64_t acts = 0;
  std::vector<std::string> names;  // absolute: those that it made up, which are still there
};

// By the journal, and by what stands on the disk; nothing if there is no journal. Throws
// base::Error for what is none.
[[nodiscard]] Unfinished unfinished_acts(const std::string& journal);

// What became of one file that had been moved to the quarantine.
struct Undone {
  std::string path;  // absolute: where it belongs
  Outcome outcome = Outcome::done;
  std::string why;
  int code = 0;
};

struct UndoOptions {
  bool dry_run = true;
  std::string journal;            // of the run that moved them
  std::size_t acts_at_once = 64;  // as for ApplyOptions
  rt::CancelToken cancel;
  std::function<void(const Undone&)> on_file;
  std::function<void(std::string_view step)> before_step;  // as for ApplyOptions
};

// Moves back, the last one first, whatever a run has moved to its quarantine, and removes the
// folders there that are empty then. Overwrites nothing. Throws as apply_plan() does.
[[nodiscard]] Applied undo_quarantine(const UndoOptions& options);

}  // namespace fathom::fs
