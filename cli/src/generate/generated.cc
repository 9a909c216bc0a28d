#include "generate/generated.h"

#include <optional>

#include "exit_code.h"
#include "generate/bash_completion.h"
#include "generate/fish_completion.h"
#include "generate/man_page.h"
#include "generate/option_list.h"
#include "generate/zsh_completion.h"
#include "message.h"
#include "output.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

std::string generated(const std::string& what, std::string_view version) {
  if (what == "man") return man_page(version);
  if (what == "bash") return bash_completion();
  if (what == "zsh") return zsh_completion();
  if (what == "fish") return fish_completion();
  if (what == "readme") return option_list();
  throw UsageError("--generate makes man, bash, zsh, fish or readme, not '" + escaped(what) + "'");
}

}  // namespace

int generate_command(const std::vector<std::string>& arguments, std::string_view version) {
  if (arguments.empty() || arguments.size() > 2) {
    throw UsageError("--generate takes what to make, and maybe the file to write");
  }
  const std::string text = generated(arguments[0], version);
  Output output(arguments.size() == 2 ? std::optional(arguments[1]) : std::nullopt);
  output.write(text);
  output.finish();
  return kComplete;
}

}  // namespace fathom::cli
