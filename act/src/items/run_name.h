// The names of runs: their directories in quarantines, such as 2026-11-24T080424Z-01234567.

#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>

namespace fathom::act {

// A new one, from the time and the digest of the plan. Names are ordered by time.
[[nodiscard]] inline std::string run_name(const std::string& digest) {
  const std::time_t now = std::time(nullptr);
  struct tm utc = {};
  ::gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H%M%SZ-", &utc);
  return text.data() + digest.substr(0, 8);
}

// Its time in seconds since the epoch; nothing if it is not the name of a run.
[[nodiscard]] inline std::optional<std::int64_t> time_of_run(const std::string& name) {
  struct tm utc = {};
  const char* const rest = ::strptime(name.c_str(), "%Y-%m-%dT%H%M%SZ-", &utc);
  constexpr std::size_t kDigits = 8;
  if (rest == nullptr || std::string(rest).size() != kDigits) return std::nullopt;
  return static_cast<std::int64_t>(::timegm(&utc));
}

}  // namespace fathom::act
