// Quarantines of past runs: what they hold, and emptying them.
//
// Runs without a directory that the user named move things to directories of their own, which only
// this user can enter (RunOptions::quarantine). Emptying one is final, and frees what it holds.
//
//   for (const act::QuarantinedRun& run : act::quarantined_runs()) freed += act::purge(run).freed;

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fathom/act/open_file.h"
#include "fathom/rt/cancel.h"

namespace fathom::act {

struct QuarantinedRun {
  std::string path;                 // absolute
  std::int64_t began = 0;           // seconds since the epoch, according to its name
  std::uint64_t entries = 0;        // in it
  std::uint64_t bytes = 0;          // on the disk, of inodes all of whose names are in it
  std::vector<OpenFile> open = {};  // files that processes have open; part of `bytes`
};

// Of this user, the oldest first: at the top of each mounted filesystem, in the user's state
// directory, and in these absolute directories, since a quarantine may be beside the root of a
// plan. Directories that do not belong to the user alone, and names that are not those of runs, are
// left out.
[[nodiscard]] std::vector<QuarantinedRun> quarantined_runs(
    const std::vector<std::string>& folders = {}, const rt::CancelToken& cancel = {});

struct PurgedRun {
  std::uint64_t entries = 0;
  std::uint64_t freed = 0;     // bytes on the disk
  std::vector<OpenFile> open;  // removed, but open in a process: not in `freed`
  std::string why;             // why it could not be emptied completely; empty: it is gone
};

// Removes a run from its quarantine. Follows no link and enters no other filesystem. An interrupted
// purge is continued by the next one.
[[nodiscard]] PurgedRun purge(const QuarantinedRun& run);

}  // namespace fathom::act
