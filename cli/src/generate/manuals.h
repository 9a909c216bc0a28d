// Manuals: the manuals of all commands that have one, in the order in which the help lists them.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "flag/manual.h"

namespace fathom::cli {

[[nodiscard]] const std::vector<const Manual*>& manuals();

// The manual of the command; nullptr if there is none.
[[nodiscard]] const Manual* manual_of(std::string_view command);

// The names of the commands that have a manual, separated by spaces: "scan dups".
[[nodiscard]] std::string command_names();

}  // namespace fathom::cli
