// BashCompletion: what bash offers after `fathom` when a person presses the tabulator.

#pragma once

#include <string>

namespace fathom::cli {

[[nodiscard]] std::string bash_completion();

}  // namespace fathom::cli
