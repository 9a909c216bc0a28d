// `fathom clean`: scans, asks the rules, and writes what they chose.

#include "commands/clean.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fathom/act/candidates.h"
#include "fathom/act/choice.h"
#include "fathom/act/clean_report.h"
#include "fathom/act/purge.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/base/path.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/csv.h"
#include "flags/clean_flags.h"
#include "flags/help.h"
#include "run/diagnosis.h"
#include "run/existing_paths.h"
#include "run/interrupt.h"
#include "run/item_plan_file.h"
#include "run/nice.h"
#include "run/open_files.h"
#include "run/output.h"
#include "run/path.h"
#include "run/plan_file.h"
#include "run/scan_session.h"
#include "run/selection.h"
#include "run/taken_scan.h"
#include "run/trace.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"
#include "view/clean_view.h"
#include "view/one_table.h"
#include "view/scan_messages.h"

namespace fathom::cli {

namespace {

act::RuleSet rules_of(const CleanRequest& request) {
  act::RuleSet rules = act::RuleSet::built_in();
  try {
    if (request.rules_directory) rules.add_directory(*request.rules_directory);
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
  const auto require_rule = [&rules](std::string_view id) {
    if (rules.named(id) != nullptr) return;
    throw UsageError("there is no rule '" + escaped(id) +
                     "'; `fathom clean --list-rules` lists them");
  };
  for (const std::string& id : request.rules) require_rule(id);
  if (!request.select.where) return rules;
  for (const std::string_view id : request.select.where->texts(fs::WhereField::rule))
    require_rule(id);
  for (const std::string_view cls : request.select.where->texts(fs::WhereField::cls)) {
    if (act::rule_class_named(cls)) continue;
    throw UsageError("there is no class '" + escaped(cls) +
                     "'; `fathom clean --help` explains them");
  }
  return rules;
}

// Writes a table in the format of the request; there is no other JSON of it.
void write_table(const CleanRequest& request, const fs::Table& table, Output& output) {
  const fs::Sink sink = output.sink();
  if (request.format == TableFormat::csv) {
    fs::write_csv(table, sink, request.csv_texts);
  } else {
    fs::Blocks text(sink);
    View view = common_view(request, output.descriptor());
    view.top = table.rows();
    write_one_table(table, view, "json", text);
    text.flush();
  }
}

int list_rules(const CleanRequest& request) {
  const act::RuleSet rules = rules_of(request);
  Output output = open_output(request);
  if (request.format == TableFormat::json) {
    act::write_rules_json(rules, output.sink());
  } else {
    write_table(request, act::rules_table(rules), output);
  }
  output.finish();
  return kComplete;
}

// By default, what may be somebody's work is not listed, and --need chooses only what we remove.
std::set<act::RuleClass> classes_of(const CleanRequest& request) {
  if (!request.classes.empty()) return request.classes;
  if (!request.rules.empty()) return {};
  if (request.need != 0) return {act::RuleClass::safe, act::RuleClass::probably};
  return {act::RuleClass::safe, act::RuleClass::probably, act::RuleClass::tool};
}

// Returns what was listed.
act::Choice write(const CleanRequest& request, const TakenScan& taken, const act::Candidates& found,
                  const fs::Selection& selection, Output& output) {
  const fs::Sink sink = output.sink();
  act::ChoiceOptions options{.rules = request.rules,
                             .older_than = selection.older_than,
                             .min_size = selection.min_size,
                             .where = request.select.where};
  const act::Choice wanted = act::choose(taken.scan, found, options, taken.now);
  options.classes = classes_of(request);
  options.need = request.need;
  act::Choice choice = act::choose(taken.scan, found, options, taken.now);
  switch (request.format) {
    case TableFormat::text: {
      fs::Blocks text(sink);
      write_clean_view(taken.scan, found, wanted, choice, request.need, !request.plan.write,
                       common_view(request, output.descriptor()), text);
      text.flush();
      break;
    }
    case TableFormat::json:
      act::write_clean_json(taken.scan, found, choice, sink);
      break;
    case TableFormat::csv:
      write_table(request, act::items_table(choice), output);
      break;
  }
  return choice;
}

// Items of class safe are deleted, because a command makes them again. What only its own program
// removes is left out.
bool write_plan(const CleanRequest& request, const act::Choice& choice, const fs::Scan& scan,
                ItemPlanFile& plan, const Interrupt& interrupt) {
  std::vector<act::Chosen> chosen;
  for (const act::Candidate* const item : choice.items) {
    if (item->left_to_tool()) continue;
    const bool is_final = item->cls == act::RuleClass::safe && !request.quarantine;
    chosen.push_back({item->path,
                      is_final ? act::Action::remove : act::Action::quarantine,
                      {.rule = item->rule->id,
                       .rule_class = std::string(to_string(item->cls)),
                       .rebuild = item->rebuild,
                       .evidence = item->evidence}});
  }
  const std::string quarantine = request.quarantine ? quarantine_path(*request.quarantine) : "";
  return plan.write(std::move(chosen), PlanPaths(scan).roots(), quarantine, request.units,
                    interrupt.token());
}

bool is_below_any(const std::string& path, const std::vector<std::string>& folders) {
  return std::any_of(folders.begin(), folders.end(),
                     [&](const std::string& folder) { return base::is_below(path, folder); });
}

// Shows the quarantines of past runs; with --execute, empties them. Returns the exit code.
int purge(const CleanRequest& request, Interrupt& interrupt) {
  require_existing_path(request);
  const std::int64_t now = base::wall_now();
  const auto older_than = selection_of(request, fs::Measure::disk)(now).older_than;
  Output output = open_output(request);
  std::uint64_t freed = 0;
  std::vector<act::OpenFile> open;
  std::size_t runs = 0;
  int code = kComplete;
  std::vector<std::string> folders;
  for (const std::string& path : request.paths) folders.push_back(path_of_root(path));
  if (request.execute) interrupt.defer();
  for (const act::QuarantinedRun& run : act::quarantined_runs(folders, interrupt.token())) {
    if (interrupt.signal() != 0) break;  // what was begun is done
    if (older_than && run.began >= *older_than) continue;
    if (!is_below_any(run.path, folders)) continue;
    ++runs;
    act::PurgedRun purged{run.entries, run.bytes - bytes_of(run.open), run.open, {}};
    if (request.execute) purged = act::purge(run);
    freed += purged.freed;
    open.insert(open.end(), purged.open.begin(), purged.open.end());
    const char* const done = purged.why.empty() ? "emptied       " : "partly emptied";
    output.write(std::string(request.execute ? done : "would empty   ") + ' ' + escaped(run.path) +
                 ": " + counted(purged.entries, "entry", "entries") + ", " +
                 base::format_bytes(purged.freed, request.units) + '\n');
    if (purged.why.empty()) continue;
    print_message("cannot empty " + escaped(run.path) + " completely: " + safe(purged.why));
    code = kIncomplete;
  }
  interrupt.end_at_once();
  const bool interrupted = interrupt.signal() != 0;
  if (runs == 0 && !interrupted) {
    output.write(older_than ? "No quarantine is that old.\n" : "There are no quarantines.\n");
  } else if (request.execute) {
    output.write("Freed " + base::format_bytes(freed, request.units) + ".\n");
  } else {
    output.write("Dry run: this frees " + base::format_bytes(freed, request.units) +
                 ", and cannot be undone. Add --execute to do it.\n");
  }
  for (const std::string& sentence : about_open(open, request.units)) {
    output.write(sentence + ".\n");
  }
  output.finish();
  return interrupted ? kInterrupted : code;
}

void explain(const CleanRequest& request, const TakenScan& taken, const act::RuleSet& rules,
             const act::CandidateOptions& options, Output& output) {
  const act::Explanation explanation =
      act::explain_candidate(taken.scan, rules, options, *request.why);
  if (explanation.node == fs::kNoNode) {
    throw UsageError("the scan did not find " + escaped(*request.why));
  }
  const fs::Sink sink = output.sink();
  fs::Blocks text(sink);
  write_explanation(explanation, common_view(request, output.descriptor()), text);
  text.flush();
}

}  // namespace

int clean_command(const std::vector<std::string>& arguments) {
  const CleanRequest request = parse_clean(arguments);
  if (request.help != Help::none) return print(help_text(clean_manual(), request.help));
  Interrupt interrupt;
  if (request.list_rules) return list_rules(request);
  if (request.purge) return purge(request, interrupt);
  const act::RuleSet rules = rules_of(request);
  require_existing_path(request);
  allow_more_descriptors();
  ProgressRequest asked;
  const fs::SelectionAt selection = selection_of(request, fs::Measure::disk);
  Output output = open_output(request);
  ItemPlanFile plan(request, request.plan);
  Trace trace(request);
  const Diagnosis diagnosis(request, trace.observer());
  if (request.nice && !be_nice()) print_message(kNotFullyNice);
  fs::ScanOptions options;
  options.max_operations_per_second = request.max_operations;
  options.observer = diagnosis.observer();
  const auto by_path = [&selection](std::int64_t now) {
    fs::Selection paths = selection(now).by_path();
    paths.kernel_filesystems = false;  // nothing there can be cleaned up
    return paths;
  };
  const TakenScan taken = take_scan(request, std::move(options), by_path, interrupt, asked);
  if (taken.scan.cancelled) {
    print_message("interrupted; nothing is listed, because the scan is not complete");
    return kInterrupted;
  }
  const act::CandidateOptions about{.around = act::own_surroundings(), .now = taken.now};
  bool planned = true;
  if (request.why) {
    explain(request, taken, rules, about, output);
  } else {
    const act::Candidates found = act::find_candidates(taken.scan, rules, about);
    const act::Choice choice = write(request, taken, found, selection(taken.now), output);
    if (plan) planned = write_plan(request, choice, taken.scan, plan, interrupt);
  }
  output.finish();
  const bool traced = trace.finish();
  for (const auto& message : error_messages(taken.scan, false, "fathom scan --errors")) {
    print_message(message);
  }
  for (const auto& message : link_messages(taken.scan)) print_message(message);
  diagnosis.tell();
  return taken.scan.complete() && traced && planned ? kComplete : kIncomplete;
}

}  // namespace fathom::cli
