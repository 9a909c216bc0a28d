// The version of the program, which CMake passes to this file alone.

#include "run/version.h"

namespace fathom::cli {

const std::string_view kVersion = FATHOM_VERSION;

}  // namespace fathom::cli
