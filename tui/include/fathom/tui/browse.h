// browse: shows a scan in a terminal, while it runs and afterwards, and lets its user look around,
// mark entries and collect a plan. It changes nothing on disk itself, except that it writes a list
// of paths to a new file when its user asks for one; plans are written and carried out by its
// caller.
//
//   tui::BrowseOptions options;
//   options.scan.roots = {"/srv"};
//   const tui::BrowseEnd end = tui::browse(std::move(options));

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fathom/act/plan.h"
#include "fathom/base/bytes.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/scan.h"
#include "fathom/rt/cancel.h"
#include "fathom/store/diff.h"
#include "fathom/tui/apply_report.h"

namespace fathom::tui {

// Carries the plan out, in which all entries are to be deleted for good, or none is; and takes back
// the last one of this session that is not taken back yet, so that each call takes back an earlier
// one. Paths are unchanged bytes, with that of the root as it was given; each entry comes with what
// the scan saw of it, and with the reason if a rule has chosen it. Each is called only after the
// user has been shown what will be done and has agreed, with the terminal as the caller of browse()
// left it. What was changed is then scanned again.
using ApplyPlan = std::function<ApplyReport(std::span<const act::Chosen> chosen)>;
using UndoPlan = std::function<UndoReport()>;

// Writes a plan of the same entries, for `fathom apply`, to a file that must not exist. Called with
// the terminal in the same way.
using WritePlan =
    std::function<WriteReport(std::span<const act::Chosen> chosen, const std::string& file)>;

// What has changed since a snapshot. The paths begin with those of the roots.
struct Growth {
  store::Diff diff;
  std::int64_t since = 0;          // when the snapshot was made, in seconds since the epoch
  std::vector<std::string> roots;  // of the scan, in its order, as the paths begin with them
};

// Compares a complete scan with the newest snapshot of it. Called by another thread than browse().
// Throws base::Error with a sentence for the user, if there is none.
using FindGrowth =
    std::function<Growth(const fs::Scan& scan, fs::Measure measure, const rt::CancelToken& cancel)>;

struct BrowseOptions {
  fs::ScanOptions scan;           // what to scan; cancel and progress are set by browse()
  bool can_rescan = true;         // a directory alone gives the same as in the whole scan
  std::optional<fs::Scan> saved;  // what to show instead of scanning
  std::int64_t taken = 0;         // when it was made, in seconds since the epoch
  std::string note;               // in the first line; may be empty

  base::Units units = base::Units::iec;
  fs::Measure measure = fs::Measure::disk;
  bool unicode = true;
  bool color = true;
  bool mouse = false;      // clicks select and open
  bool read_only = false;  // no shell, and nothing is applied
  ApplyPlan apply;         // empty: plans cannot be applied
  UndoPlan undo;           // set if apply is
  WritePlan write_plan;    // empty: only lists of paths are written
  FindGrowth find_growth;  // empty: there are no snapshots
};

struct BrowseEnd {
  bool complete = true;                  // what was shown last was all there is
  int signal = 0;                        // that ended it; 0: the user did
  std::optional<std::string> directory;  // to print
};

// Throws base::Error without a terminal, or if the scan cannot begin.
[[nodiscard]] BrowseEnd browse(BrowseOptions options);

}  // namespace fathom::tui
