// OpenRoot: a root of a plan, open.

#pragma once

#include <string>
#include <vector>

#include "fathom/base/fd.h"

namespace fathom::act {

// A root of a plan, or the error from opening it.
struct OpenRoot {
  base::Fd folder;
  int code = 0;  // errno
};

[[nodiscard]] std::vector<OpenRoot> open_roots(const std::vector<std::string>& paths);

}  // namespace fathom::act
