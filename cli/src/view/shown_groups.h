// ShownGroups: which groups of duplicates the text output shows.
//
// On a terminal, as many as fit on its screen, the ones that waste most first; with --top, that
// many of each list; otherwise all.

#pragma once

#include <cstddef>
#include <vector>

#include "run/dups_session.h"
#include "view/dups_view.h"

namespace fathom::cli {

struct ShownGroups {
  std::size_t directories = 0;      // the first ones of the list, as is the next
  std::size_t files = 0;            //
  std::size_t names = 0;            // of each group
  std::vector<std::size_t> listed;  // groups of files that directories do not explain, by index
  bool fits_screen = false;         // the height of the terminal decides
};

// The layout that it assumes is that of TextGroups.
[[nodiscard]] ShownGroups shown_groups(const DupsFinding& found, const DupsView& view);

}  // namespace fathom::cli
