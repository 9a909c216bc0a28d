// Words: numbers, dates and names as screens show them.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "grid/grid.h"
#include "model/state.h"

namespace fathom::tui {

[[nodiscard]] std::string bytes_text(const State& state, std::uint64_t bytes);

// A date; "today" for that of the scan, and "-" if it is unknown.
[[nodiscard]] std::string date_text(std::int64_t time, std::int64_t now);

// Whole days; 0 if the time is in the future.
[[nodiscard]] std::uint64_t days_between(std::int64_t time, std::int64_t now);

// A date with the time of day, and how long ago that was.
[[nodiscard]] std::string moment_text(std::int64_t time, std::int64_t now);

// The name, printable and at most that many columns wide.
[[nodiscard]] std::string fitted(const State& state, std::string_view name, unsigned columns);

// The length of as much of a printable text as fits: up to a blank, unless there is none.
[[nodiscard]] std::size_t first_line(std::string_view text, unsigned columns);

// A printable text in lines that fit, at least one.
[[nodiscard]] std::vector<std::string> text_lines(std::string text, unsigned columns);

// A printable text, cut at its end if it is too wide.
[[nodiscard]] std::string cut_off(const State& state, std::string_view text, unsigned columns);

// The path without that of the scan, or with ~ for the home directory.
[[nodiscard]] std::string short_path(const State& state, const std::string& path);

[[nodiscard]] Tone tone_of(fs::Kind kind);

// A minus sign, a bar and corners of frames.
struct Frames {
  std::string_view across;
  std::string_view down;
  std::string_view top_left;
  std::string_view top_right;
  std::string_view bottom_left;
  std::string_view bottom_right;
};
[[nodiscard]] const Frames& frames_of(const State& state);

// The sign of a lower bound: at least.
[[nodiscard]] std::string_view at_least(const State& state);

// The columns that the text takes, which is printable.
[[nodiscard]] unsigned columns_of(std::string_view text);

}  // namespace fathom::tui
