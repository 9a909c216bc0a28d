// ProcFiles: parsers of files of /proc/PID/task/TID. Unexpected contents leave the fields unknown.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "fathom/diag/thread_usage.h"

namespace fathom::diag {

void read_schedstat(std::string_view text, ThreadUsage& usage);
// `ticks`: clock ticks per second, the unit of the times in the file.
void read_stat(std::string_view text, long ticks, ThreadUsage& usage);
void read_status(std::string_view text, ThreadUsage& usage);
void read_sched(std::string_view text, ThreadUsage& usage);

// Removes the next word from the text and returns it; empty at the end.
[[nodiscard]] std::string_view next_word(std::string_view& text);
// The whole word as a number.
[[nodiscard]] std::optional<std::uint64_t> read_number(std::string_view word);

}  // namespace fathom::diag
