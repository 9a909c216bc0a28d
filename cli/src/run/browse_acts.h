// BrowseActs: carries out the plans of `fathom browse`, and takes the last one back.
//
// Everything is moved to a quarantine; nothing is deleted. Plans and journals are kept
// (kept_plan.h).

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fathom/act/plan.h"
#include "fathom/rt/cancel.h"
#include "fathom/tui/browse.h"

namespace fathom::cli {

class BrowseActs {
 public:
  // `roots` are those of the scan, absolute, as the paths of entries begin with them.
  explicit BrowseActs(std::vector<std::string> roots) : roots_(std::move(roots)) {}

  // Neither throws: errors are sentences. The token is checked before each item, and while items
  // are examined.
  [[nodiscard]] tui::ApplyReport apply(std::span<const act::Chosen> entries,
                                       const rt::CancelToken& cancel = {});
  [[nodiscard]] tui::UndoReport undo(const rt::CancelToken& cancel = {});

  // Of the runs that can be taken back, the last one last.
  [[nodiscard]] const std::vector<std::string>& journals() const { return journals_; }

 private:
  // What became of what was chosen, by real paths.
  struct Ran {
    std::set<std::string> moved;
    std::uint64_t trashed = 0;
    std::map<std::string, std::string> why;  // it was not moved
    std::string error;                       // why others were not
  };
  [[nodiscard]] act::Draft draft(std::vector<act::Chosen> chosen, const rt::CancelToken& cancel,
                                 Ran& ran) const;
  void run(const act::Plan& plan, const rt::CancelToken& cancel, Ran& ran);
  [[nodiscard]] tui::UndoReport undo_last(const rt::CancelToken& cancel);

  const std::vector<std::string> roots_;
  std::vector<std::string> journals_;
};

}  // namespace fathom::cli
