// FishCompletion: what fish offers after `fathom` when a person presses the tabulator.

#pragma once

#include <string>

namespace fathom::cli {

[[nodiscard]] std::string fish_completion();

}  // namespace fathom::cli
