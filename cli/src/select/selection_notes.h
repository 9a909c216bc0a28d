// Selection notes: sentences about the entries that the selection of a scan skipped.

#pragma once

#include <cstdint>
#include <string>

namespace fathom::cli {

// "Excluded 3 entries and everything in them."
[[nodiscard]] std::string excluded_note(std::uint64_t entries);

// "12 entries filtered out."
[[nodiscard]] std::string filtered_out_note(std::uint64_t entries);

}  // namespace fathom::cli
