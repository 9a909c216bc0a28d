// FishCompletion: the completion script for fish.

#pragma once

#include <string>

namespace fathom::cli {

[[nodiscard]] std::string fish_completion();

}  // namespace fathom::cli
