// Values: parsers for the arguments of flags.

#include "flag/values.h"

#include <charconv>
#include <system_error>

#include "fathom/base/bytes.h"
#include "flag/refusal.h"

namespace fathom::cli {

std::size_t parse_number(std::string_view flag, std::string_view text, std::size_t largest,
                         std::size_t smallest) {
  std::size_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < smallest || number > largest) {
    refuse(flag, text,
           "a number from " + std::to_string(smallest) + " to " + std::to_string(largest));
  }
  return number;
}

When parse_when(std::string_view flag, std::string_view text) {
  if (text == "auto") return When::automatic;
  if (text == "always") return When::always;
  if (text == "never") return When::never;
  refuse(flag, text, "auto, always or never");
}

std::uint64_t parse_size(std::string_view flag, std::string_view text) {
  if (const auto bytes = base::parse_bytes(text)) return *bytes;
  refuse(flag, text, "a size such as 4096, 10M, 1.5GiB or 2GB");
}

std::string parse_output(std::string_view text) {
  if (text.empty()) refuse("output", text, "a file name, or - for standard output");
  return std::string(text);
}

std::string parse_trace(std::string_view text) {
  if (text.empty() || text == "-") refuse("trace", text, "a file name");
  return std::string(text);
}

}  // namespace fathom::cli
