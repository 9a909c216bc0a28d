// Arguments: a command line taken apart, by CLI11, without looking at what it means.

#pragma once

#include <string>
#include <vector>

#include "scan/flags.h"

namespace fathom::cli {

struct Arguments {
  struct Given {
    const ScanFlag* flag;
    std::string argument;  // empty when the flag takes none
  };
  std::vector<Given> flags;        // in the order given
  std::vector<std::string> paths;  // in the order given
};

// As getopt_long() would: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, -xn VALUE, and "--".
// Names are never abbreviated, so that a new flag cannot break a script. Throws UsageError.
[[nodiscard]] Arguments split_arguments(std::span<const ScanFlag> flags,
                                        const std::vector<std::string>& arguments);

}  // namespace fathom::cli
