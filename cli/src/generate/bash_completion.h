// BashCompletion: the completion script for bash.

#pragma once

#include <string>

namespace fathom::cli {

[[nodiscard]] std::string bash_completion();

}  // namespace fathom::cli
