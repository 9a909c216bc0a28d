// The flags of `fathom scan`: one table, from which parsing and help are derived.
//
//   ScanRequest request = parse_scan({"--largest-files", "10", "/srv"});

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scan/request.h"

namespace fathom::cli {

enum class FlagGroup { report, output, scan, display };

struct ScanFlag {
  std::string_view name;      // without dashes
  char letter;                // '\0': none
  std::string_view argument;  // what help calls it; empty: takes none
  std::string_view help;
  FlagGroup group;
  // Puts the argument into the request. Throws UsageError with what is wrong with it.
  void (*apply)(ScanRequest& request, std::string_view argument);
};

[[nodiscard]] std::span<const ScanFlag> scan_flags();

// Throws UsageError. Does nothing but read the arguments.
//
// Flags and paths may be mixed; a later flag overrides an earlier one, reports add up. After "--"
// everything is a path.
[[nodiscard]] ScanRequest parse_scan(const std::vector<std::string>& arguments);

// The text of `fathom scan --help`, at most 80 columns wide.
[[nodiscard]] std::string scan_help();

}  // namespace fathom::cli
