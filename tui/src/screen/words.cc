// Words: formats of the screens.

#include "screen/words.h"

#include <algorithm>
#include <array>
#include <ctime>

#include "fathom/base/path.h"
#include "fathom/text/label.h"
#include "fathom/text/number.h"
#include "fathom/text/pieces.h"

namespace fathom::tui {

namespace {

std::string formatted(std::int64_t time, const char* format) {
  const std::time_t moment = time;
  std::tm parts{};
  if (::localtime_r(&moment, &parts) == nullptr) return "@" + std::to_string(time);
  std::array<char, 64> written{};
  const std::size_t length = ::strftime(written.data(), written.size(), format, &parts);
  return {written.data(), length};
}

}  // namespace

std::string bytes_text(const State& state, std::uint64_t bytes) {
  return base::format_bytes(bytes, state.settings.units);
}

std::string date_text(std::int64_t time, std::int64_t now) {
  if (time == fs::kUnknownTime) return "-";
  const std::string date = formatted(time, "%Y-%m-%d");
  if (date == formatted(now, "%Y-%m-%d")) return "today";
  return date.size() > 10 ? date.substr(0, 9) + "+" : date;
}

std::uint64_t days_between(std::int64_t time, std::int64_t now) {
  constexpr std::uint64_t kDay = 24 * 60 * 60;
  if (time > now) return 0;
  return (static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(time)) / kDay;
}

std::string moment_text(std::int64_t time, std::int64_t now) {
  if (time == fs::kUnknownTime) return "unknown";
  std::string text = formatted(time, "%Y-%m-%d %H:%M:%S");
  if (time > now) return text + " (in the future)";
  const std::uint64_t days = days_between(time, now);
  return days == 0 ? text : text + " (" + text::counted(days, "day", "days") + " ago)";
}

std::string fitted(const State& state, std::string_view name, unsigned columns) {
  const std::string_view ellipsis = state.settings.unicode ? "\u2026" : "..";
  return text::Label(name, state.settings.unicode).fitted(columns, ellipsis);
}

std::size_t first_line(std::string_view text, unsigned columns) {
  std::size_t end = 0;
  unsigned used = 0;
  for (text::Pieces rest(text); const auto piece = rest.next();) {
    used += piece->width;
    if (used > columns) return std::min(text.rfind(' ', end), end);
    end += piece->bytes.size();
  }
  return end;
}

std::vector<std::string> text_lines(std::string text, unsigned columns) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = first_line(text, columns);
    lines.push_back(text.substr(0, end));
    text.erase(0, text.find_first_not_of(' ', end));
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

std::string cut_off(const State& state, std::string_view text, unsigned columns) {
  if (columns_of(text) <= columns) return std::string(text);
  const std::string_view ellipsis = state.settings.unicode ? "\u2026" : "..";
  std::string cut;
  unsigned used = columns_of(ellipsis);
  for (text::Pieces rest(text); const auto piece = rest.next();) {
    used += piece->width;
    if (used > columns) break;
    cut += piece->bytes;
  }
  return cut.append(ellipsis);
}

std::string short_path(const State& state, const std::string& path) {
  const std::string& home = state.settings.home;
  const bool at_home = home.size() > 1 && base::is_at_or_below(path, home);
  return at_home ? "~" + path.substr(home.size()) : path;
}

Tone tone_of(fs::Kind kind) {
  switch (kind) {
    case fs::Kind::directory:
      return Tone::directory;
    case fs::Kind::symlink:
      return Tone::symlink;
    case fs::Kind::other:
      return Tone::other;
    case fs::Kind::file:
      break;
  }
  return Tone::plain;
}

const Frames& frames_of(const State& state) {
  static constexpr Frames kLines = {"─", "│", "┌", "┐", "└", "┘"};
  static constexpr Frames kAscii = {"-", "|", "+", "+", "+", "+"};
  return state.settings.unicode ? kLines : kAscii;
}

std::string_view at_least(const State& state) {
  return state.settings.unicode ? "\u2265 " : ">= ";
}

unsigned columns_of(std::string_view text) {
  unsigned columns = 0;
  for (text::Pieces rest(text); const auto piece = rest.next();) columns += piece->width;
  return columns;
}

}  // namespace fathom::tui
