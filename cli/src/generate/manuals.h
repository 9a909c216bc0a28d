// Manuals: those of all commands that have one, in the order in which help lists the commands.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flag/manual.h"

namespace fathom::cli {

[[nodiscard]] const std::vector<const Manual*>& manuals();

// That of the command; nullptr if it has none.
[[nodiscard]] const Manual* manual_of(std::string_view command);

// "scan dups": the commands that have one.
[[nodiscard]] std::string command_names();

}  // namespace fathom::cli
