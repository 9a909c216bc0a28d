// ProgressLine: one line on standard error with the progress of a long scan.
//
// On a terminal it appears after half a second, and is redrawn in place and fitted to the width
// until it is cleared. Elsewhere, if requested, it is one plain line per second.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "fathom/base/bytes.h"
#include "fathom/rt/ticker.h"
#include "term/terminal.h"

namespace fathom::cli {

struct ProgressFigures {
  std::uint64_t entries = 0;
  std::uint64_t disk_bytes = 0;
  double seconds = 0;
  std::string_view directory;  // being read
};

// The text of the line, without control sequences, at most that many columns wide.
[[nodiscard]] std::string progress_text(const ProgressFigures& figures, base::Units units,
                                        unsigned columns, bool unicode);

class ProgressLine {
 public:
  ProgressLine(When when, base::Units units);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  [[nodiscard]] bool wanted() const { return mode_ != Mode::none; }
  void show(const ProgressFigures& figures);
  // Prints one plain line immediately, even if the line is disabled: the user requested it.
  void tell(const ProgressFigures& figures);
  void clear();

  // The same for other work; seconds is the time since it began.
  using Text = std::function<std::string(unsigned columns, bool unicode)>;
  void show(double seconds, const Text& text);
  void tell(const Text& text);

 private:
  enum class Mode { none, redrawn, lines };

  static Mode mode_for(When when);

  Mode mode_;
  base::Units units_;
  rt::TickGrid due_;    // relative to the start of the scan
  bool drawn_ = false;  // a line is on the terminal
};

}  // namespace fathom::cli
