// PictureRows: which entries a picture of a scan shows, when it cannot show all.
//
// The largest ones, taken from the roots downwards: always the largest entry whose directory is
// already shown, until the rows are used up. So each row's directory stands above it, and no entry
// that is left out is larger than one that is shown, but for what lies deeper than `depth`.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "fathom/fs/children.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"

namespace fathom::cli {

struct PictureRow {
  fs::NodeId node = fs::kNoNode;
  std::uint64_t bytes = 0;
  std::size_t parent = 0;  // the row of its directory; its own for a root
  unsigned depth = 0;      // 0: a root
  bool directory = false;
  bool lower_bound = false;
  bool last = false;  // of the rows with this parent
};

struct PictureLimits {
  std::size_t rows = 24;
  unsigned depth = 100;  // of the deepest row
};

// In the order in which to print them: a directory, then its entries, the largest first, each
// followed by its own. What is counted elsewhere (a repeated root, a further name) has no row.
[[nodiscard]] std::vector<PictureRow> picture_rows(const fs::Tree& tree, const fs::Totals& totals,
                                                   fs::Measure measure, PictureLimits limits);

}  // namespace fathom::cli
