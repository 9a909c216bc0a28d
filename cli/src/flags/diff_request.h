// DiffRequest: the parsed arguments of `fathom diff`.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/measure.h"
#include "fathom/store/diff_report.h"
#include "flags/common_request.h"

namespace fathom::cli {

struct DiffRequest : CommonRequest {
  std::vector<std::string> words;  // A, B and PATH, as far as they are given
  std::vector<store::DiffBy> by;   // never empty: by directory by default
  TableFormat format = TableFormat::text;
  fs::Measure measure = fs::Measure::disk;
  std::optional<unsigned> depth;  // none: as many levels as fit
};

}  // namespace fathom::cli
