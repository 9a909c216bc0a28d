// `fathom dups`: finds duplicates, or applies or undoes a plan.

#include "commands/dups.h"

#include "commands/dups_apply.h"
#include "flags/dups_flags.h"
#include "flags/help.h"
#include "run/diagnosis.h"
#include "run/dups_session.h"
#include "run/existing_paths.h"
#include "run/interrupt.h"
#include "run/nice.h"
#include "run/output.h"
#include "run/plan_file.h"
#include "run/scan_session.h"
#include "run/selection.h"
#include "run/trace.h"
#include "term/exit_code.h"
#include "term/message.h"
#include "view/dups_notes.h"
#include "view/dups_results.h"

namespace fathom::cli {

int dups_command(const std::vector<std::string>& arguments) {
  const DupsRequest request = parse_dups(arguments);
  if (request.help != Help::none) return print(help_text(dups_manual(), request.help));
  allow_more_descriptors();
  Interrupt interrupt;
  ProgressRequest asked;
  if (request.plan.acts()) {
    Output output = open_output(request);
    return apply_or_undo(request, interrupt, output);
  }
  require_existing_path(request);
  const fs::SelectionAt selection = selection_of(request, fs::Measure::apparent);
  Output output = open_output(request);
  PlanFile plan(request);
  Trace trace(request);
  const Diagnosis diagnosis(request, trace.observer());
  if (request.nice && !be_nice()) print_message(kNotFullyNice);
  DupsFinding found = find_dups(request, selection, interrupt, asked, diagnosis.observer());
  plan.choose(request, found);
  if (found.cancelled()) print_message("interrupted; the groups confirmed so far follow");
  const bool traced = trace.finish();
  write_results(request, found, output);
  const bool planned = plan.write(request, found);
  tell_incomplete(found);
  diagnosis.tell();
  if (found.complete()) return traced && planned ? kComplete : kIncomplete;
  return found.cancelled() ? kInterrupted : kIncomplete;
}

}  // namespace fathom::cli
