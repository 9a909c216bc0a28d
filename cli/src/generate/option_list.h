// OptionList: the options of a command as Markdown, for the README.

#pragma once

#include <string>

#include "flag/manual.h"

namespace fathom::cli {

[[nodiscard]] std::string option_list(const Manual& manual);

}  // namespace fathom::cli
