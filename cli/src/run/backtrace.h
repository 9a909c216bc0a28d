// Backtrace: what --backtrace and FATHOM_BACKTRACE=1 show after an error message.

#pragma once

#include <exception>
#include <span>

namespace fathom::cli {

// Whether --backtrace is among the arguments before any "--", or FATHOM_BACKTRACE is set and is
// neither empty nor 0. Does not use the table of flags, because the error may come from parsing
// them.
[[nodiscard]] bool wants_backtrace(std::span<char* const> arguments);

// If wants_backtrace(), prints on standard error where the error was thrown and the calls that led
// there.
void show_backtrace(std::span<char* const> arguments, const std::exception& error);

}  // namespace fathom::cli
