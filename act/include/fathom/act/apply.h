// apply_plan and undo_run: carry out a Plan, and move back what was moved.
//
// Guarantees, whatever other programs do on the filesystem at the same time:
//   - Only what the plan names is removed or moved. An item is examined again at open descriptors;
//     if anything in it has changed since the plan was made, it is refused.
//   - What is moved is examined once more in its new place, and moved back if it is not the same.
//   - What is removed is first given a name that no other program knows. Each entry of a directory
//     is compared with the examination right before it is removed. What is new or has changed
//     meanwhile stays, and the rest of the directory gets its name back.
//   - No symbolic link is followed, no other filesystem is entered, and nothing is overwritten.
//   - After a crash or a power cut, a run that is started again with the same journal completes
//     what was begun. Every act is in the journal, on the disk, before it begins.
//   - A dry run makes the same checks in the same code and changes nothing.
//
// What remains is the moment between the last look at an entry and its removal, which the system
// offers no way to join, and a program that writes to a file that it has opened before.
//
//   act::RunOptions options{.dry_run = false, .journal = "plan.journal"};
//   options.on_item = [](const act::ItemResult& item) { ... };
//   act::PlanApplied applied = act::apply_plan(plan, options);

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/act/outcome.h"
#include "fathom/act/plan.h"
#include "fathom/rt/cancel.h"

namespace fathom::act {

struct ItemResult {
  const PlanItem* item = nullptr;
  std::string path;  // absolute
  Outcome outcome = Outcome::done;
  std::string why;          // of a refusal or failure, or a note on what remains; no full stop
  int code = 0;             // errno, if the system reported one
  std::uint64_t freed = 0;  // bytes on the disk of inodes that have lost their last name
  std::uint64_t open = 0;   // the same, of files that processes have open; not in `freed`
  std::uint64_t held = 0;   // the same as `freed`, if the quarantine or trash were emptied
  std::string moved_to;     // absolute; where it is if it was done; empty: no place was chosen
};

struct RunOptions {
  bool dry_run = true;

  // As in ApplyOptions (dup_apply.h).
  std::string journal;
  bool journal_is_chosen = true;

  // Where items with Action::quarantine go; absolute, created if necessary. Each keeps its whole
  // path below it. Empty: a directory of the run's own in .fathom-quarantine-UID, which is at the
  // top of the item's filesystem if the user may create it there, and otherwise in the user's state
  // directory or beside the root.
  std::string quarantine;

  // Checked before each item; an item that has begun is finished.
  rt::CancelToken cancel;

  // Called in the order of the plan, with items whose acts are on the disk.
  std::function<void(const ItemResult&)> on_item;

  // For tests; as in ApplyOptions.
  std::function<void(std::string_view step)> before_step;
};

// The free space of a filesystem that a run has changed, as df shows it, in bytes.
struct FreeSpace {
  std::string root;  // of the plan, which is on this filesystem
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

struct PlanApplied : Applied {
  std::vector<FreeSpace> space;  // empty for a dry run
  // Files that have lost their last name while a process had them open when the run began.
  std::vector<OpenFile> open;
};

// Throws base::Error for a plan with a flaw or of another host, for a journal that belongs to
// another plan, is in use or is not a journal, and if the quarantine cannot be used.
[[nodiscard]] PlanApplied apply_plan(const Plan& plan, const RunOptions& options);

// An item of a run that is being undone.
struct UndoneItem {
  std::string path;  // absolute: its original path
  Outcome outcome = Outcome::done;
  std::string why;
  int code = 0;
};

struct RunUndoOptions {
  bool dry_run = true;
  std::string journal;  // of the run
  rt::CancelToken cancel = {};
  std::function<void(const UndoneItem&)> on_item = {};
  std::function<void(std::string_view step)> before_step = {};
};

struct RunUndone : Applied {
  std::uint64_t removed_for_good = 0;  // items that cannot be moved back
};

// Moves back everything that a run has moved, the last item first, and then removes the directories
// of the quarantine that are empty. Overwrites nothing; missing directories above an item are made
// again. Throws base::Error if the journal cannot be used.
[[nodiscard]] RunUndone undo_run(const RunUndoOptions& options);

// How many deletions a run has begun and not ended: it was killed, or still runs. What is left has
// a hidden name, and the deletion can be completed only with the same plan. 0 if no such journal
// can be read.
[[nodiscard]] std::uint64_t unfinished_deletions(const std::string& journal);

}  // namespace fathom::act
