// Moments and ages: parsing them, and resolving local times.

#include "flags/moment.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <limits>

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

// Local time, as if it were UTC.
std::optional<std::int64_t> parse_date(std::string_view text) {
  const bool with_second = has_form(text, kSecond);
  const bool with_minute = with_second || has_form(text, kMinute);
  if (!with_minute && !has_form(text, kDate)) return std::nullopt;
  const std::chrono::year_month_day date(
      std::chrono::year(number(text.substr(0, 4))),
      std::chrono::month(static_cast<unsigned>(number(text.substr(5, 2)))),
      std::chrono::day(static_cast<unsigned>(number(text.substr(8, 2)))));
  const int hour = with_minute ? number(text.substr(11, 2)) : 0;
  const int minute = with_minute ? number(text.substr(14, 2)) : 0;
  const int second = with_second ? number(text.substr(17, 2)) : 0;
  if (!date.ok() || date.year() < std::chrono::year(1)) return std::nullopt;
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

// Of a time that the clock of the time zone skips or repeats, one of the possible moments.
std::int64_t from_local(std::int64_t local) {
  const auto time = static_cast<std::time_t>(local);
  std::tm when{};
  ::gmtime_r(&time, &when);
  when.tm_isdst = -1;  // mktime() determines it
  return std::mktime(&when);
}

std::int64_t seconds_before(std::int64_t now, std::int64_t seconds) {
  std::int64_t then = 0;
  if (!__builtin_sub_overflow(now, seconds, &then)) return then;
  return std::numeric_limits<std::int64_t>::min();
}

// A saved scan may name any second as its time, even one beyond the years that std::chrono knows.
std::int64_t start_of_day(std::int64_t now, std::int64_t days) {
  constexpr std::int64_t kDay = 24LL * 60 * 60;
  const auto time = static_cast<std::time_t>(now);
  std::tm here{};
  const bool known = ::localtime_r(&time, &here) != nullptr;
  if (!known || here.tm_year < -1900 || here.tm_year > 9999) {
    return seconds_before(now, days * kDay);
  }
  const std::chrono::year_month_day date(std::chrono::year(here.tm_year + 1900),
                                         std::chrono::month(static_cast<unsigned>(here.tm_mon + 1)),
                                         std::chrono::day(static_cast<unsigned>(here.tm_mday)));
  return from_local((std::chrono::sys_days(date).time_since_epoch().count() - days) * kDay);
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
  switch (form) {
    case Form::age:
      return seconds_before(now, value);
    case Form::day:
      return start_of_day(now, value);
    case Form::local:
      return from_local(value);
    case Form::second:
      break;
  }
  return value;
}

std::optional<Moment> parse_moment(std::string_view text) {
  using Form = Moment::Form;
  if (text == "today") return Moment{.form = Form::day, .value = 0};
  if (text == "yesterday") return Moment{.form = Form::day, .value = 1};
  if (const auto age = parse_age(text)) return Moment{.form = Form::age, .value = age->count()};
  if (const auto at = parse_second(text)) return Moment{.form = Form::second, .value = *at};
  if (const auto at = parse_date(text)) return Moment{.form = Form::local, .value = *at};
  return std::nullopt;
}

// ---- Ages

namespace {

constexpr std::int64_t kMost = 1000LL * 366 * 24 * 60 * 60;

std::int64_t seconds_of(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 60LL * 60;
    case 'd':
      return 24LL * 60 * 60;
    case 'w':
      return 7LL * 24 * 60 * 60;
    default:
      return 0;
  }
}

}  // namespace

std::optional<std::chrono::seconds> parse_age(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const std::int64_t unit = seconds_of(text.back());
  if (unit == 0) return std::nullopt;
  text.remove_suffix(1);
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || number < 1 || number > kMost / unit) {
    return std::nullopt;
  }
  return std::chrono::seconds(number * unit);
}

}  // namespace fathom::cli
