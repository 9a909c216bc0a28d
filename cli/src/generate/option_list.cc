#include "generate/option_list.h"

#include "scan/help.h"

namespace fathom::cli {

std::string option_list() {
  return "```text\n" + flags_help() + "```\n";
}

}  // namespace fathom::cli
