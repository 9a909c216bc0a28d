// BrowseRequest: the parsed arguments of `fathom browse`.

#pragma once

#include <cstdint>

#include "fathom/fs/measure.h"
#include "flags/common_request.h"

namespace fathom::cli {

struct BrowseRequest : CommonRequest {
  bool read_only = false;
  bool mouse = false;
  bool plain = false;
  fs::Measure measure = fs::Measure::disk;
  std::uint64_t max_operations = 0;  // per second; 0: no limit
};

}  // namespace fathom::cli
