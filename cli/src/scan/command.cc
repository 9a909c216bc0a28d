#include "scan/command.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "exit_code.h"
#include "fathom/base/clock.h"
#include "fathom/fs/csv.h"
#include "fathom/fs/json.h"
#include "fathom/fs/report.h"
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

bool asks_for(const ScanRequest& request, fs::ReportKind kind) {
  return std::any_of(request.reports.begin(), request.reports.end(),
                     [kind](const fs::ReportRequest& report) { return report.kind == kind; });
}

fs::Scan scan(const ScanRequest& request, const rt::CancelToken& interrupt) {
  ProgressLine line(request.progress, request.units);
  if (request.progress == When::always) line.show({});
  Patience patience;
  fs::ScanOptions options;
  options.roots = request.paths;
  options.engine = request.engine;
  options.threads = request.threads;
  options.selection.one_file_system = request.one_file_system;
  options.read_links = asks_for(request, fs::ReportKind::symlinks);
  options.cancel = interrupt;
  options.progress = [&](const fs::Progress& known) {
    const bool interrupted = interrupt.cancelled();
    if (interrupted) line.clear();
    if (patience.over(interrupted, known.seconds)) give_up(known, request.units);
    if (interrupted) return;
    line.show({known.entries, known.disk_bytes, known.seconds, known.directory});
  };
  return fs::scan(options);
}

// What was asked for; for a program that asked for nothing the summary.
std::vector<fs::ReportRequest> reports_of(const ScanRequest& request) {
  std::vector<fs::ReportRequest> reports = request.reports;
  if (reports.empty() && request.format != Format::text) reports.emplace_back();
  return reports;
}

void write(const ScanRequest& request, const fs::ReportInput& input,
           const std::vector<fs::Table>& reports, Output& output) {
  const fs::Sink sink = [&output](std::string_view block) { return output.write(block); };
  switch (request.format) {
    case Format::text: {
      const Terminal terminal = terminal_of(output.descriptor(), request.color);
      const View view{request.measure, request.units, terminal};
      write_text(input, reports, request.pictures, view, sink);
      break;
    }
    case Format::json:
      fs::write_json(input.scan(), input.totals(), reports, sink);
      break;
    case Format::csv:
      fs::write_csv(reports.front(), sink);
      break;
  }
  output.finish();
}

void tell_errors(const ScanRequest& request, const std::vector<fs::ScanError>& errors) {
  if (errors.empty()) return;
  const bool listed = asks_for(request, fs::ReportKind::errors);
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
  Interrupt interrupt;
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
  const std::int64_t now = base::wall_now();
  const fs::Scan found = scan(request, interrupt.token());
  if (found.cancelled) complain("interrupted; what was found until then follows");
  const fs::Totals totals(found.tree);
  const fs::ReportInput input(found, totals, request.measure, now);
  const std::vector<fs::Table> reports = fs::make_reports(input, reports_of(request));
  interrupt.end_at_once();
  write(request, input, reports, output);
  tell_errors(request, found.errors);
  if (found.cancelled) return kInterrupted;
  return found.errors.empty() ? kComplete : kIncomplete;
}

}  // namespace fathom::cli
