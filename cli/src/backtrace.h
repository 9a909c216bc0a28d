// Backtrace: what --backtrace and FATHOM_BACKTRACE=1 show beside the sentence on an error.

#pragma once

#include <exception>
#include <span>

namespace fathom::cli {

// Whether the arguments have --backtrace before any "--", or the environment has FATHOM_BACKTRACE,
// neither empty nor 0. Looked up without the table of flags: the error may be of reading them.
[[nodiscard]] bool wants_backtrace(std::span<char* const> arguments);

// Prints where the error was thrown, and the calls that led there, on standard error, if that is
// wanted.
void show_backtrace(std::span<char* const> arguments, const std::exception& error);

}  // namespace fathom::cli
