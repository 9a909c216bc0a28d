// Local time: parsing dates, and asking the time zone.

#include "fathom/base/local_time.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>

namespace fathom::base {

namespace {

constexpr std::string_view kDate = "YYYY-MM-DD";
constexpr std::string_view kMinute = "YYYY-MM-DDTHH:MM";
constexpr std::string_view kSecond = "YYYY-MM-DDTHH:MM:SS";
constexpr std::int64_t kMinuteSeconds = 60;
constexpr std::int64_t kDaySeconds = 24LL * 60 * 60;

// Whether the text matches the form: "-" and ":" stand for themselves, "T" for itself or a space
// (as ls and date print it), and every other letter for a digit.
bool has_form(std::string_view text, std::string_view form) {
  return std::equal(text.begin(), text.end(), form.begin(), form.end(), [](char c, char wanted) {
    if (wanted == 'T') return c == 'T' || c == ' ';
    const bool sign = wanted == '-' || wanted == ':';
    return sign ? c == wanted : c >= '0' && c <= '9';
  });
}

int number_of(std::string_view digits) {
  int value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  return value;
}

// How far local time is ahead of UTC, in seconds.
std::int64_t offset_at(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm here{};
  return ::localtime_r(&time, &here) == nullptr ? 0 : here.tm_gmtoff;
}

}  // namespace

std::optional<LocalDate> parse_local_date(std::string_view text) {
  const bool with_second = has_form(text, kSecond);
  const bool with_minute = with_second || has_form(text, kMinute);
  if (!with_minute && !has_form(text, kDate)) return std::nullopt;
  const std::chrono::year_month_day date(
      std::chrono::year(number_of(text.substr(0, 4))),
      std::chrono::month(static_cast<unsigned>(number_of(text.substr(5, 2)))),
      std::chrono::day(static_cast<unsigned>(number_of(text.substr(8, 2)))));
  const int hour = with_minute ? number_of(text.substr(11, 2)) : 0;
  const int minute = with_minute ? number_of(text.substr(14, 2)) : 0;
  const int second = with_second ? number_of(text.substr(17, 2)) : 0;
  if (!date.ok() || date.year() < std::chrono::year(1)) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return LocalDate{.seconds = ((days * 24 + hour) * 60 + minute) * 60 + second,
                   .length = with_second   ? 1
                             : with_minute ? kMinuteSeconds
                                           : kDaySeconds};
}

// mktime() is not used: which of two possible moments it finds depends on earlier calls.
std::int64_t from_local(std::int64_t local) {
  ::tzset();
  // A local time is less than a day from the same time in UTC, so a change of the clock that
  // concerns it is between these two.
  const std::int64_t before = offset_at(local - kDaySeconds);
  const std::int64_t after = offset_at(local + kDaySeconds);
  for (const std::int64_t offset : {before, after}) {  // of a repeated time, both are right
    if (offset_at(local - offset) == offset) return local - offset;
  }
  return local - before;  // skipped
}

std::string to_local_minute(std::int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm here{};
  std::array<char, 64> text;
  if (::localtime_r(&time, &here) == nullptr) return std::to_string(seconds);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &here)};
}

}  // namespace fathom::base
