// BrowseActs: carries out the plans of `fathom browse`, and takes the last one back.
//
// Everything is moved to a quarantine; nothing is deleted. Plans and journals are kept
// (kept_plan.h).

#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/tui/browse.h"

namespace fathom::cli {

class BrowseActs {
 public:
  // `roots` are those of the scan, absolute, as the paths of entries begin with them.
  BrowseActs(std::vector<std::string> roots, base::Units units)
      : roots_(std::move(roots)), units_(units) {}

  // Neither throws: errors are sentences.
  [[nodiscard]] tui::ActReport apply(std::span<const std::string> paths);
  [[nodiscard]] tui::ActReport undo();

 private:
  template <class Act>
  [[nodiscard]] tui::ActReport guarded(const Act& act);
  [[nodiscard]] tui::ActReport apply_all(std::span<const std::string> paths);
  [[nodiscard]] tui::ActReport undo_last();

  const std::vector<std::string> roots_;
  const base::Units units_;
  std::vector<std::string> journals_;  // of the runs that can be taken back, the last one last
};

}  // namespace fathom::cli
