// Moments: parsing ages, dates and seconds since the epoch.

#include "select/moment.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <limits>

#include "select/age.h"

namespace fathom::cli {

namespace {

constexpr std::string_view kDate = "YYYY-MM-DD";
constexpr std::string_view kMinute = "YYYY-MM-DDTHH:MM";
constexpr std::string_view kSecond = "YYYY-MM-DDTHH:MM:SS";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Whether the text matches the form: "-" and ":" stand for themselves, "T" for itself or a space
// (as ls and date print it), and every other letter for a digit.
bool has_form(std::string_view text, std::string_view form) {
  return std::equal(text.begin(), text.end(), form.begin(), form.end(), [](char c, char wanted) {
    if (wanted == 'T') return c == 'T' || c == ' ';
    const bool sign = wanted == '-' || wanted == ':';
    return sign ? c == wanted : is_digit(c);
  });
}

int number(std::string_view digits) {
  int value = 0;
  for (const char digit : digits) value = value * 10 + (digit - '0');
  return value;
}

bool is_on_a_calendar(const std::tm& when) {
  const std::chrono::year_month_day day(std::chrono::year(when.tm_year + 1900),
                                        std::chrono::month(static_cast<unsigned>(when.tm_mon) + 1),
                                        std::chrono::day(static_cast<unsigned>(when.tm_mday)));
  return day.ok() && when.tm_year + 1900 > 0 && when.tm_hour < 24 && when.tm_min < 60 &&
         when.tm_sec < 60;
}

std::optional<std::int64_t> parse_date(std::string_view text) {
  const bool with_second = has_form(text, kSecond);
  const bool with_minute = with_second || has_form(text, kMinute);
  if (!with_minute && !has_form(text, kDate)) return std::nullopt;
  std::tm when{};
  when.tm_year = number(text.substr(0, 4)) - 1900;
  when.tm_mon = number(text.substr(5, 2)) - 1;
  when.tm_mday = number(text.substr(8, 2));
  if (with_minute) {
    when.tm_hour = number(text.substr(11, 2));
    when.tm_min = number(text.substr(14, 2));
  }
  if (with_second) when.tm_sec = number(text.substr(17, 2));
  if (when.tm_mon < 0 || !is_on_a_calendar(when)) return std::nullopt;
  when.tm_isdst = -1;  // mktime() determines it
  when.tm_wday = -1;   // stays -1 only on failure; the result -1 is also a valid time
  const std::time_t at = std::mktime(&when);
  if (at == -1 && when.tm_wday == -1) return std::nullopt;
  return std::int64_t{at};
}

// "@1767225600", as in date and find.
std::optional<std::int64_t> parse_second(std::string_view text) {
  if (!text.starts_with('@')) return std::nullopt;
  text.remove_prefix(1);
  std::int64_t second = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, second);
  if (error != std::errc() || stop != end) return std::nullopt;
  return second;
}

}  // namespace

std::int64_t Moment::before(std::int64_t now) const {
  if (ago.count() == 0) return at;
  std::int64_t then = 0;
  if (!__builtin_sub_overflow(now, std::int64_t{ago.count()}, &then)) return then;
  return std::numeric_limits<std::int64_t>::min();
}

std::optional<Moment> parse_moment(std::string_view text) {
  if (const auto age = parse_age(text)) return Moment{.ago = *age, .at = 0};
  if (const auto at = parse_second(text)) return Moment{.ago = {}, .at = *at};
  if (const auto at = parse_date(text)) return Moment{.ago = {}, .at = *at};
  return std::nullopt;
}

}  // namespace fathom::cli
