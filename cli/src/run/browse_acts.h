// BrowseActs: carries out the plans of `fathom browse`, takes them back, and writes them.
//
// Entries are moved to a quarantine or the trash, or deleted for good. Plans and journals are kept
// (kept_plan.h).

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fathom/act/plan.h"
#include "fathom/rt/cancel.h"
#include "fathom/tui/browse.h"
#include "run/saved_scan.h"

namespace fathom::cli {

class BrowseActs {
 public:
  // `roots` are those of the scan, as the paths of entries begin with them; absolute unless the
  // scan is a saved one, of which `saved` is the origin.
  explicit BrowseActs(std::vector<std::string> roots,
                      std::optional<SavedOrigin> saved = std::nullopt)
      : roots_(std::move(roots)), saved_(std::move(saved)) {}

  // None throws: errors are sentences. The token is checked before each item, and while items
  // are examined.
  [[nodiscard]] tui::ApplyReport apply(std::span<const act::Chosen> entries,
                                       const rt::CancelToken& cancel = {});
  // Moves back what the last run has moved that is not moved back yet. A run of which something
  // cannot be moved back is tried again when no other run is left.
  [[nodiscard]] tui::UndoReport undo(const rt::CancelToken& cancel = {});
  // Of a saved scan, only what is on this machine as it was then: the same entries and bytes, the
  // same inode if that is known, and no change since the scan began.
  [[nodiscard]] tui::WriteReport write(std::span<const act::Chosen> entries,
                                       const std::string& file, const rt::CancelToken& cancel = {});

  // Of the runs that can be taken back, the one that undo() begins with last.
  [[nodiscard]] const std::vector<std::string>& journals() const { return journals_; }

 private:
  // What became of what was chosen, by real paths.
  struct Ran {
    std::set<std::string> moved;  // or deleted, or written
    std::uint64_t trashed = 0;
    tui::FreedBytes freed;
    std::map<std::string, std::string> why;  // it was not
    std::string error;                       // why others were not
  };
  // Drafts a plan of the entries, of which it fills in the real paths, and acts on it.
  [[nodiscard]] Ran act_on(std::span<const act::Chosen> entries, std::vector<std::string>& paths,
                           const rt::CancelToken& cancel,
                           const std::function<void(const act::Plan& plan, Ran& ran)>& act) const;
  void check_saved(std::vector<act::Chosen>& chosen, Ran& ran) const;
  [[nodiscard]] act::Draft draft(std::vector<act::Chosen> chosen, const rt::CancelToken& cancel,
                                 Ran& ran) const;
  void run(const act::Plan& plan, const rt::CancelToken& cancel, Ran& ran);
  [[nodiscard]] std::string undo_last(const rt::CancelToken& cancel);
  [[nodiscard]] tui::Undoable undoable() const;
  void drop_last();
  void set_last_aside();

  const std::vector<std::string> roots_;
  const std::optional<SavedOrigin> saved_;
  std::vector<std::string> journals_;
  std::size_t aside_ = 0;   // how many of them, the first ones, could not be taken back completely
  bool went_back_ = false;  // the last act of the session was not a run
};

}  // namespace fathom::cli
