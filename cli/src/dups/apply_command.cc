// `fathom dups --apply` and `--undo`: reads the plan or journal, and runs it.

#include "dups/apply_command.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <string>

#include "descriptor.h"
#include "dups/apply_json.h"
#include "dups/apply_text.h"
#include "exit_code.h"
#include "fathom/base/error.h"
#include "fathom/fs/dup_apply.h"
#include "fathom/fs/dup_plan.h"
#include "fathom/fs/source.h"
#include "message.h"
#include "term/label.h"
#include "term/terminal.h"

namespace fathom::cli {

namespace {

fs::DupPlan read_plan(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw base::SystemError("cannot open " + escaped(path), errno);
  return fs::read_plan(fs::descriptor_source(file.get()));
}

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real == nullptr ? std::string() : real.get();
}

// The absolute path without symbolic links. The directory itself need not exist, but its parent
// must.
std::string folder_path(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (std::string whole = real_path(path); !whole.empty()) return whole;
  const std::size_t slash = path.rfind('/');
  const bool is_plain = slash == std::string::npos;
  const std::string parent = real_path(is_plain ? "." : path.substr(0, slash + 1));
  if (parent.empty()) throw base::SystemError("cannot open the folder of " + escaped(path), errno);
  return (parent == "/" ? parent : parent + '/') + (is_plain ? path : path.substr(slash + 1));
}

int exit_code_of(const fs::Applied& applied) {
  if (applied.cancelled) return kInterrupted;
  return applied.complete() ? kComplete : kIncomplete;
}

std::unique_ptr<ApplyView> view_of(const DupsRequest& request, Output& output) {
  if (request.format == DupsFormat::json) {
    return std::make_unique<ApplyJson>(output, !request.plan.execute);
  }
  const Terminal terminal = terminal_of(output.descriptor(), request.color);
  return std::make_unique<ApplyText>(output, request.units, terminal.unicode);
}

fs::Applied apply(const DupsRequest& request, const Interrupt& interrupt, ApplyView& view) {
  const PlanRequest& asked = request.plan;
  const fs::DupPlan plan = read_plan(*asked.apply);
  fs::ApplyOptions options;
  options.dry_run = !asked.execute;
  options.journal = asked.journal.value_or(*asked.apply + ".journal");
  if (asked.quarantine) options.quarantine = folder_path(*asked.quarantine);
  options.trust_times = asked.trust_times;
  options.cancel = interrupt.token();
  options.on_act = [&](const fs::Act& act) { view.act(plan, act); };
  return fs::apply_plan(plan, options);
}

fs::Applied undo(const DupsRequest& request, const Interrupt& interrupt, ApplyView& view) {
  fs::UndoOptions options;
  options.dry_run = !request.plan.execute;
  options.journal = *request.plan.undo;
  options.cancel = interrupt.token();
  options.on_file = [&](const fs::Undone& undone) { view.undone(undone); };
  return fs::undo_quarantine(options);
}

}  // namespace

int apply_or_undo(const DupsRequest& request, const Interrupt& interrupt, Output& output) {
  const std::unique_ptr<ApplyView> view = view_of(request, output);
  bool begun = false;
  try {
    const fs::Applied applied =
        request.plan.apply ? apply(request, interrupt, *view) : undo(request, interrupt, *view);
    begun = true;
    view->sum(applied, request.plan.execute);
    output.finish();
    return exit_code_of(applied);
  } catch (const base::Error& error) {
    if (begun || view->has_said_something()) throw;
    throw UsageError(error.what());  // nothing has been done
  }
}

}  // namespace fathom::cli
