// ItemRun: the act of one item of a plan, from its checks to its result.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fathom/act/apply.h"
#include "fathom/act/never_touch.h"
#include "fathom/rt/executor.h"
#include "items/examine.h"
#include "items/item_journal.h"
#include "os/mutating_ops.h"
#include "os/open_root.h"
#include "os/processes.h"
#include "run/unsynced.h"
#include "run/verdict.h"

namespace fathom::act {

// Shared by all items of a run. Must outlive them.
struct ItemContext {
  const Plan& plan;
  const RunOptions& options;
  const MutatingOps& ops;
  ItemJournal& journal;
  const NeverTouch& never;
  const std::vector<OpenRoot>& roots;
  const Processes& processes;
  rt::Executor& executor;  // for directories with many entries
  Unsynced& unsynced;      // what acts have changed; synced before they are reported as done
  std::set<std::string>& names_in_trash;  // that items of this run will have; absolute
  // How many names of an inode, by device and number, the items have that were asked for bytes().
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t>& seen_names;
};

// The caller first calls check(); then, unless there is a verdict, begin(), and flushes the
// journal; and only then act().
class ItemRun {
 public:
  ItemRun(const ItemContext& context, std::uint64_t number)
      : context_(context), number_(number), item_(context.plan.items[number]) {}

  [[nodiscard]] const PlanItem& item() const { return item_; }
  [[nodiscard]] std::uint64_t number() const { return number_; }

  // A verdict: there is nothing to do, or it cannot be done. Completes what an earlier run has
  // begun.
  [[nodiscard]] std::optional<Verdict> check();

  void begin();
  Verdict act();

  // What act() would do. Call it once.
  [[nodiscard]] Verdict foresee();

  // Where the item is now; empty if it was not moved.
  [[nodiscard]] std::string moved_to() const;

 private:
  [[nodiscard]] std::optional<Verdict> recover(const ItemEntry& begun);
  [[nodiscard]] std::optional<Verdict> recover_removal();
  [[nodiscard]] std::optional<Verdict> recover_move(const ItemEntry& begun);
  [[nodiscard]] bool is_planned_at(const Location& location) const;
  [[nodiscard]] std::optional<Verdict> examine_again();
  [[nodiscard]] std::optional<Verdict> check_evidence() const;
  [[nodiscard]] std::optional<Verdict> choose_place();
  [[nodiscard]] std::optional<Verdict> check_place(const std::string& place) const;
  void choose_name_in_trash();

  Verdict remove();
  Verdict remove_file(const Location& staged);
  Verdict remove_folder(const Location& staged, const class Removable& removable);
  Verdict move();
  Verdict move_to(const Location& to);
  [[nodiscard]] bool is_default_place() const;
  [[nodiscard]] int open_place(base::Fd& place) const;  // makes it if it is missing
  [[nodiscard]] int open_own(const std::string& path, base::Fd& folder) const;
  [[nodiscard]] std::optional<Verdict> describe_in_trash();
  void forget_in_trash(const std::string& place, const std::string& name) const;
  void note_directory_size() const;
  [[nodiscard]] std::optional<Verdict> look_again(const Location& moved) const;

  // The bytes on the disk of everything of which neither this item nor an earlier one that was
  // asked leaves a name; `open_` then has only what is among that.
  [[nodiscard]] std::uint64_t bytes();
  void note_open(const FileState& state, const std::function<std::string()>& path_of);

  [[nodiscard]] const OpenRoot& root() const { return context_.roots[item_.root]; }
  [[nodiscard]] std::string path() const { return context_.plan.path_of(item_); }
  [[nodiscard]] SurveyOptions survey_options() const;
  [[nodiscard]] rt::Executor* executor() const;
  [[nodiscard]] std::string staged_name() const;

  const ItemContext& context_;
  const std::uint64_t number_;
  const PlanItem& item_;
  Examined found_;
  std::map<InodeKey, OpenFile> open_;  // files in it that processes have open; for foresee()
  std::string place_;                  // for moves: an absolute directory
  std::string to_;                     // the path in it
  std::string trash_top_;              // paths in that trash are relative to this directory
};

}  // namespace fathom::act
