// ItemPlanFile: checks the destination, and says what the plan would do.

#include "run/item_plan_file.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string_view>
#include <utility>

#include "fathom/act/apply.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/base/path.h"
#include "run/open_files.h"
#include "run/path.h"
#include "run/store_place.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kMostMessages = 3;

void tell_refused(const act::Draft& draft) {
  for (std::size_t i = 0; i < draft.refused.size() && i < kMostMessages; ++i) {
    const act::NotPlanned& one = draft.refused[i];
    print_message(escaped(one.path) + " is not in the plan: " + safe(one.why));
  }
  if (draft.refused.size() <= kMostMessages) return;
  const std::size_t more = draft.refused.size() - kMostMessages;
  print_message(counted(more, "more item is", "more items are") + " not in the plan");
}

// What a run has left of a deletion is under hidden names, and needs its plan.
void require_no_unfinished_run(const std::string& plan) {
  const std::string journal = plan + ".journal";
  if (act::unfinished_deletions(journal) == 0) return;
  throw UsageError(
      "a run of this plan was killed while it deleted something, or still runs; finish it with "
      "`fathom apply " +
      shell_word(plan) + " --execute`, or give back the rest with `fathom undo " +
      shell_word(journal) + " --execute`");
}

// "delete 3 items with 1,205 entries, which frees 41 GiB"
std::string summary_of(const act::Plan& plan, base::Units units) {
  const act::PlanTotals& totals = *plan.totals;
  std::size_t removed = 0;
  for (const act::PlanItem& item : plan.items) {
    if (item.action == act::Action::remove) ++removed;
  }
  const std::size_t moved = plan.items.size() - removed;
  std::string text;
  if (removed > 0) {
    text += "deletes " + counted(removed, "item", "items") + ", which frees " +
            base::format_bytes(totals.freed, units);
    if (totals.freed_at_most > totals.freed) {
      text += " to " + base::format_bytes(totals.freed_at_most, units);
    }
  }
  if (moved > 0) {
    text += std::string(removed > 0 ? "; " : "") + "moves " + counted(moved, "item", "items") +
            ", which frees " + base::format_bytes(totals.held, units) +
            " when the quarantine or trash is emptied";
  }
  return text;
}

// An empty plan is written as well: a script can apply it, and it replaces an earlier one.
void tell(const act::Plan& plan, const std::string& file, base::Units units) {
  const std::string wrote = "wrote " + escaped(file) + ": ";
  if (plan.items.empty()) {
    return print_message(wrote + "an empty plan, because there is nothing that it could act on");
  }
  print_message(wrote + summary_of(plan, units) + ". Preview: fathom apply " + shell_word(file));
  const std::string journal = file + ".journal";
  if (why_missing(journal) != 0) return;
  print_message(escaped(journal) +
                " is from an earlier plan; rename it before you use --execute, or use --journal "
                "FILE");
}

}  // namespace

PlanPaths::PlanPaths(const fs::Scan& scan) : scan_(scan) {
  for (std::size_t i = 0; i < scan.roots.size(); ++i) {
    tops_.push_back(path_of_root(scan.roots[i]));
    const fs::NodeId node = scan.tree.roots()[i];
    const bool is_directory = node == fs::kNoNode || scan.tree.kind(node) == fs::Kind::directory;
    std::string above = base::folder_of(tops_.back());
    if (above.size() > 1) above.pop_back();
    const std::string& root = is_directory ? tops_.back() : above;
    if (std::find(roots_.begin(), roots_.end(), root) == roots_.end()) roots_.push_back(root);
  }
}

std::string PlanPaths::path_of(fs::NodeId node) const {
  const std::size_t root = scan_.tree.root_index(node);
  const std::string given(scan_.tree.name(scan_.tree.roots()[root]));
  std::string below = scan_.tree.path(node).substr(given.size());
  if (below.starts_with('/')) below.erase(0, 1);
  const std::string& top = tops_[root];
  if (below.empty()) return top;
  return (top.size() > 1 ? top + '/' : top) + below;
}

ItemPlanFile::ItemPlanFile(const CommonRequest& request, const ItemPlanRequest& plan)
    : request_(plan), began_ns_(base::wall_now_ns()) {
  if (!plan.write) {
    if (plan.force) throw UsageError("option '--force' needs '--plan'");
    if (plan.action) throw UsageError("option '--do' needs '--plan'");
    return;
  }
  require_other_output(request, *plan.write, "plan");
  require_other_output(request, *plan.write + ".journal", "journal");
  try {
    if (plan.force) require_no_unfinished_run(*plan.write);
    output_.emplace(plan.write, plan.force ? Output::Existing::replace : Output::Existing::keep);
  } catch (const base::SystemError& error) {
    if (error.code() == EEXIST) {
      throw UsageError(escaped(*plan.write) + " exists; --force replaces it");
    }
    throw UsageError(error.what());
  }
}

void ItemPlanFile::save(const act::Plan& plan) {
  if (request_.force) require_no_unfinished_run(*request_.write);
  try {
    act::write_plan(plan, [this](std::string_view block) { return output_->write(block); });
    output_->finish();
  } catch (const base::SystemError& error) {
    if (!is_full(error)) throw;
    throw base::Error(std::string(error.what()) +
                      "; name a file on another filesystem, such as /dev/shm/plan");
  }
}

bool ItemPlanFile::write(std::vector<act::Chosen> choices, const std::vector<std::string>& roots,
                         const std::string& quarantine, base::Units units,
                         const rt::CancelToken& cancel) {
  act::DraftOptions options{.roots = roots,
                            .host = host_name(),
                            .quarantine = quarantine,
                            .scanned_ns = began_ns_,
                            .cancel = cancel};
  const act::Draft draft = act::draft_plan(std::move(choices), options);
  if (cancel.cancelled()) {
    print_message("interrupted; no plan was written");
    return false;
  }
  save(draft.plan);
  tell_refused(draft);
  for (const std::string& sentence : about_open(draft.open, units)) print_message(sentence);
  tell(draft.plan, *request_.write, units);
  return draft.refused.empty();
}

}  // namespace fathom::cli
