// BrowseActs: carries out the plans of `fathom browse`, and takes the last one back.
//
// Everything is moved to a quarantine; nothing is deleted. Plans and journals are kept
// (kept_plan.h).

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fathom/act/apply.h"
#include "fathom/act/plan.h"
#include "fathom/base/bytes.h"
#include "fathom/tui/browse.h"

namespace fathom::cli {

class BrowseActs {
 public:
  // `roots` are those of the scan, absolute, as the paths of entries begin with them.
  BrowseActs(std::vector<std::string> roots, base::Units units)
      : roots_(std::move(roots)), units_(units) {}

  // Neither throws: errors are sentences.
  [[nodiscard]] tui::ActReport apply(std::span<const act::Chosen> entries);
  [[nodiscard]] tui::ActReport undo();

 private:
  template <class Act>
  [[nodiscard]] tui::ActReport guarded(const Act& act);
  [[nodiscard]] tui::ActReport apply_all(std::span<const act::Chosen> entries);
  [[nodiscard]] act::Draft draft(std::span<const act::Chosen> entries) const;
  struct Ran {
    act::PlanApplied applied;
    std::uint64_t trashed = 0;  // of the items that are done
    std::string why;            // why an item was not moved, if there is one
  };
  [[nodiscard]] Ran run(const act::Plan& plan);
  [[nodiscard]] tui::ActReport undo_last();

  const std::vector<std::string> roots_;
  const base::Units units_;
  std::vector<std::string> journals_;  // of the runs that can be taken back, the last one last
};

}  // namespace fathom::cli
