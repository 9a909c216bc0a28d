// GrowthRequest: the parsed arguments of `fathom growth`.

#pragma once

#include <optional>
#include <string>

#include "fathom/base/moment.h"
#include "fathom/fs/measure.h"
#include "flags/common_request.h"

namespace fathom::cli {

struct GrowthRequest : CommonRequest {
  std::optional<std::string> path;
  std::optional<base::Moment> since;  // none: all snapshots
  unsigned depth = 1;
  TableFormat format = TableFormat::text;
  fs::Measure measure = fs::Measure::disk;
};

}  // namespace fathom::cli
