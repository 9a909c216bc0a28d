// ManPage: the manual page of a command, such as fathom-scan(1), in the man macros of roff.

#pragma once

#include <string>
#include <string_view>

#include "flags/help.h"

namespace fathom::cli {

[[nodiscard]] std::string man_page(const Manual& manual);

// The page fathom(1), which lists the commands.
[[nodiscard]] std::string overview_man_page();

}  // namespace fathom::cli
