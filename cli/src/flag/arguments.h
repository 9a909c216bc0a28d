// Arguments: a command line taken apart, by CLI11, without looking at what it means.

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
    std::size_t flag;      // its place among those that there are
    std::string argument;  // empty when the flag takes none
  };
  std::vector<Given> flags;        // in the order given
  std::vector<std::string> paths;  // in the order given
};

// As getopt_long() would: --name VALUE, --name=VALUE, -n VALUE, -nVALUE, -xn VALUE, and "--".
// Names are never abbreviated, so that a new flag cannot break a script. The command is named in
// what is said to people. Throws UsageError.
[[nodiscard]] Arguments split_arguments(std::string_view command, std::span<const Flag> flags,
                                        const std::vector<std::string>& arguments);

// Takes the paths over, and settles what the common flags mean together. Throws UsageError.
void settle(CommonRequest& request, const Arguments& given);

// The request of a command with these flags. Throws UsageError.
template <class Request, std::size_t N>
[[nodiscard]] Request request_of(const FlagOf<Request> (&table)[N], const Arguments& given) {
  Request request;
  for (const Arguments::Given& one : given.flags) table[one.flag].apply(request, one.argument);
  settle(request, given);
  return request;
}

}  // namespace fathom::cli
