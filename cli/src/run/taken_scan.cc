// TakenScan: a scan session, or an import.

#include "run/taken_scan.h"

#include <utility>

#include "fathom/base/clock.h"
#include "run/frozen_subvolume.h"
#include "run/saved_scan.h"
#include "run/scan_session.h"

namespace fathom::cli {

TakenScan take_scan(const CommonRequest& request, fs::ScanOptions options,
                    const fs::SelectionAt& selection, Interrupt& interrupt,
                    ProgressRequest& asked) {
  if (request.from) {
    // A signal ends the program: a scan that is partly read is useless.
    SavedScan saved = read_saved(request, selection);
    const std::uint64_t rules = selection(saved.taken).excluded.text_hash();
    return {std::move(saved.scan), saved.taken, rules};
  }
  const std::int64_t now = base::wall_now();
  options.roots = request.paths;
  options.threads = request.threads;
  options.engine = request.engine;
  if (request.frozen) options.freeze = freeze_subvolume;
  options.selection = selection(now);
  const std::uint64_t rules = options.selection.excluded.text_hash();
  TakenScan taken{run_scan_session(std::move(options), request, interrupt, asked), now, rules};
  // Nothing checks the token any more, so a signal now ends the program. A signal that arrived just
  // before this call is still recorded.
  interrupt.end_at_once();
  taken.scan.cancelled = interrupt.token().cancelled();
  return taken;
}

}  // namespace fathom::cli
