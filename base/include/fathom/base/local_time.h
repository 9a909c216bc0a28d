// Local time: dates as people write and read them, in the time zone of the process.
//
// Any thread may call these, unless another one changes the time zone (TZ) meanwhile.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::base {

// A day, a minute or a second.
struct LocalDate {
  std::int64_t seconds = 0;  // its start, since the epoch, as if local time were UTC
  std::int64_t length = 0;   // in seconds
};

// Parses "2026-01-31", "2026-01-31T08:00" or "2026-01-31T08:00:00" in the years 1 to 9999; a space
// may replace the T. Returns nothing for other texts, and for dates that do not exist.
[[nodiscard]] std::optional<LocalDate> parse_local_date(std::string_view text);

// Seconds since the epoch of a local time that is given as if it were UTC: the earlier moment if
// the clock of the time zone repeats it. If the clock skips it, the moment at which a clock that
// was not put forward would show it.
[[nodiscard]] std::int64_t from_local(std::int64_t local);

// "2026-11-19 08:00"; the number itself for a time that has no date.
[[nodiscard]] std::string to_local_minute(std::int64_t seconds);

}  // namespace fathom::base
