#include "term/progress_line.h"

#include <unistd.h>

#include <algorithm>

#include "message.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

constexpr double kPatience = 0.5;  // seconds in which a scan needs no progress line
constexpr double kRedraw = 0.1;
constexpr double kNextLine = 1.0;
constexpr unsigned kShortestDirectory = 12;  // columns; less says nothing

constexpr std::string_view kStartOfLine = "\r";
constexpr std::string_view kEraseToEnd = "\x1b[K";

}  // namespace

std::string progress_text(const ProgressFigures& figures, base::Units units, unsigned columns,
                          bool unicode) {
  std::string text = grouped(figures.entries) + " entries";
  // The less important parts give way first: a line that wraps cannot be redrawn.
  const auto add = [&](const std::string& part) {
    if (text.size() + 2 + part.size() <= columns) text += "  " + part;
  };
  add(base::format_bytes(figures.disk_bytes, units));
  if (figures.seconds > 0) {
    const double rate = static_cast<double>(figures.entries) / figures.seconds;
    add(grouped(static_cast<std::uint64_t>(rate)) + "/s");
  }
  if (!figures.directory.empty() && text.size() + 2 + kShortestDirectory <= columns) {
    const auto room = columns - static_cast<unsigned>(text.size()) - 2;
    text += "  " + Label(figures.directory).fitted(room, unicode ? "\u2026" : "...");
  }
  return text;
}

ProgressLine::ProgressLine(When when, base::Units units) : units_(units) {
  const bool redrawn = can_redraw(STDERR_FILENO);
  mode_ = when == When::never    ? Mode::none
          : redrawn              ? Mode::redrawn
          : when == When::always ? Mode::lines
                                 : Mode::none;
  next_seconds_ = when == When::always ? 0 : kPatience;
}

void ProgressLine::show(const ProgressFigures& figures) {
  if (mode_ == Mode::none || figures.seconds < next_seconds_) return;
  next_seconds_ = figures.seconds + (mode_ == Mode::redrawn ? kRedraw * 0.9 : kNextLine);
  const Terminal terminal = terminal_of(STDERR_FILENO, When::never);
  if (mode_ == Mode::lines) {
    const std::string text = progress_text(figures, units_, terminal.width, terminal.unicode);
    write_fully(STDERR_FILENO, text + '\n');
    return;
  }
  // One column stays free: some terminals wrap when the last one is written.
  std::string line(kStartOfLine);
  line += progress_text(figures, units_, terminal.width - 1, terminal.unicode);
  line += kEraseToEnd;
  write_fully(STDERR_FILENO, line);
  drawn_ = true;
}

void ProgressLine::clear() {
  if (!drawn_) return;
  drawn_ = false;
  std::string line(kStartOfLine);
  line += kEraseToEnd;
  write_fully(STDERR_FILENO, line);
}

}  // namespace fathom::cli
