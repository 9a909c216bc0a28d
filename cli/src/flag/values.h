// Values: parsers for kinds of arguments that several flags take.
//
// Each throws UsageError if the text is not valid.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "term/terminal.h"

namespace fathom::cli {

inline constexpr std::size_t kMaxThreads = 1024;
inline constexpr std::size_t kMaxCount = 1'000'000'000;

// A number from smallest to largest.
[[nodiscard]] std::size_t parse_number(std::string_view flag, std::string_view text,
                                       std::size_t largest, std::size_t smallest = 1);

// auto, always or never.
[[nodiscard]] When parse_when(std::string_view flag, std::string_view text);

// A size in bytes, with or without a unit.
[[nodiscard]] std::uint64_t parse_size(std::string_view flag, std::string_view text);

// The file name for -o.
[[nodiscard]] std::string parse_output(std::string_view text);

// The file name for --trace.
[[nodiscard]] std::string parse_trace(std::string_view text);

}  // namespace fathom::cli
