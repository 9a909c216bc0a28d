// Refusal: the error for an invalid argument of an option.

#pragma once

#include <string_view>

namespace fathom::cli {

// Throws UsageError: "option '--FLAG' takes WANT, not 'ARGUMENT'".
[[noreturn]] void refuse(std::string_view flag, std::string_view argument, std::string_view want);

}  // namespace fathom::cli
