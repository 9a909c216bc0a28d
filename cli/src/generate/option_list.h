// OptionList: the README's list of options, as Markdown.

#pragma once

#include <string>

namespace fathom::cli {

[[nodiscard]] std::string option_list();

}  // namespace fathom::cli
