// Interval: when a scan was made, as text.

#pragma once

#include <cstdint>
#include <string>

namespace fathom::cli {

// "2026-11-20 08:00 to 08:12": local time, to the minute; without what is the same at the end. In
// nanoseconds since the epoch.
[[nodiscard]] std::string interval_text(std::int64_t started_ns, std::int64_t ended_ns);

// "2026-11-20 08:00" and "2026-11-20", of seconds since the epoch.
[[nodiscard]] std::string minute_text(std::int64_t seconds);
[[nodiscard]] std::string day_text(std::int64_t seconds);

}  // namespace fathom::cli
