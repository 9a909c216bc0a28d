// Moments as users write them: an age, a day, a date, or seconds since the epoch.
//
//   parse_moment("7d")->before(now);                   // seven days before now
//   parse_moment("yesterday")->before(now);            // the start of the day before now's
//   parse_moment("2026-01-31")->before(now);           // the start of that day, local time
//   parse_moment("2026-01-31T12:30:00")->before(now);  // local time
//   parse_moment("2026-01-31 12:30")->before(now);     // the same
//   parse_moment("@1767225600")->before(now);          // seconds since the epoch

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom::base {

struct Moment {
  enum class Form : std::uint8_t {
    age,     // so many seconds before now
    day,     // the start of the local day that is so many days before now's
    local,   // seconds since the epoch, as if local time were UTC
    second,  // seconds since the epoch
  };

  Form form = Form::second;
  std::int64_t value = 0;

  // The moment in seconds since the epoch. All forms but ages and seconds read the time zone.
  [[nodiscard]] std::int64_t before(std::int64_t now) const;
};

// Parses an age as parse_age() does, "today" or "yesterday", a date in the years 1 to 9999, or
// seconds since the epoch, which may be negative. Returns nothing for other texts, and for dates
// that do not exist.
[[nodiscard]] std::optional<Moment> parse_moment(std::string_view text);

// ---- Ages

// Parses "90s", "15m", "1h", "7d" or "2w". Returns nothing for other texts, for 0, and for ages of
// more than a thousand years.
[[nodiscard]] std::optional<std::chrono::seconds> parse_age(std::string_view text);

}  // namespace fathom::base
