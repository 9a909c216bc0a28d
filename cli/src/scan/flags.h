// The flags of `fathom scan`: one table, from which parsing, help, the manual page and
// what shells complete are derived.
//
//   ScanRequest request = parse_scan({"--largest-files", "10", "/srv"});

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scan/request.h"

namespace fathom::cli {

enum class FlagGroup { report, output, select, scan, display };

struct ScanFlag {
  std::string_view name;      // without dashes; empty: it has but a letter
  char letter;                // '\0': none
  std::string_view argument;  // what help calls it; FILE: a file's name; empty: takes none
  std::string_view help;
  FlagGroup group;
  // Puts the argument into the request. Throws UsageError with what is wrong with it.
  void (*apply)(ScanRequest& request, std::string_view argument);
  std::string_view values = {};  // that the argument may have, with blanks between; empty: others
};

[[nodiscard]] std::span<const ScanFlag> scan_flags();

// How it may be written: {"-o", "--output"}.
[[nodiscard]] std::vector<std::string> spellings(const ScanFlag& flag);

// Throws UsageError. Does nothing but read the arguments.
//
// Flags and paths may be mixed; a later flag overrides an earlier one, reports add up. After "--"
// everything is a path.
[[nodiscard]] ScanRequest parse_scan(const std::vector<std::string>& arguments);

}  // namespace fathom::cli
