// Moments and ages: parsing them, and resolving local times.

#include "fathom/base/moment.h"

#include <charconv>
#include <cstdint>
#include <ctime>
#include <limits>

#include "fathom/base/local_time.h"

namespace fathom::base {

namespace {

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
  if (const auto date = parse_local_date(text)) {
    return Moment{.form = Form::local, .value = date->seconds};
  }
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

}  // namespace fathom::base
