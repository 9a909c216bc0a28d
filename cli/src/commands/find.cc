// `fathom find`: scans or reads an export, and writes what matches by name.

#include "commands/find.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fathom/fs/find.h"
#include "fathom/fs/report.h"
#include "flags/find_flags.h"
#include "flags/help.h"
#include "run/diagnosis.h"
#include "run/existing_paths.h"
#include "run/interrupt.h"
#include "run/item_plan_file.h"
#include "run/nice.h"
#include "run/output.h"
#include "run/path.h"
#include "run/scan_session.h"
#include "run/selection.h"
#include "run/taken_scan.h"
#include "run/trace.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "view/found_results.h"
#include "view/scan_messages.h"

namespace fathom::cli {

namespace {

// Refuses words that may be meant as a pattern or as a path.
void check_words(const FindRequest& request) {
  if (request.from || request.divided) return;
  for (std::size_t i = 1; i < request.patterns.size(); ++i) {
    const std::string& word = request.patterns[i];
    if (has_wildcards(word) || why_missing(word) != 0) continue;
    const std::string name = escaped(word);
    const std::string kind = leads_to_directory(word) ? "directory" : "file";
    throw UsageError("'" + name + "' may be a GLOB or the existing " + kind + "; write ./" + name +
                     " for the PATH, or -- after the GLOBs");
  }
  for (const std::string& path : request.paths) {
    // "target/" may be meant as a GLOB; without one, everything in the other PATHs would match.
    const bool is_like_name = !request.globs_given && path.find('/') == path.size() - 1;
    if (!(is_like_name || has_wildcards(path)) || !does_not_exist(path)) continue;
    throw UsageError("'" + escaped(path) +
                     "' has a slash and is thus a PATH, but does not exist; a GLOB is a name");
  }
}

// A plan without what the user named would be another plan.
void require_paths_of_plan(const FindRequest& request) {
  if (!request.plan.write) return;
  for (const std::string& path : request.paths) {
    if (!does_not_exist(path)) continue;
    throw UsageError("'" + escaped(path) + "' does not exist; with '--plan', every PATH must");
  }
}

// Names words that no entry has as its name, although the current directory is searched only
// because none of the words is a path.
void tell_unmatched_words(const FindRequest& request, const fs::ReportInput& input,
                          const fs::Found& found) {
  if (request.from || request.divided || request.paths_given) return;
  std::optional<fs::Found> unfiltered;
  for (std::size_t i = 1; i < request.patterns.size(); ++i) {
    if (has_wildcards(request.patterns[i]) || found.sums[i].matches > 0) continue;
    if (!unfiltered) unfiltered = fs::find_entries(input, {.patterns = request.patterns});
    if (unfiltered->sums[i].matches > 0) continue;
    const std::string word = escaped(request.patterns[i]);
    print_message("nothing matches '" + word + "'; write ./" + word +
                  " for the PATH, or -- after the GLOBs");
  }
}

// Returns whether all matches are in the plan.
bool write_plan(const FindRequest& request, const fs::Scan& scan, const fs::Found& found,
                ItemPlanFile& plan, const Interrupt& interrupt) {
  const PlanPaths paths(scan);
  std::vector<act::Chosen> choices;
  for (const fs::FoundEntry& entry : found.entries) {
    choices.push_back(
        {paths.path_of(entry.node), request.plan.action.value_or(act::Action::quarantine), {}});
  }
  return plan.write(std::move(choices), paths.roots(), "", request.units, interrupt.token());
}

}  // namespace

int find_command(const std::vector<std::string>& arguments) {
  const FindRequest request = parse_find(arguments, leads_to_directory);
  if (request.help != Help::none) return print(help_text(find_manual(), request.help));
  check_words(request);
  require_existing_path(request);
  require_paths_of_plan(request);
  allow_more_descriptors();
  Interrupt interrupt;
  ProgressRequest asked;
  const fs::SelectionAt selection = selection_of(request, request.measure);
  Output output = open_output(request);
  ItemPlanFile plan(request, request.plan);
  Trace trace(request);
  const Diagnosis diagnosis(request, trace.observer());
  if (request.nice && !be_nice()) print_message(kNotFullyNice);
  fs::ScanOptions options;
  options.max_operations_per_second = request.max_operations;
  options.observer = diagnosis.observer();
  // Sizes are those of everything in a directory, so the filters apply to the matches alone.
  const TakenScan taken = take_scan(
      request, std::move(options),
      [&selection](std::int64_t now) { return selection(now).by_path(); }, interrupt, asked);
  const fs::Scan& scan = taken.scan;
  if (scan.cancelled) {
    print_message(request.from ? "the exported scan was interrupted; its results are incomplete"
                               : "interrupted; the matches so far follow");
  }
  const fs::Totals totals(scan.tree);
  const fs::ReportInput input(scan, totals, request.measure, taken.now);
  const fs::FindQuery query{
      .patterns = request.patterns, .filters = selection(taken.now), .where = request.select.where};
  const fs::Found found = fs::find_entries(input, query);
  const bool traced = trace.finish();
  write_results(request, input, query, found, output);
  if (!scan.cancelled) tell_unmatched_words(request, input, found);
  const bool planned = !plan || scan.cancelled || write_plan(request, scan, found, plan, interrupt);
  for (const auto& message : error_messages(scan, false, "fathom scan --errors")) {
    print_message(message);
  }
  if (!request.from) {
    for (const auto& message : link_messages(scan)) print_message(message);
  }
  diagnosis.tell();
  if (scan.complete()) return traced && planned ? kComplete : kIncomplete;
  return scan.cancelled && !request.from ? kInterrupted : kIncomplete;
}

}  // namespace fathom::cli
