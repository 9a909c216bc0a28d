// `fathom scan`: scans or reads an export, and writes the reports.

#include "commands/scan.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "commands/shard.h"
#include "fathom/base/moment.h"
#include "fathom/diag/memory.h"
#include "fathom/diag/span.h"
#include "fathom/fs/csv.h"
#include "fathom/fs/json.h"
#include "fathom/fs/report.h"
#include "flags/help.h"
#include "flags/scan_flags.h"
#include "run/diagnosis.h"
#include "run/existing_paths.h"
#include "run/interrupt.h"
#include "run/ncdu_output.h"
#include "run/nice.h"
#include "run/output.h"
#include "run/parquet_output.h"
#include "run/scan_session.h"
#include "run/selection.h"
#include "run/taken_scan.h"
#include "run/trace.h"
#include "term/exit_code.h"
#include "term/message.h"
#include "term/progress_line.h"
#include "view/arranged_table.h"
#include "view/scan_messages.h"
#include "view/text_report.h"

namespace fathom::cli {

namespace {

// Whether a requested report has the property.
template <class Property>
bool any_report(const ScanRequest& request, Property property) {
  return std::any_of(request.reports.begin(), request.reports.end(),
                     [property](const fs::ReportRequest& report) {
                       return std::invoke(property, fs::report_info(report.kind));
                     });
}

// Scans, or reads a saved scan.
TakenScan take(const ScanRequest& request, const fs::SelectionAt& selection, Interrupt& interrupt,
               ProgressRequest& asked, const rt::Observer* observer) {
  fs::ScanOptions options;
  options.max_operations_per_second = request.max_operations;
  options.observer = observer;
  options.read_links =
      any_report(request, &fs::ReportInfo::needs_links) || request.format == Format::ncdu;
  options.read_times = request.format == Format::parquet;
  const bool explained = any_report(request, &fs::ReportInfo::needs_facts);  // never of a saved one
  const fs::UsedBytes used = explained ? fs::used_bytes(request.paths) : fs::UsedBytes();
  TakenScan taken = take_scan(request, std::move(options), selection, interrupt, asked);
  if (explained) taken.scan.filesystems = fs::gather_filesystem_facts(request.paths, used);
  return taken;
}

// How long ago the moment was: negative if it is yet to come, and the longest age if it cannot be
// represented.
std::chrono::seconds age_of(const base::Moment& moment, std::int64_t now) {
  std::int64_t seconds = 0;
  const std::int64_t at = moment.before(now);
  if (!__builtin_sub_overflow(now, at, &seconds)) return std::chrono::seconds(seconds);
  return at < 0 ? std::chrono::seconds::max() : std::chrono::seconds::min();
}

// The requested reports. Formats for programs have the summary by default.
std::vector<fs::ReportRequest> reports_of(const ScanRequest& request, std::int64_t now) {
  std::vector<fs::ReportRequest> reports;
  for (const AskedReport& asked : request.reports) {
    fs::ReportRequest& report = reports.emplace_back(asked);
    if (asked.since) report.within = age_of(*asked.since, now);
  }
  const bool is_table = request.format == Format::json || request.format == Format::csv;
  if (reports.empty() && is_table) reports.emplace_back();
  const bool folds = request.format == Format::text && !request.all_levels;
  for (fs::ReportRequest& report : reports) {
    report.levels = folds ? fs::Levels::folded : fs::Levels::all;
  }
  return reports;
}

using Messages = std::vector<std::string>;

// The messages that follow the results.
Messages messages_about(const ScanRequest& request, const fs::Scan& scan,
                        const std::vector<fs::Table>& reports) {
  const bool listed = any_report(
      request, [](const fs::ReportInfo& report) { return report.kind == fs::ReportKind::errors; });
  Messages messages = error_messages(scan, listed);
  for (std::string& message : length_messages(reports)) messages.push_back(std::move(message));
  if (request.from) return messages;
  for (std::string& message : volume_messages(scan, request.engine, request.frozen)) {
    messages.push_back(std::move(message));
  }
  for (std::string& message : link_messages(scan)) messages.push_back(std::move(message));
  return messages;
}

View view_of(const ScanRequest& request, const Messages& messages, int descriptor) {
  View view = common_view(request, descriptor);
  view.measure = request.measure;
  view.order = request.order.value_or(Order::size);
  view.depth = request.depth;
  view.verbose = request.verbose;
  view.beside_messages = view.terminal.person && is_terminal(STDERR_FILENO);
  if (!view.beside_messages) return view;
  for (const std::string& message : messages) {
    view.message_lines += message_lines(message, view.terminal.width);
  }
  return view;
}

// Applies --sort and --top. The text format keeps all rows, because it reports how many it omits.
std::vector<fs::Table> as_asked(const ScanRequest& request, std::vector<fs::Table> reports) {
  Arrangement arrangement{request.order, request.measure, request.top};
  arrangement.keeps_rest = request.format == Format::text;
  for (fs::Table& table : reports) table = arranged(std::move(table), arrangement);
  return reports;
}

fs::Totals totals_of(const fs::Tree& tree) {
  FATHOM_SPAN("totals");
  const diag::MemoryScope scope("totals");
  return fs::Totals(tree);
}

std::vector<fs::Table> make_reports(const ScanRequest& request, const fs::ReportInput& input) {
  FATHOM_SPAN("reports");
  return as_asked(request, fs::make_reports(input, reports_of(request, input.now())));
}

void write(const ScanRequest& request, const fs::ReportInput& input,
           const std::vector<fs::Table>& reports, const Messages& messages, Output& output) {
  const fs::Sink sink = output.sink();
  switch (request.format) {
    case Format::text: {
      const View view = view_of(request, messages, output.descriptor());
      write_text(input, reports, request.tree_views, view, sink);
      break;
    }
    case Format::json:
      fs::write_json(input.scan(), input.totals(), reports, sink);
      break;
    case Format::csv:
      fs::write_csv(reports.front(), sink, request.csv_texts);
      break;
    case Format::ncdu:
      write_ncdu(request, input.scan(), input.now(), sink);
      break;
    case Format::parquet:
      write_parquet(request, input.scan(), sink);
      break;
  }
  output.finish();
}

// If progress is printed as lines instead of redrawn, prints a last line with the final figures.
void tell_last(const ScanRequest& request, const fs::Scan& scan, const fs::Counts& whole) {
  if (request.progress != When::always || request.from || can_redraw(STDERR_FILENO)) return;
  ProgressLine(request.progress, request.units)
      .tell({whole.entries(), whole.disk_bytes, scan.seconds, ""});
}

}  // namespace

int scan_command(const std::vector<std::string>& arguments) {
  const ScanRequest request = parse_scan(arguments);
  if (request.help != Help::none) return print(help_text(scan_manual(), request.help));
  if (request.shard.wanted) return shard_command(request);
  if (request.format == Format::ncdu) check_ncdu(request);
  require_existing_path(request);
  allow_more_descriptors();
  Interrupt interrupt;
  ProgressRequest asked;
  const fs::SelectionAt selection = selection_of(request, request.measure);
  Output output = open_output(request);
  if (request.format == Format::parquet) check_parquet(output);
  Trace trace(request);
  const Diagnosis diagnosis(request, trace.observer());
  if (request.nice && !be_nice()) print_message(kNotFullyNice);
  const TakenScan taken = take(request, selection, interrupt, asked, diagnosis.observer());
  const fs::Scan& found = taken.scan;
  if (found.cancelled) {
    print_message(request.from ? "the exported scan was interrupted; its results are incomplete"
                               : "interrupted; the results so far follow");
  }
  const fs::Totals totals = totals_of(found.tree);
  tell_last(request, found, totals.whole());
  const fs::ReportInput input(found, totals, request.measure, taken.now);
  const std::vector<fs::Table> reports = make_reports(request, input);
  const bool traced = trace.finish();
  const Messages messages = messages_about(request, found, reports);
  write(request, input, reports, messages, output);
  for (const std::string& message : messages) print_message(message);
  diagnosis.tell();
  if (found.complete()) return traced ? kComplete : kIncomplete;
  return found.cancelled && !request.from ? kInterrupted : kIncomplete;
}

}  // namespace fathom::cli
