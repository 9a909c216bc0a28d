// The version of the program.

#pragma once

#include <string_view>

namespace fathom::cli {

// "0.1.0", from the build.
extern const std::string_view kVersion;

}  // namespace fathom::cli
