#include "dups/plan_file.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/dup_plan.h"
#include "message.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

// A root that is gone had nothing to find: it is named as it was given, below the root of all.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  if (real != nullptr) return real.get();
  return "/";
}

fs::PlanOptions options_of(const PlanRequest& asked, const DupsFinding& found) {
  fs::PlanOptions options;
  options.action = asked.action.value_or(fs::DupAction::hardlink);
  options.keep = asked.keep.value_or(fs::KeepRule{});
  for (const std::string& root : found.scan.roots) options.roots.push_back(real_path(root));
  options.looked_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(found.began.time_since_epoch()).count();
  return options;
}

void tell(const fs::DupPlan& plan, const std::string& file) {
  complain("the plan in " + escaped(file) + " is to " + std::string(to_string(plan.action)) + ' ' +
           counted(plan.acts(), "file", "files") + " of " +
           counted(plan.groups.size(), "group", "groups") + "; --apply says what it would do");
}

}  // namespace

PlanFile::PlanFile(const DupsRequest& request) {
  if (!request.plan.write) return;
  try {
    output_.emplace(request.plan.write);
  } catch (const base::SystemError& error) {
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
    throw base::Error("no plan can be made of this: " + *flaw);
  }
  fs::write_plan(plan, [this](std::string_view block) { return output_->write(block); });
  output_->finish();
  tell(plan, *request.plan.write);
}

}  // namespace fathom::cli
