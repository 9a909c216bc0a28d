// about_open: what a plan or a run says about files that processes have open.

#pragma once

#include <string>
#include <vector>

#include "fathom/act/open_file.h"
#include "fathom/base/bytes.h"

namespace fathom::cli {

// A sentence, without a full stop, for each of the first ones, and one about the others.
[[nodiscard]] std::vector<std::string> about_open(const std::vector<act::OpenFile>& files,
                                                  base::Units units);

}  // namespace fathom::cli
