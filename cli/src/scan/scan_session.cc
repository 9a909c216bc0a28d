// Scan session: progress, interruption, and the limit of open descriptors.

#include "scan/scan_session.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "exit_code.h"
#include "fathom/base/bytes.h"
#include "message.h"
#include "scan/interrupt_grace.h"
#include "scan/scan_progress_reporter.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

constexpr rlim_t kDescriptors = 65'536;

// Uses _exit: joining the stuck thread would hang.
[[noreturn]] void give_up(const fs::Progress& known, base::Units units) {
  const std::string where = known.directory.empty() ? "the filesystem" : escaped(known.directory);
  print_message("interrupted, but " + where +
                " does not respond; found so far: " + counted(known.entries, "entry", "entries") +
                ", " + base::format_bytes(known.disk_bytes, units));
  ::_exit(kInterrupted);
}

}  // namespace

void allow_more_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(limit.rlim_max, kDescriptors);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

fs::Scan run_scan_session(fs::ScanOptions options, const CommonRequest& request,
                          Interrupt& interrupt, ProgressRequest& asked) {
  ScanProgressReporter reporter(request.progress, request.units, asked);
  InterruptGrace grace;
  const rt::CancelToken interrupted_by = interrupt.token();
  options.cancel = interrupted_by;
  options.progress = [&](const fs::Progress& known) {
    const bool interrupted = interrupted_by.cancelled();
    if (interrupted) reporter.end();
    if (grace.over(interrupted, known.seconds)) give_up(known, request.units);
    if (interrupted) return;
    reporter.report(known, options.stuck_after);
  };
  return fs::scan(options);
}

}  // namespace fathom::cli
