// Commands: the table of the commands of `fathom`, from which dispatch, help and completion are
// derived. cli/Generated.cmake lists their manual pages. Programs in PATH add others: see
// external_command.h.

#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flags/flag.h"
#include "flags/help.h"

namespace fathom::cli {

struct Command {
  std::string_view name;
  std::string_view operands;  // as the help shows them
  std::string_view summary;
  // Runs the command with the arguments after its name, and returns the exit code. Throws
  // UsageError. Null: the program fathom-NAME, which is installed with this one.
  int (*run)(const std::vector<std::string>& arguments);
  const Manual& (*manual)();         // null: no flags of its own
  std::string_view comes_with = {};  // the packages that contain the program fathom-NAME
};

// In the order of the help.
[[nodiscard]] std::span<const Command> commands();

// Null if there is none.
[[nodiscard]] const Command* command_named(std::string_view name);

// Runs what the arguments of `fathom` name, and returns the exit code. The first argument is the
// name of a command, or else of a program fathom-NAME. If it is neither, all arguments are those of
// `fathom scan`: flags and paths. Throws UsageError.
int run_arguments(const std::vector<std::string>& arguments);

// The commands that a user can ask for help about, separated by spaces: "scan dups".
[[nodiscard]] std::string documented_commands();

// The flags that take the place of a command.
inline constexpr std::array kGlobalFlags = {
    Flag{.name = "help", .letter = 'h', .help = "show this text", .group = FlagGroup::display},
    Flag{.name = "version", .letter = 'V', .help = "show the version", .group = FlagGroup::display},
};

// The text of `fathom --help`.
[[nodiscard]] std::string overview();

}  // namespace fathom::cli
