// `fathom apply` and `fathom undo`: carry out a plan of either kind, and move things back.

#include "commands/apply.h"

#include <fcntl.h>

#include <array>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "commands/dups_apply.h"
#include "fathom/act/apply.h"
#include "fathom/act/plan.h"
#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/fs/source.h"
#include "flags/apply_flags.h"
#include "flags/dups_request.h"
#include "flags/help.h"
#include "run/interrupt.h"
#include "run/named_file.h"
#include "run/output.h"
#include "run/plan_file.h"
#include "run/store_place.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "term/terminal.h"
#include "view/run_view.h"

namespace fathom::cli {

namespace {

base::Fd open_file(const std::string& path) {
  base::Fd file = open_regular_file(path, O_RDONLY);
  if (!file) throw UsageError("cannot open " + escaped(path) + ": " + why_not_opened(errno));
  return file;
}

// Plans and journals of duplicates name their schema at the beginning, as all do.
bool is_about_duplicates(const std::string& path) {
  constexpr std::string_view kStart = R"({"schema":"fathom.dups.)";
  const base::Fd file = open_file(path);
  std::array<char, kStart.size()> begin{};
  const std::size_t length = fs::descriptor_source(file.get())(begin);
  return std::string_view(begin.data(), length) == kStart;
}

int run_about_duplicates(const ApplyRequest& request, bool undoes, Interrupt& interrupt,
                         Output& output) {
  DupsRequest dups;
  static_cast<CommonRequest&>(dups) = request;
  (undoes ? dups.plan.undo : dups.plan.apply) = request.file;
  dups.plan.execute = request.execute;
  dups.plan.journal = request.journal;
  dups.plan.quarantine = request.quarantine;
  if (request.format == ApplyFormat::json) dups.format = DupsFormat::json;
  return apply_or_undo(dups, interrupt, output);
}

act::Plan read_item_plan(const std::string& path) {
  const base::Fd file = open_file(path);
  try {
    return act::read_plan(fs::descriptor_source(file.get()));
  } catch (const base::SystemError&) {
    throw;
  } catch (const base::Error& error) {
    throw UsageError(escaped(path) + ": " + error.what());
  }
}

std::string journal_of(const ApplyRequest& request) {
  return request.journal.value_or(request.file + ".journal");
}

act::PlanApplied apply(const ApplyRequest& request, const act::Plan& plan, Interrupt& interrupt,
                       RunView& view) {
  if (const std::string host = host_name(); !plan.host.empty() && plan.host != host) {
    throw UsageError(escaped(request.file) + " was made on the host " + escaped(plan.host) +
                     ", and this is " + escaped(host));
  }
  act::RunOptions options;
  options.dry_run = !request.execute;
  options.journal = journal_of(request);
  options.journal_is_chosen = request.journal.has_value();
  if (request.quarantine) options.quarantine = quarantine_path(*request.quarantine);
  options.cancel = interrupt.token();
  options.on_item = [&](const act::ItemResult& item) { view.item(item); };
  if (request.execute) make_durable(request.file);  // an interrupted run needs it again
  interrupt.defer();
  return act::apply_plan(plan, options);
}

act::RunUndone undo(const ApplyRequest& request, Interrupt& interrupt, RunView& view) {
  act::RunUndoOptions options;
  options.dry_run = !request.execute;
  options.journal = request.file;
  options.cancel = interrupt.token();
  options.on_item = [&](const act::UndoneItem& item) { view.undone(item); };
  interrupt.defer();
  return act::undo_run(options);
}

int run_about_items(const ApplyRequest& request, bool undoes, Interrupt& interrupt,
                    Output& output) {
  if (!undoes) require_other_output(request, request.file, "plan");
  require_other_output(request, undoes ? request.file : journal_of(request), "journal");
  const Terminal terminal = terminal_of(output.descriptor(), request.color);
  RunStyle style{request.units, terminal.unicode, request.execute, journal_of(request)};
  const std::unique_ptr<RunView> view = request.format == ApplyFormat::json
                                            ? run_json(output, style)
                                            : run_text(output, std::move(style));
  bool ended = false;
  try {
    int code = kComplete;
    if (undoes) {
      const act::RunUndone undone = undo(request, interrupt, *view);
      ended = true;
      view->sum(undone);
      code = exit_code_of(undone);
    } else {
      const act::Plan plan = read_item_plan(request.file);
      const act::PlanApplied applied = apply(request, plan, interrupt, *view);
      ended = true;
      view->sum(plan, applied);
      code = exit_code_of(applied);
    }
    interrupt.end_at_once();  // nothing checks the token any more
    output.finish();
    return code;
  } catch (const base::Error& error) {
    if (ended || view->has_said_something()) throw;
    throw UsageError(error.what());  // nothing has been done
  }
}

int run(const ApplyRequest& request, bool undoes) {
  Interrupt interrupt;
  Output output = open_output(request);
  return is_about_duplicates(request.file)
             ? run_about_duplicates(request, undoes, interrupt, output)
             : run_about_items(request, undoes, interrupt, output);
}

}  // namespace

int apply_command(const std::vector<std::string>& arguments) {
  const ApplyRequest request = parse_apply(arguments);
  if (request.help != Help::none) return print(help_text(apply_manual(), request.help));
  return run(request, /*undoes=*/false);
}

int undo_command(const std::vector<std::string>& arguments) {
  const ApplyRequest request = parse_undo(arguments);
  if (request.help != Help::none) return print(help_text(undo_manual(), request.help));
  return run(request, /*undoes=*/true);
}

}  // namespace fathom::cli
