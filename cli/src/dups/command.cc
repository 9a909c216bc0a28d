// `fathom dups`: finds duplicates, or applies or undoes a plan.

#include "dups/command.h"

#include "diagnosis.h"
#include "dups/apply_command.h"
#include "dups/finding.h"
#include "dups/flags.h"
#include "dups/help.h"
#include "dups/messages.h"
#include "dups/plan_file.h"
#include "dups/results.h"
#include "exit_code.h"
#include "fathom/base/clock.h"
#include "flag/help.h"
#include "flag/open_output.h"
#include "interrupt.h"
#include "message.h"
#include "nice.h"
#include "output.h"
#include "progress_request.h"
#include "scan/scan_session.h"
#include "select/selecting.h"
#include "trace.h"

namespace fathom::cli {

int dups_command(const std::vector<std::string>& arguments) {
  const DupsRequest request = parse_dups(arguments);
  allow_more_descriptors();
  Interrupt interrupt;
  ProgressRequest asked;
  if (request.help != Help::none) {
    const Manual& manual = dups_manual();
    Output(std::nullopt).write(request.help == Help::full ? full_help(manual) : brief_help(manual));
    return kComplete;
  }
  if (request.plan.acts()) {
    Output output = open_output(request);
    return apply_or_undo(request, interrupt, output);
  }
  const fs::SelectionAt selection = selection_of(request, fs::Measure::apparent);
  Output output = open_output(request);
  PlanFile plan(request);
  Trace trace(request);
  const Diagnosis diagnosis(request, trace.observer());
  if (request.nice && !be_nice()) print_message(kNotFullyNice);
  DupsFinding found =
      find_dups(request, selection(base::wall_now()), interrupt, asked, diagnosis.observer());
  plan.choose(request, found);
  if (found.cancelled()) print_message("interrupted; the groups confirmed so far follow");
  const bool traced = trace.finish();
  write_results(request, found, output);
  plan.write(request, found);
  tell_incomplete(found);
  diagnosis.tell();
  if (found.complete()) return traced ? kComplete : kIncomplete;
  return found.cancelled() ? kInterrupted : kIncomplete;
}

}  // namespace fathom::cli
