#include "scan/command.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "exit_code.h"
#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "scan/flags.h"
#include "scan/patience.h"
#include "scan/text_report.h"
#include "term/label.h"
#include "term/number.h"
#include "term/progress_line.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kErrorsShown = 3;
constexpr rlim_t kDescriptors = 65'536;

// A scan that may hold more directories open opens fewer of them twice.
void allow_more_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(limit.rlim_max, kDescriptors);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// Nobody is told by a destructor: a thread is stuck in the kernel.
[[noreturn]] void give_up(const fs::Progress& known, base::Units units) {
  const std::string where = known.directory.empty() ? "the filesystem" : escaped(known.directory);
  complain("interrupted, but " + where +
           " does not answer; known so far: " + counted(known.entries, "entry", "entries") + ", " +
           base::format_bytes(known.disk_bytes, units));
  ::_exit(kInterrupted);
}

fs::Scan scan(const ScanRequest& request) {
  ProgressLine line(request.progress, request.units);
  if (request.progress == When::always) line.show({});
  Patience patience;
  fs::ScanOptions options;
  options.roots = request.paths;
  options.engine = request.engine;
  options.threads = request.threads;
  options.one_file_system = request.one_file_system;
  options.cancel = &Interrupt::requested();
  options.progress = [&](const fs::Progress& known) {
    const bool interrupted = Interrupt::requested().load(base::memory_order_relaxed);
    if (interrupted) line.clear();
    if (patience.over(interrupted, known.seconds)) give_up(known, request.units);
    if (interrupted) return;
    line.show({known.entries, known.disk_bytes, known.seconds, known.directory});
  };
  return fs::scan(options);
}

std::string render(const ScanRequest& request, const fs::Scan& scan, int descriptor) {
  const fs::Totals totals(scan.tree);
  if (request.format == Format::json) {
    std::vector<fs::ReportRequest> reports = request.reports;
    if (reports.empty()) reports.push_back({fs::ReportKind::summary, 0});
    return fs::to_json(scan, totals, reports, request.measure);
  }
  const View view{request.measure, request.units, terminal_of(descriptor, request.color)};
  return text_report(scan, totals, request.reports, view);
}

void tell_errors(const ScanRequest& request, const std::vector<fs::ScanError>& errors) {
  if (errors.empty()) return;
  const auto lists_them = [](const fs::ReportRequest& report) {
    return report.kind == fs::ReportKind::errors;
  };
  const bool listed = std::any_of(request.reports.begin(), request.reports.end(), lists_them);
  const std::size_t shown = listed ? 0 : std::min(errors.size(), kErrorsShown);
  for (std::size_t i = 0; i < shown; ++i) complain(describe(errors[i]));
  std::string sentence = counted(errors.size(), "entry", "entries") +
                         " could not be read, so the totals are lower bounds";
  if (shown < errors.size() && !listed) sentence += "; --errors lists all";
  complain(sentence);
}

}  // namespace

int scan_command(const std::vector<std::string>& arguments) {
  const ScanRequest request = parse_scan(arguments);
  allow_more_descriptors();
  const Interrupt interrupt;
  if (request.help) {
    Output(std::nullopt).write(scan_help());
    return kComplete;
  }
  Output output = [&] {
    try {
      return Output(request.output);
    } catch (const base::SystemError& error) {
      throw UsageError(error.what());  // nothing was done
    }
  }();
  const fs::Scan found = scan(request);
  if (found.cancelled) complain("interrupted; what was found until then follows");
  const std::string text = render(request, found, output.descriptor());
  Interrupt::end_at_once();
  output.write(text);
  tell_errors(request, found.errors);
  if (found.cancelled) return kInterrupted;
  return found.errors.empty() ? kComplete : kIncomplete;
}

}  // namespace fathom::cli
