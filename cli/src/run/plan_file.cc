// PlanFile: checks of the destination, and writing the plan.

#include "run/plan_file.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "fathom/act/dup_apply.h"
#include "fathom/act/dup_plan.h"
#include "fathom/base/error.h"
#include "fathom/base/fd.h"
#include "fathom/base/path.h"
#include "fathom/fs/source.h"
#include "run/action_words.h"
#include "run/named_file.h"
#include "run/output.h"
#include "run/path.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

// Whether a file of a group is below the root.
bool has_duplicates(const DupsFinding& found, std::size_t root) {
  for (const fs::DuplicateGroup& group : found.same.groups) {
    for (const fs::DuplicateFile& file : group.files) {
      if (found.scan.tree.root_index(file.node) == root) return true;
      for (const fs::NodeId link : file.links) {
        if (found.scan.tree.root_index(link) == root) return true;
      }
    }
  }
  return false;
}

// The path to which the plan's paths are relative. Without duplicates, any absolute directory will
// do.
std::string plan_root(const DupsFinding& found, std::size_t root) {
  const std::string& path = found.scan.roots[root];
  if (auto real = base::real_path(path)) return *std::move(real);
  const int error = errno;
  if (!has_duplicates(found, root)) return "/";
  throw base::SystemError("cannot make a plan for " + escaped(path), error);
}

void complete_options(const PlanRequest& asked, const DupsFinding& found,
                      act::PlanOptions& options) {
  options.action = asked.action.value_or(act::DupAction::hardlink);
  options.keep = asked.keep.value_or(act::KeepRule{});
  for (std::size_t root = 0; root < found.scan.roots.size(); ++root) {
    options.roots.push_back(plan_root(found, root));
  }
  options.looked_ns =
      std::chrono::duration_cast<std::chrono::nanoseconds>(found.began.time_since_epoch()).count();
}

// Throws Error if a run of the plan was interrupted: it can be completed only with that plan.
template <class Error>
void require_no_unfinished_run(const PlanRequest& asked) {
  const std::string journal = asked.journal_of_plan();
  if (act::unfinished_acts(journal).acts == 0) return;
  throw Error("the run of this plan was interrupted; first finish it with --apply " +
              shell_word(*asked.write) + " --execute");
}

// A plan that is replaced leaves its journal, which --undo may need and a new run cannot use.
void tell_of_journal(const PlanRequest& asked) {
  const std::string journal = asked.journal_of_plan();
  if (why_missing(journal) != 0) return;
  print_message(escaped(journal) +
                " is from an earlier plan; rename it before you use --execute, or "
                "use --journal FILE");
}

// Throws unless files can be moved to the directory.
void require_quarantine(const std::string& path) {
  act::DupPlan plan;
  plan.action = act::DupAction::quarantine;
  plan.quarantine = path;
  (void)act::check_acts(plan);
}

void tell_too_long(const act::DupPlan& plan) {
  if (plan.too_long == 0) return;
  print_message(counted(plan.too_long, "file has a name that is", "files have names that are") +
                " too long for a plan; the plan does not contain " +
                (plan.too_long == 1 ? "it" : "them"));
}

void tell_skipped(const act::DupPlan& plan, const std::string& file) {
  constexpr std::size_t kShown = 3;
  std::size_t skipped = 0;
  for (const act::PlanGroup& group : plan.groups) {
    for (const act::SkippedFile& one : group.skipped) {
      if (++skipped > kShown) continue;
      print_message(escaped(plan.path_of(one.file)) + " is left alone: " + escaped(one.why));
    }
  }
  if (skipped <= kShown) return;
  print_message(counted(skipped, "file is", "files are") + " left alone; " + escaped(file) +
                " lists them as \"skip\", with the reasons");
}

// "hard-link 1 file (frees 97 KiB)"
std::string summary_of(const act::DupPlan& plan, base::Units units) {
  const act::PlanSums sums = plan.sums.value_or(act::PlanSums{});
  const bool moves = plan.action == act::DupAction::quarantine;
  const std::string named = escaped(plan.quarantine);
  std::string text(words_of(plan.action).verb);
  text += ' ' + counted(sums.files, "file", "files");
  if (moves) text += " to " + (named.empty() ? "a quarantine" : named);
  const std::uint64_t bytes = moves ? sums.held : sums.freed;
  text +=
      bytes > 0 ? " (frees " + base::format_bytes(bytes, units) : std::string(" (frees nothing");
  if (moves && bytes > 0) text += " when " + (named.empty() ? "it" : named) + " is deleted";
  return text + ')';
}

void tell(const act::DupPlan& plan, const std::string& file, base::Units units) {
  const std::string wrote = "wrote " + escaped(file) + ": ";
  if (plan.sums && plan.sums->files == 0) {
    return print_message(wrote + "nothing to " + std::string(words_of(plan.action).verb));
  }
  const bool needs = plan.action == act::DupAction::quarantine && plan.quarantine.empty();
  print_message(
      wrote + summary_of(plan, units) + (needs ? ". Applying it needs --quarantine DIR" : "") +
      ". Preview: fathom dups --apply " + shell_word(file) + (needs ? " --quarantine DIR" : ""));
}

}  // namespace

PlanFile::PlanFile(const DupsRequest& request) {
  if (!request.plan.write) return;
  require_other_output(request, *request.plan.write, "plan");
  require_other_output(request, request.plan.journal_of_plan(), "journal");
  try {
    if (request.plan.quarantine) {
      options_.quarantine = quarantine_path(*request.plan.quarantine);
      require_quarantine(options_.quarantine);
    }
    require_no_unfinished_run<UsageError>(request.plan);
    open(request.plan);
  } catch (const UsageError&) {
    throw;
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
}

void PlanFile::open(const PlanRequest& asked) {
  try {
    output_.emplace(asked.write, asked.force ? Output::Existing::replace : Output::Existing::keep);
  } catch (const base::SystemError& error) {
    if (error.code() != EEXIST) throw;
    throw UsageError(escaped(*asked.write) + " exists; --force replaces it");
  }
}

void PlanFile::choose(const DupsRequest& request, DupsFinding& found) {
  if (!output_) return;
  try {
    complete_options(request.plan, found, options_);
  } catch (const base::SystemError& error) {
    print_message(error.what());  // the results of the search are still worth writing
    return;
  }
  has_roots_ = true;
  found.kept = act::kept_files(found.scan.tree, found.same, options_);
}

bool PlanFile::write(const DupsRequest& request, const DupsFinding& found) {
  if (!has_roots_) return !output_;
  act::DupPlan plan = act::make_plan(found.scan.tree, found.same, options_);
  if (const auto flaw = act::flaw_of(plan)) {
    throw base::Error("cannot make a plan: " + *flaw);
  }
  const act::Applied checked = act::check_acts(plan);
  save(plan, request.plan);
  tell_too_long(plan);
  tell_skipped(plan, *request.plan.write);
  tell(plan, *request.plan.write, request.units);
  tell_of_journal(request.plan);
  return checked.failed == 0;
}

void PlanFile::save(const act::DupPlan& plan, const PlanRequest& asked) {
  if (asked.force) require_no_unfinished_run<base::Error>(asked);
  try {
    act::write_plan(plan, [this](std::string_view block) { return output_->write(block); });
    output_->finish();
  } catch (const base::SystemError& error) {
    if (error.code() != EEXIST) throw;
    throw base::Error("another program has created " + escaped(*asked.write) +
                      " in the meantime; no plan was written");
  }
}

act::DupPlan read_dup_plan(const std::string& path) {
  // A run that is interrupted needs the plan again, so a pipe would not do.
  const base::Fd file = open_regular_file(path, O_RDONLY);
  if (!file) throw base::Error("cannot open " + escaped(path) + ": " + why_not_opened(errno));
  try {
    return act::read_dup_plan(fs::descriptor_source(file.get()));
  } catch (const base::SystemError&) {
    throw;
  } catch (const base::Error& error) {
    throw base::Error(escaped(path) + ": " + error.what());
  }
}

std::string quarantine_path(const std::string& path) {
  auto whole = path_of_directory(path);
  if (!whole) throw base::SystemError("cannot open the folder of " + escaped(path), errno);
  return *std::move(whole);
}

}  // namespace fathom::cli
