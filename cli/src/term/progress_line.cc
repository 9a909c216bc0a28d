// ProgressLine: drawing, redrawing and clearing the progress line.

#include "term/progress_line.h"

#include <unistd.h>

#include <chrono>

#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds kFirstShownAfter{500};  // a shorter scan needs no progress line
constexpr milliseconds kRedraw{100};
constexpr milliseconds kNextLine{1000};
constexpr unsigned kShortestDirectory = 12;  // columns; a shorter path is not useful

constexpr std::string_view kStartOfLine = "\r";
constexpr std::string_view kEraseToEnd = "\x1b[K";

rt::TickGrid due_from(nanoseconds first, nanoseconds period) {
  return {first - period, period};
}

}  // namespace

std::string progress_text(const ProgressFigures& figures, base::Units units, unsigned columns,
                          bool unicode) {
  std::string text = grouped(figures.entries) + " entries";
  // Drops the less important parts first if there is no room: a wrapped line cannot be redrawn.
  const auto add = [&](const std::string& part) {
    if (text.size() + 2 + part.size() <= columns) text += "  " + part;
  };
  add(base::format_bytes(figures.disk_bytes, units));
  if (figures.seconds > 0) add(rate_of(figures.entries, figures.seconds));
  if (!figures.directory.empty() && text.size() + 2 + kShortestDirectory <= columns) {
    const auto room = columns - static_cast<unsigned>(text.size()) - 2;
    text += "  " + Label(figures.directory, unicode).fitted(room, unicode ? "\u2026" : "...");
  }
  return text;
}

ProgressLine::Mode ProgressLine::mode_for(When when) {
  if (when == When::never) return Mode::none;
  if (can_redraw(STDERR_FILENO)) return Mode::redrawn;
  return when == When::always ? Mode::lines : Mode::none;
}

ProgressLine::ProgressLine(When when, base::Units units)
    : mode_(mode_for(when)),
      units_(units),
      due_(due_from(when == When::always ? milliseconds(0) : kFirstShownAfter,
                    mode_ == Mode::redrawn ? kRedraw : kNextLine)) {}

void ProgressLine::show(const ProgressFigures& figures) {
  show(figures.seconds, [&](unsigned columns, bool unicode) {
    return progress_text(figures, units_, columns, unicode);
  });
}

void ProgressLine::tell(const ProgressFigures& figures) {
  tell([&](unsigned columns, bool unicode) {
    return progress_text(figures, units_, columns, unicode);
  });
}

void ProgressLine::show(double seconds, const Text& text) {
  const std::chrono::duration<double> now(seconds);
  if (mode_ == Mode::none || !due_.due(duration_cast<nanoseconds>(now))) return;
  if (mode_ == Mode::lines) return tell(text);
  const Terminal terminal = terminal_of(STDERR_FILENO, When::never);
  // Leaves the last column free, because some terminals wrap when it is written.
  std::string line(kStartOfLine);
  line += text(terminal.width - 1, terminal.unicode);
  line += kEraseToEnd;
  write_fully(STDERR_FILENO, line);
  drawn_ = true;
}

void ProgressLine::tell(const Text& text) {
  clear();
  const Terminal terminal = terminal_of(STDERR_FILENO, When::never);
  write_fully(STDERR_FILENO, text(terminal.width, terminal.unicode) + '\n');
}

void ProgressLine::clear() {
  if (!drawn_) return;
  drawn_ = false;
  std::string line(kStartOfLine);
  line += kEraseToEnd;
  write_fully(STDERR_FILENO, line);
}

}  // namespace fathom::cli
