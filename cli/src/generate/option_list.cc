// OptionList: generates the option list of the README.

#include "generate/option_list.h"

#include "flag/help.h"

namespace fathom::cli {

std::string option_list(const Manual& manual) {
  return "```text\n" + flags_help(manual) + "```\n";
}

}  // namespace fathom::cli
