// ScanMessages: sentences about a scan, for standard error and for the notes below its results.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/scan.h"
#include "fathom/fs/table.h"

namespace fathom::cli {

// The number of arguments that do not exist. They are errors, but do not make the sums of the other
// roots lower bounds.
[[nodiscard]] std::size_t missing_roots(const fs::Scan& scan);

// The number of other errors, which make sums lower bounds.
[[nodiscard]] std::size_t unread_entries(const fs::Scan& scan);

// ---- Messages on standard error

// "cannot open /root: Permission denied"
[[nodiscard]] std::string describe(const fs::ScanError& error);

// The first errors, unless a report lists them all, and what they mean for the totals. If there are
// more, names the option that lists them.
[[nodiscard]] std::vector<std::string> error_messages(const fs::Scan& scan, bool listed,
                                                      std::string_view lister = "--errors");

// The rows that reports leave out because their paths are too long.
[[nodiscard]] std::vector<std::string> length_messages(const std::vector<fs::Table>& reports);

// The filesystems that could have been read in bulk, but had to be walked; those that were read
// anew although there was an earlier scan; and why. If the engine reads one type of filesystem,
// that there is none of it. If snapshots were wanted (`frozen`), those without.
[[nodiscard]] std::vector<std::string> volume_messages(const fs::Scan& scan, fs::Engine engine,
                                                       bool frozen);

// The arguments that are symbolic links to directories or, with --engine ext4, to anything. A scan
// does not follow them, which is seldom what the user wants.
[[nodiscard]] std::vector<std::string> link_messages(const fs::Scan& scan);

// ---- Notes about the entries that the selection of a scan skipped

// "Excluded 3 entries and everything in them.", "Skipped 4 directories on other filesystems."
[[nodiscard]] std::vector<std::string> excluded_notes(const fs::Scan& scan);

// "12 entries filtered out.", or, if these were all: "No entries match the filters (12 checked)."
[[nodiscard]] std::string filtered_out_note(std::uint64_t entries, bool all);

}  // namespace fathom::cli
