// DupsFinding: scans, compares, and reports progress.

#include "dups/finding.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "dups/progress_text.h"
#include "exit_code.h"
#include "fathom/diag/span.h"
#include "fathom/fs/dup_plan.h"
#include "message.h"
#include "scan/interrupt_grace.h"
#include "scan/scan_session.h"
#include "term/number.h"
#include "term/progress_line.h"

namespace fathom::cli {

namespace {

// Uses _exit: joining the stuck thread would hang.
[[noreturn]] void give_up(const fs::DuplicateProgress& known) {
  print_message("interrupted, but the filesystem does not respond; " +
                counted(known.groups, "group", "groups") + " confirmed so far");
  ::_exit(kInterrupted);
}

// Reports the progress of the comparison, and ends the process if an interrupted one hangs.
class Comparing {
 public:
  Comparing(const DupsRequest& request, rt::CancelToken interrupted_by, ProgressRequest& asked)
      : units_(request.units),
        line_(request.progress, request.units),
        interrupted_by_(std::move(interrupted_by)),
        asked_(asked) {}

  void tell(const fs::DuplicateProgress& known) {
    const bool interrupted = interrupted_by_.cancelled();
    if (interrupted) line_.clear();
    if (grace_.over(interrupted, known.seconds)) give_up(known);
    if (interrupted) return;
    const ProgressLine::Text text = [&](unsigned columns, bool) {
      return progress_text(known, units_, columns);
    };
    if (asked_.take()) line_.tell(text);
    line_.show(known.seconds, text);
  }

 private:
  const base::Units units_;
  ProgressLine line_;
  const rt::CancelToken interrupted_by_;
  ProgressRequest& asked_;
  InterruptGrace grace_;
};

fs::Scan scan(const DupsRequest& request, const fs::Selection& selection, Interrupt& interrupt,
              ProgressRequest& asked, const rt::Observer* observer) {
  fs::ScanOptions options;
  options.observer = observer;
  options.roots = request.paths;
  options.threads = request.threads;
  options.selection = selection;
  options.read_links = true;  // to compare the links in directories
  return run_scan_session(std::move(options), request, interrupt, asked);
}

fs::Duplicates compare(const DupsRequest& request, const fs::Tree& tree, Interrupt& interrupt,
                       ProgressRequest& asked, const rt::Observer* observer) {
  Comparing comparing(request, interrupt.token(), asked);
  fs::DuplicateOptions options;
  options.min_size = request.empty ? 0 : std::max<std::uint64_t>(1, request.min_size.value_or(1));
  options.threads = request.threads;
  options.drop_cache = request.drop_cache;
  options.cancel = interrupt.token();
  options.observer = observer;
  options.progress = [&](const fs::DuplicateProgress& known) { comparing.tell(known); };
  return fs::find_duplicates(tree, options);
}

}  // namespace

std::optional<std::size_t> DupsFinding::kept_in(std::size_t group) const {
  if (kept.empty()) return 0;
  if (kept[group] == fs::kNoneKept) return std::nullopt;
  return kept[group];
}

DupsFinding find_dups(const DupsRequest& request, const fs::Selection& selection,
                      Interrupt& interrupt, ProgressRequest& asked, const rt::Observer* observer) {
  DupsFinding found;
  found.began = std::chrono::system_clock::now();
  found.scan = scan(request, selection, interrupt, asked, observer);
  found.same = compare(request, found.scan.tree, interrupt, asked, observer);
  // Nothing checks the token any more, so a signal now ends the program. A signal that arrived just
  // before this call is still recorded.
  interrupt.end_at_once();
  found.same.cancelled = interrupt.token().cancelled();
  FATHOM_SPAN("directories");
  found.directories = fs::duplicate_directories(found.scan, found.same);
  return found;
}

}  // namespace fathom::cli
