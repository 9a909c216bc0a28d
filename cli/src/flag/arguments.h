// Arguments: a command line split into flags and paths, by CLI11, without interpreting them.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "flag/common_request.h"
#include "flag/flag.h"

namespace fathom::cli {

struct Arguments {
  struct Given {
    std::size_t flag;      // index in the table of flags
    std::string argument;  // empty if the flag takes none
  };
  std::vector<Given> flags;        // in the order given
  std::vector<std::string> paths;  // in the order given
};

// Accepts the forms of getopt_long(): --name VALUE, --name=VALUE, -n VALUE, -nVALUE, -xn VALUE, and
// "--". Names cannot be abbreviated, so that a new flag cannot break a script. Messages name the
// command. Throws UsageError.
[[nodiscard]] Arguments split_arguments(std::string_view command, std::span<const Flag> flags,
                                        const std::vector<std::string>& arguments);

// Moves the paths into the request, and resolves dependencies between the common flags. Throws
// UsageError.
void settle(CommonRequest& request, const Arguments& given);

// Makes the request of a command from its flags. Throws UsageError.
template <class Request, std::size_t N>
[[nodiscard]] Request request_of(const FlagOf<Request> (&table)[N], const Arguments& given) {
  Request request;
  for (const Arguments::Given& one : given.flags) table[one.flag].apply(request, one.argument);
  settle(request, given);
  return request;
}

}  // namespace fathom::cli
