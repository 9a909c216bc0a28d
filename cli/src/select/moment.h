// Moments as people write them: how long ago, a date, or a second of the epoch.
//
//   parse_moment("7d")->before(now);                   // seven days before now
//   parse_moment("2026-01-31")->before(now);           // when that day began here
//   parse_moment("2026-01-31T12:30:00")->before(now);  // the time of the local clock
//   parse_moment("2026-01-31 12:30")->before(now);     // the same
//   parse_moment("@1767225600")->before(now);          // that second

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fathom::cli {

struct Moment {
  std::chrono::seconds ago{0};  // 0: it is `at`
  std::int64_t at = 0;          // seconds since the epoch

  // The second of the epoch that it is, counted from now.
  [[nodiscard]] std::int64_t before(std::int64_t now) const;
};

// An age as parse_age() reads it, a date from the year 1 to 9999, or any second, which may be below
// 0. Nothing for anything else, and for a day that no calendar has.
[[nodiscard]] std::optional<Moment> parse_moment(std::string_view text);

}  // namespace fathom::cli
