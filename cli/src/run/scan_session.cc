// Scan session: progress, interruption, and the limit of open descriptors.

#include "run/scan_session.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <utility>

#include "fathom/base/bytes.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

ScanProgressReporter::ScanProgressReporter(When progress, base::Units units, ProgressRequest& asked)
    : line_(progress, units), asked_(asked), watched_(line_.wanted()) {
  if (progress == When::always) line_.show({});
}

void ScanProgressReporter::report(const fs::Progress& known,
                                  std::chrono::milliseconds stuck_after) {
  const ProgressFigures figures{known.entries, known.disk_bytes, known.seconds, known.directory};
  if (asked_.take()) {
    watched_ = true;
    line_.tell(figures);
  }
  if (watched_) report_stuck(known.stuck, stuck_after);
  line_.show(figures);
}

// Each directory once, in the order of the paths.
void ScanProgressReporter::report_stuck(std::vector<std::string> stuck,
                                        std::chrono::milliseconds after) {
  std::sort(stuck.begin(), stuck.end());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(after).count();
  for (std::string& directory : stuck) {
    const auto [reported, is_new] = reported_stuck_.insert(std::move(directory));
    if (!is_new) continue;
    line_.clear();
    print_message("still reading " + escaped(*reported) + " after " + std::to_string(seconds) +
                  " s");
  }
}

// ---- The session

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
  interrupt.defer();
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
