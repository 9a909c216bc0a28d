// Generated: the hidden command `fathom --generate`.

#include "generate/generated.h"

#include <cstddef>
#include <optional>

#include "commands/commands.h"
#include "flags/help.h"
#include "generate/completion.h"
#include "generate/man_page.h"
#include "run/output.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

std::string option_list(const Manual& manual) {
  return "```text\n" + flags_help(manual) + "```\n";
}

std::string generated(const std::string& what) {
  if (what == "bash") return bash_completion();
  if (what == "zsh") return zsh_completion();
  if (what == "fish") return fish_completion();
  if (what == "man") return overview_man_page();
  const std::size_t dash = what.find('-');
  const std::string kind = what.substr(0, dash);
  const Command* const command =
      dash == std::string::npos ? nullptr : command_named(what.substr(dash + 1));
  if (command != nullptr && command->manual != nullptr) {
    if (kind == "man") return man_page(command->manual());
    if (kind == "readme") return option_list(command->manual());
  }
  throw UsageError(
      "option '--generate' takes bash, zsh, fish, man, man-COMMAND or readme-COMMAND, not '" +
      escaped(what) + "'");
}

}  // namespace

int generate_command(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.size() > 2) {
    throw UsageError("option '--generate' takes what to generate, and optionally a file name");
  }
  const std::string text = generated(arguments[0]);
  Output output(arguments.size() == 2 ? std::optional(arguments[1]) : std::nullopt);
  output.write(text);
  output.finish();
  return kComplete;
}

}  // namespace fathom::cli
