// PlanFile: checks of the destination, and writing the plan.

#include "dups/plan_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "descriptor.h"
#include "fathom/base/error.h"
#include "fathom/fs/dup_apply.h"
#include "fathom/fs/dup_plan.h"
#include "fathom/fs/source.h"
#include "message.h"
#include "same_path.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

// A root that does not exist has no files, so any absolute directory will do for it.
std::string real_root(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  if (real != nullptr) return real.get();
  return "/";
}

fs::PlanOptions options_of(const PlanRequest& asked, const DupsFinding& found) {
  fs::PlanOptions options;
  options.action = asked.action.value_or(fs::DupAction::hardlink);
  options.keep = asked.keep.value_or(fs::KeepRule{});
  for (const std::string& root : found.scan.roots) options.roots.push_back(real_root(root));
  options.looked_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(found.began.time_since_epoch()).count();
  return options;
}

// Throws unless the path is new, empty, not a regular file, or a plan: any other file may be
// valuable.
void require_plan_or_nothing(const std::string& path) {
  struct stat seen = {};
  if (::stat(path.c_str(), &seen) != 0 || !S_ISREG(seen.st_mode) || seen.st_size == 0) return;
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw base::SystemError("cannot open " + escaped(path), errno);
  if (fs::is_plan(fs::descriptor_source(file.get()))) return;
  throw UsageError(escaped(path) + " is not a plan and is not overwritten");
}

// Throws if a run of the plan was interrupted: it can be completed only with that plan.
void require_no_unfinished_run(const PlanRequest& asked) {
  const std::string journal = asked.journal.value_or(*asked.write + ".journal");
  if (fs::unfinished_acts(journal).acts == 0) return;
  throw UsageError("the run of this plan was interrupted; first finish it with --apply " +
                   escaped(*asked.write) + " --execute");
}

void tell_too_long(const fs::DupPlan& plan) {
  if (plan.too_long == 0) return;
  print_message(counted(plan.too_long, "file has a name that is", "files have names that are") +
                " too long for a plan; the plan does not contain " +
                (plan.too_long == 1 ? "it" : "them"));
}

void tell(const fs::DupPlan& plan, const std::string& file) {
  const bool moves = plan.action == fs::DupAction::quarantine;
  print_message("wrote " + escaped(file) + ": " + std::string(to_string(plan.action)) + ' ' +
                counted(plan.acts(), "file", "files") + " of " +
                counted(plan.groups.size(), "group", "groups") + "; preview: fathom dups --apply " +
                escaped(file) + (moves ? " --quarantine DIR" : ""));
}

}  // namespace

PlanFile::PlanFile(const DupsRequest& request) {
  if (!request.plan.write) return;
  if (request.output && is_same_path(*request.output, *request.plan.write)) {
    throw UsageError("options '--plan' and '--output' name the same file");
  }
  if (request.trace && is_same_path(*request.trace, *request.plan.write)) {
    throw UsageError("options '--plan' and '--trace' name the same file");
  }
  try {
    require_plan_or_nothing(*request.plan.write);
    require_no_unfinished_run(request.plan);
    output_.emplace(request.plan.write);
  } catch (const UsageError&) {
    throw;
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
}

void PlanFile::choose(const DupsRequest& request, DupsFinding& found) const {
  if (!output_) return;
  found.kept = fs::kept_files(found.scan.tree, found.same, options_of(request.plan, found));
}

void PlanFile::write(const DupsRequest& request, const DupsFinding& found) {
  if (!output_) return;
  const fs::DupPlan plan =
      fs::make_plan(found.scan.tree, found.same, options_of(request.plan, found));
  if (const auto flaw = fs::flaw_of(plan)) {
    throw base::Error("cannot make a plan: " + *flaw);
  }
  fs::write_plan(plan, [this](std::string_view block) { return output_->write(block); });
  output_->finish();
  tell_too_long(plan);
  tell(plan, *request.plan.write);
}

}  // namespace fathom::cli
