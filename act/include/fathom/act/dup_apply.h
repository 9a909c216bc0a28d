// apply_plan: carries out a DupPlan without ever losing content.
//
// Guarantees, whatever other programs do on the filesystem at the same time:
//   - A file is destroyed only if it was verified, at that moment, to be the file that the plan
//     names: it is first renamed to a name that no other program knows, checked again, and only
//     then removed. A file that turns out to be a different one is put back.
//   - The kept file is open during each act, is synced to the disk before the first one, and is
//     looked up by name again right before anything is removed.
//   - Nothing outside the roots is touched, no symbolic link below them or on their paths is
//     followed, and nothing is overwritten. An act that cannot be done as planned is refused, and
//     nothing else is done instead.
//   - After a crash or a power cut, a run that is started again with the same journal continues
//     where the first one stopped and cleans up its unfinished acts. Every act is in the journal,
//     synced to the disk, before it begins; none is reported as done before it is on the disk.
//     act/src/dups/apply_run.h explains why this also holds for batches of acts.
//   - A dry run makes the same checks in the same code and changes nothing. It cannot predict
//     errors that only the real operation reveals, such as a full disk.
//
// A file is the one in the plan if device, inode, size, mtime and ctime are equal. This identifies
// the file, not its content: a write through a mapping changes no time until its page is written
// back, filesystem clocks have a resolution of a few milliseconds at best and 2 seconds at worst,
// servers have clocks of their own, and a plan may have been edited. Therefore both files of an act
// are compared again, byte by byte, right before it, also in a dry run. For reflinks the kernel
// makes this comparison.
//
// With `trust_times` they are compared only where times are not conclusive: if one of them changed
// later than 2 seconds before the scan began; if the search took results of earlier ones
// (fs/compared_files.h); if an interrupted run, or an act on another name of
// the same file, may have touched them; and if the ctime of the kept file differs from the one
// recorded when it was opened or, for hard links, after the run's own last act. This misses a write
// that changed no time, a write that a slow or reset clock dated before the scan, and a plan that
// joins files of the same size and different content.
//
// If two runs work at the same time, and one keeps a file that the other removes, they never remove
// both: each moves its file away before it looks up the one that it keeps, so at least one of them
// finds that one gone.
//
// What remains is the window between the comparison and the act, because no system call joins the
// two. Times are checked again in between, the last time microseconds before the act. A program
// that removes or overwrites the kept file after that destroys what it believes to be one of two
// copies. A program is not noticed if it changes either file and resets the mtime while one of our
// calls changes the ctime, or if it writes through a mapping. A program that has a file open for
// writing continues to write to it after the file has lost its name: do not act on files that are
// in use.
//
//   act::ApplyOptions options{.dry_run = false, .journal = "plan.journal"};
//   options.on_act = [](const act::Act& act) { ... };
//   act::Applied applied = act::apply_plan(plan, options);

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/act/dup_plan.h"
#include "fathom/act/outcome.h"
#include "fathom/rt/cancel.h"

namespace fathom::act {

// The result of one act.
struct Act {
  std::string path;  // absolute
  const PlanFile* file = nullptr;
  const PlanFile* kept = nullptr;
  Outcome outcome = Outcome::done;
  std::string why;          // unless done, would_be_done or done_before; without a full stop
  int code = 0;             // errno, if the system reported one
  std::uint64_t freed = 0;  // bytes that the act frees on the disk, as defined below
  std::uint64_t held = 0;   // bytes that deleting the file from the quarantine would free then
};

// Freed are the allocated blocks of a file (st_blocks) when the last of its names is removed or
// replaced, or when it begins to share them with the kept file. Names that remain anywhere, in the
// plan or not, free nothing. Blocks that the filesystem reports as shared with any other file
// (reflinks, snapshots) count as 0, even if the plan acts on all files that share them; so the
// figure may be too small. Blocks of a file that is open are free when it is closed. A move to a
// quarantine frees nothing.

struct ApplyOptions {
  bool dry_run = true;

  // Created if necessary; the journal of another plan is refused. A dry run only reads it, and
  // ignores that of another plan if no act of it is unfinished.
  std::string journal;

  // Whether a user has chosen that path. If not, it must be neither a symbolic link nor planted
  // (base/planted.h): a path that is easy to guess may be a trap.
  bool journal_is_chosen = true;

  // For the action `quarantine` only; absolute, created if necessary. Files keep their whole path
  // below it. If the plan names one, this is empty or the same.
  std::string quarantine;

  // Treats files whose times are unchanged as unchanged, instead of comparing them before each act.
  bool trust_times = false;

  // The maximum number of acts that are synced together. A larger batch is faster, and its acts are
  // reported later.
  std::size_t acts_at_once = 64;

  // How many names a file may have; 0: the filesystem's limit. A dry run knows the limits of ext4,
  // btrfs and nilfs2.
  std::uint64_t max_links = 0;

  // Checked before each act; an act that has begun is finished.
  rt::CancelToken cancel;

  // Called in the order of the plan, with acts that are on the disk.
  std::function<void(const Act&)> on_act;

  // Called with the name of each call that changes something, right before it. For tests, which
  // kill the process or interfere at that point.
  std::function<void(std::string_view step)> before_step;
};

// Checks a new plan: the acts that a dry run would refuse move to the skipped files of their group,
// with the same reason, and the plan gets its sums. The checks are those of apply_plan(), in the
// same code, except that contents are not compared again: the search has just done this. Without a
// quarantine in the plan, whether it is on the same filesystem is left to the dry run.
//
// Changes no file. Returns what the dry run would report. Throws base::Error for a plan with a flaw
// and if the quarantine cannot be used.
Applied check_acts(DupPlan& plan);

// Throws base::Error for a plan with a flaw; for a journal that belongs to another plan, is in use
// or is not a journal; if the journal or the quarantine is missing; and if the plan names another
// quarantine.
[[nodiscard]] Applied apply_plan(const DupPlan& plan, const ApplyOptions& options);

// What a killed run has left unfinished.
struct Unfinished {
  std::uint64_t acts = 0;
  std::vector<std::string> names;  // absolute; temporary names that still exist
};

// According to the journal and the files on the disk; empty if there is no journal. Throws
// base::Error if the file is not a journal.
[[nodiscard]] Unfinished unfinished_acts(const std::string& journal);

// The result for one file that had been moved to the quarantine.
struct Undone {
  std::string path;  // absolute: its original path
  Outcome outcome = Outcome::done;
  std::string why;
  int code = 0;
};

struct UndoOptions {
  bool dry_run = true;
  std::string journal;            // of the run that moved the files
  std::size_t acts_at_once = 64;  // as for ApplyOptions
  rt::CancelToken cancel;
  std::function<void(const Undone&)> on_file;
  std::function<void(std::string_view step)> before_step;  // as for ApplyOptions
};

// Moves back everything that a run has moved to its quarantine, the last file first, and then
// removes the directories there that are empty. Overwrites nothing. Throws as apply_plan() does.
[[nodiscard]] Applied undo_quarantine(const UndoOptions& options);

}  // namespace fathom::act
