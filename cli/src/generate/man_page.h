// ManPage: the manual page of a command, such as fathom-scan(1), in the man macros of roff.

#pragma once

#include <string>
#include <string_view>

#include "flag/manual.h"

namespace fathom::cli {

[[nodiscard]] std::string man_page(const Manual& manual, std::string_view version);

}  // namespace fathom::cli
