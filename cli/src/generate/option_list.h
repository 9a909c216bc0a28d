// OptionList: the README's list of a command's options, as Markdown.

#pragma once

#include <string>

#include "flag/manual.h"

namespace fathom::cli {

[[nodiscard]] std::string option_list(const Manual& manual);

}  // namespace fathom::cli
