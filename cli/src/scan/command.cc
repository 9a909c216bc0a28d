// `fathom scan`: scans or reads an export, and writes the reports.

#include "scan/command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "diagnosis.h"
#include "exit_code.h"
#include "fathom/base/clock.h"
#include "fathom/diag/memory.h"
#include "fathom/diag/span.h"
#include "fathom/fs/csv.h"
#include "fathom/fs/json.h"
#include "fathom/fs/report.h"
#include "flag/help.h"
#include "flag/open_output.h"
#include "interrupt.h"
#include "message.h"
#include "nice.h"
#include "output.h"
#include "progress_request.h"
#include "scan/arranged_table.h"
#include "scan/flags.h"
#include "scan/from.h"
#include "scan/help.h"
#include "scan/ncdu_output.h"
#include "scan/scan_messages.h"
#include "scan/scan_session.h"
#include "scan/text_report.h"
#include "select/selecting.h"
#include "term/progress_line.h"
#include "trace.h"

namespace fathom::cli {

namespace {

bool asks_for(const ScanRequest& request, fs::ReportKind kind) {
  return std::any_of(request.reports.begin(), request.reports.end(),
                     [kind](const fs::ReportRequest& report) { return report.kind == kind; });
}

fs::Scan scan(const ScanRequest& request, const fs::Selection& selection, Interrupt& interrupt,
              ProgressRequest& asked, const rt::Observer* observer) {
  fs::ScanOptions options;
  options.roots = request.paths;
  options.engine = request.engine;
  options.threads = request.threads;
  options.selection = selection;
  options.max_operations_per_second = request.max_operations;
  options.observer = observer;
  options.read_links =
      asks_for(request, fs::ReportKind::symlinks) || request.format == Format::ncdu;
  const bool explained = asks_for(request, fs::ReportKind::explain);
  const fs::UsedBytes used = explained ? fs::used_bytes(request.paths) : fs::UsedBytes();
  fs::Scan found = run_scan_session(std::move(options), request, interrupt, asked);
  // Nothing checks the token any more, so a signal now ends the program. A signal that arrived just
  // before this call is still recorded.
  interrupt.end_at_once();
  found.cancelled = interrupt.token().cancelled();
  if (explained) found.filesystems = fs::gather_filesystem_facts(request.paths, used);
  return found;
}

struct Finding {
  fs::Scan scan;
  std::int64_t now = 0;  // the time to which ages are relative
};

// Scans, or reads a saved scan.
Finding find(const ScanRequest& request, const fs::SelectionAt& selection, Interrupt& interrupt,
             ProgressRequest& asked, const rt::Observer* observer) {
  const std::int64_t now = base::wall_now();
  if (!request.from) return {scan(request, selection(now), interrupt, asked, observer), now};
  interrupt.end_at_once();  // a partly read export is useless
  fs::NcduImport read = read_from(
      *request.from, [&](std::int64_t taken) { return selection(taken == 0 ? now : taken); });
  return {std::move(read.scan), read.taken == 0 ? now : read.taken};
}

// The requested reports. Formats for programs have the summary by default.
std::vector<fs::ReportRequest> reports_of(const ScanRequest& request) {
  std::vector<fs::ReportRequest> reports = request.reports;
  const bool is_table = request.format == Format::json || request.format == Format::csv;
  if (reports.empty() && is_table) reports.emplace_back();
  return reports;
}

View view_of(const ScanRequest& request, int descriptor) {
  View view;
  view.measure = request.measure;
  view.units = request.units;
  view.order = request.order.value_or(Order::size);
  view.depth = request.depth;
  view.top = request.top;
  view.plain = request.plain;
  view.terminal = terminal_of(descriptor, request.plain ? When::never : request.color);
  view.beside_messages = view.terminal.person && ::isatty(STDERR_FILENO) == 1;
  return view;
}

// Applies --sort and --top. The text format keeps all rows, because it reports how many it omits.
std::vector<fs::Table> as_asked(const ScanRequest& request, std::vector<fs::Table> reports) {
  Arrangement arrangement{request.order, request.measure, request.top};
  arrangement.keeps_rest = request.format == Format::text;
  for (fs::Table& table : reports) {
    if (table.key() == "explain") continue;  // a sum: its order is fixed, and no row may be missing
    table = arranged(std::move(table), arrangement);
  }
  return reports;
}

fs::Totals totals_of(const fs::Tree& tree) {
  FATHOM_SPAN("totals");
  const diag::MemoryScope scope("totals");
  return fs::Totals(tree);
}

std::vector<fs::Table> make_reports(const ScanRequest& request, const fs::ReportInput& input) {
  FATHOM_SPAN("reports");
  return as_asked(request, fs::make_reports(input, reports_of(request)));
}

void write(const ScanRequest& request, const fs::ReportInput& input,
           const std::vector<fs::Table>& reports, Output& output) {
  const fs::Sink sink = [&output](std::string_view block) { return output.write(block); };
  switch (request.format) {
    case Format::text: {
      const View view = view_of(request, output.descriptor());
      write_text(input, reports, request.tree_views, view, sink);
      break;
    }
    case Format::json:
      fs::write_json(input.scan(), input.totals(), reports, sink);
      break;
    case Format::csv:
      fs::write_csv(reports.front(), sink);
      break;
    case Format::ncdu:
      write_ncdu(request, input.scan(), input.now(), sink);
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
  allow_more_descriptors();
  Interrupt interrupt;
  ProgressRequest asked;
  if (request.help != Help::none) {
    Output(std::nullopt)
        .write(request.help == Help::full ? full_help(scan_manual()) : brief_help(scan_manual()));
    return kComplete;
  }
  const fs::SelectionAt selection = selection_of(request, request.measure);
  Output output = open_output(request);
  Trace trace(request);
  const Diagnosis diagnosis(request, trace.observer());
  if (request.nice && !be_nice()) print_message(kNotFullyNice);
  const Finding finding = find(request, selection, interrupt, asked, diagnosis.observer());
  const fs::Scan& found = finding.scan;
  if (found.cancelled) {
    print_message(request.from ? "the exported scan was interrupted; its results are incomplete"
                               : "interrupted; the results so far follow");
  }
  const fs::Totals totals = totals_of(found.tree);
  tell_last(request, found, totals.whole());
  const fs::ReportInput input(found, totals, request.measure, finding.now);
  const std::vector<fs::Table> reports = make_reports(request, input);
  const bool traced = trace.finish();
  write(request, input, reports, output);
  tell_errors(found, asks_for(request, fs::ReportKind::errors));
  if (!request.from) tell_links(found);
  diagnosis.tell();
  if (found.complete()) return traced ? kComplete : kIncomplete;
  return found.cancelled && !request.from ? kInterrupted : kIncomplete;
}

}  // namespace fathom::cli
