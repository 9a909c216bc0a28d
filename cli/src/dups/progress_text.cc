// ProgressText: formats the progress of a comparison, with the estimated time left.

#include "dups/progress_text.h"

#include <algorithm>
#include <cmath>

#include "term/bar.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

constexpr double kSettled = 1;  // seconds after which the rate is meaningful

// In whole units, because the estimate is not more precise.
std::string about(double seconds) {
  constexpr double kMany = 100;
  constexpr double kMost = 1e6;  // hours; larger estimates are clamped
  if (seconds < kMany) return std::to_string(std::lround(seconds)) + " s";
  if (seconds / 60 < kMany) return std::to_string(std::lround(seconds / 60)) + " min";
  return std::to_string(std::lround(std::min(seconds / 3600, kMost))) + " h";
}

// Empty if there is no rate yet.
std::string time_left(const fs::DuplicateProgress& known) {
  if (known.seconds < kSettled || known.bytes == 0 || known.bytes >= known.bytes_total) return "";
  const auto rest = static_cast<double>(known.bytes_total - known.bytes);
  return about(rest / static_cast<double>(known.bytes) * known.seconds) + " left";
}

}  // namespace

std::string progress_text(const fs::DuplicateProgress& known, base::Units units, unsigned columns) {
  std::string text = "comparing " + percent(known.bytes, known.bytes_total);
  // Drops the less important parts first if there is no room: a wrapped line cannot be redrawn.
  const auto add = [&](const std::string& part) {
    if (!part.empty() && text.size() + 2 + part.size() <= columns) text += "  " + part;
  };
  add(base::format_bytes(known.bytes, units) + " of " +
      base::format_bytes(known.bytes_total, units));
  add(time_left(known));
  add(grouped(known.files) + " of " + counted(known.files_total, "file", "files"));
  if (known.groups != 0) {
    add(counted(known.groups, "group", "groups") + ", " +
        base::format_bytes(known.wasted_bytes, units) + " wasted");
  }
  return text;
}

}  // namespace fathom::cli
