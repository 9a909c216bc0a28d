// ManPage: fathom-scan(1), in the man macros of roff.

#pragma once

#include <string>
#include <string_view>

namespace fathom::cli {

[[nodiscard]] std::string man_page(std::string_view version);

}  // namespace fathom::cli
