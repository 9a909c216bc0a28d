// Generated: the hidden command `fathom --generate`.

#include "generate/generated.h"

#include <cstddef>
#include <optional>

#include "exit_code.h"
#include "generate/bash_completion.h"
#include "generate/fish_completion.h"
#include "generate/man_page.h"
#include "generate/manuals.h"
#include "generate/option_list.h"
#include "generate/zsh_completion.h"
#include "message.h"
#include "output.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

std::string generated(const std::string& what, std::string_view version) {
  if (what == "bash") return bash_completion();
  if (what == "zsh") return zsh_completion();
  if (what == "fish") return fish_completion();
  const std::size_t dash = what.find('-');
  const std::string kind = what.substr(0, dash);
  const Manual* manual = manual_of(dash == std::string::npos ? "scan" : what.substr(dash + 1));
  if (manual != nullptr && kind == "man") return man_page(*manual, version);
  if (manual != nullptr && kind == "readme") return option_list(*manual);
  throw UsageError(
      "option '--generate' takes bash, zsh, fish, man-COMMAND or readme-COMMAND, not '" +
      escaped(what) + "'");
}

}  // namespace

int generate_command(const std::vector<std::string>& arguments, std::string_view version) {
  if (arguments.empty() || arguments.size() > 2) {
    throw UsageError("option '--generate' takes what to generate, and optionally a file name");
  }
  const std::string text = generated(arguments[0], version);
  Output output(arguments.size() == 2 ? std::optional(arguments[1]) : std::nullopt);
  output.write(text);
  output.finish();
  return kComplete;
}

}  // namespace fathom::cli
