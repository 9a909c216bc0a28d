// Interval: the texts of its ends.

#include "view/interval.h"

#include "fathom/base/bytes.h"
#include "fathom/base/clock.h"
#include "view/cell_text.h"

namespace fathom::cli {

std::string minute_text(std::int64_t seconds) {
  return cell_text(seconds, fs::CellType::time, base::Units::iec, false);
}

std::string day_text(std::int64_t seconds) {
  const std::string text = minute_text(seconds);
  return text.substr(0, text.find(' '));
}

std::string interval_text(std::int64_t started_ns, std::int64_t ended_ns) {
  const std::int64_t started = base::whole_seconds(started_ns);
  const std::int64_t ended = base::whole_seconds(ended_ns);
  std::string begin = minute_text(started);
  const std::string end = minute_text(ended);
  if (begin == end) return begin;
  const bool same_day = day_text(started) == day_text(ended);
  return begin + " to " + (same_day ? end.substr(end.find(' ') + 1) : end);
}

}  // namespace fathom::cli
