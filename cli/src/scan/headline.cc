#include "scan/headline.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "term/number.h"
#include "term/paint.h"

namespace fathom::cli {

namespace {

// "entries: 2 files, 1 directory", as many kinds as fit in the line.
std::string kinds(const fs::Counts& counts, unsigned columns) {
  constexpr unsigned kIndent = 16;
  std::string text = counts.entries() == 1 ? "entry" : "entries";
  std::string separator = ": ";
  const auto add = [&](std::uint64_t number, std::string_view one, std::string_view many) {
    const std::string part = separator + counted(number, one, many);
    if (number == 0 || kIndent + text.size() + part.size() > columns) return;
    text += part;
    separator = ", ";
  };
  add(counts.files, "file", "files");
  add(counts.dirs, "directory", "directories");
  add(counts.symlinks, "symlink", "symlinks");
  add(counts.others, "other", "others");
  return text;
}

}  // namespace

std::string headline(const fs::Scan& scan, const fs::Totals& totals, const View& view) {
  struct Line {
    std::string figure;
    std::string meaning;
  };
  const Paint paint(view.terminal.color);
  const fs::Counts& whole = totals.whole();
  const bool bound = !scan.complete();
  const std::string mark = bound ? paint(Tone::warning, view.lower_bound_mark()) : "";
  const std::string apparent = mark + base::format_bytes(whole.apparent_bytes, view.units);
  const Line lines[] = {
      {base::format_bytes(whole.disk_bytes, view.units), "on disk, " + apparent + " apparent"},
      {grouped(whole.entries()), kinds(whole, view.terminal.width)},
      {duration(scan.seconds), rate_of(whole.entries(), scan.seconds)},
  };
  std::size_t widest = 0;
  for (const Line& line : lines) widest = std::max(widest, line.figure.size());
  std::string text;
  for (const Line& line : lines) {
    const std::string_view gap = bound ? " " : "";
    text += "  " + (&line == lines ? mark : std::string(gap));
    text += paint(Tone::strong, right(line.figure, widest)) + "  " + line.meaning + '\n';
  }
  return text;
}

}  // namespace fathom::cli
