// StoreRequest: the parsed arguments of `fathom store`.

#pragma once

#include <cstdint>

#include "flags/common_request.h"

namespace fathom::cli {

enum class StoreAct : std::uint8_t { list, verify, collect };

struct StoreRequest : CommonRequest {
  StoreAct act = StoreAct::list;
};

}  // namespace fathom::cli
