// The engine of options that only engines which read in bulk have.

#pragma once

#include <string>
#include <string_view>

#include "flags/common_request.h"
#include "term/message.h"

namespace fathom::cli {

// Chooses one unless the user has. Throws UsageError if the user has chosen one without the option.
inline void need_bulk_engine(CommonRequest& request, std::string_view option, bool only_btrfs) {
  if (request.engine == fs::Engine::lockfree) request.engine = fs::Engine::automatic;
  const bool has_it = request.engine == fs::Engine::automatic ||
                      request.engine == fs::Engine::btrfs ||
                      (!only_btrfs && request.engine > fs::Engine::lockfree);
  if (has_it) return;
  throw UsageError("options '" + std::string(option) + "' and '--engine " +
                   std::string(fs::to_string(request.engine)) + "' exclude each other");
}

}  // namespace fathom::cli
