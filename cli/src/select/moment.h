// Moments as users write them: an age, a date, or seconds since the epoch.
//
//   parse_moment("7d")->before(now);                   // seven days before now
//   parse_moment("2026-01-31")->before(now);           // the start of that day, local time
//   parse_moment("2026-01-31T12:30:00")->before(now);  // local time
//   parse_moment("2026-01-31 12:30")->before(now);     // the same
//   parse_moment("@1767225600")->before(now);          // seconds since the epoch

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom::cli {

struct Moment {
  std::chrono::seconds ago{0};  // 0: the moment is `at`
  std::int64_t at = 0;          // seconds since the epoch

  // The moment in seconds since the epoch; an age is subtracted from now.
  [[nodiscard]] std::int64_t before(std::int64_t now) const;
};

// Parses an age as parse_age() does, a date in the years 1 to 9999, or seconds since the epoch,
// which may be negative. Returns nothing for other texts, and for dates that do not exist.
[[nodiscard]] std::optional<Moment> parse_moment(std::string_view text);

}  // namespace fathom::cli
