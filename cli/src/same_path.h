// Whether two paths lead to the same file, which need not exist.

#pragma once

#include <string>

namespace fathom::cli {

[[nodiscard]] bool is_same_path(const std::string& a, const std::string& b);

}  // namespace fathom::cli
