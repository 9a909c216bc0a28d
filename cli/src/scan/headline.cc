// Headline: formatting the totals of a scan.

#include "scan/headline.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scan/missing_roots.h"
#include "term/number.h"
#include "term/paint.h"

namespace fathom::cli {

namespace {

// "entries: 2 files, 1 directory", wrapped at the width; following lines are indented by the
// margin.
std::string kinds(const fs::Counts& counts, std::size_t margin, std::size_t columns) {
  std::string text = counts.entries() == 1 ? "entry:" : "entries:";
  std::size_t used = margin + text.size();
  bool first = true;
  const auto add = [&](std::uint64_t number, std::string_view one, std::string_view many) {
    if (number == 0) return;
    if (!first) {
      text += ',';
      ++used;
    }
    const std::string part = counted(number, one, many);
    if (used + 1 + part.size() + 1 > columns) {  // including the comma
      text += '\n' + std::string(margin, ' ');
      used = margin;
    } else {
      text += ' ';
      ++used;
    }
    text += part;
    used += part.size();
    first = false;
  };
  add(counts.files, "file", "files");
  add(counts.dirs, "directory", "directories");
  add(counts.symlinks, "symlink", "symlinks");
  add(counts.others, "other", "others");
  return text;
}

}  // namespace

std::string headline(const fs::Scan& scan, const fs::Totals& totals, const View& view) {
  const fs::Counts& whole = totals.whole();
  const bool bound = scan.cancelled || unread_entries(scan) != 0;
  const std::string disk = base::format_bytes(whole.disk_bytes, view.units);
  const std::string entries = grouped(whole.entries());
  const std::string time = duration(scan.seconds);
  const std::size_t widest = std::max({disk.size(), entries.size(), time.size()});
  const std::size_t margin = 2 + (bound ? 1 : 0) + widest + 2;
  struct Line {
    std::string figure;
    std::string meaning;
  };
  const Paint paint(view.terminal.color);
  const std::string mark = bound ? paint(Tone::warning, view.lower_bound_mark()) : "";
  const std::string apparent = mark + base::format_bytes(whole.apparent_bytes, view.units);
  const Line lines[] = {
      {disk, "on disk, " + apparent + " apparent"},
      {entries, kinds(whole, margin, view.terminal.width)},
      {time, rate_of(whole.entries(), scan.seconds)},
  };
  std::string text;
  for (const Line& line : lines) {
    const std::string_view gap = bound ? " " : "";
    text += "  " + (&line == lines ? mark : std::string(gap));
    text += paint(Tone::strong, right(line.figure, widest)) + "  " + line.meaning + '\n';
  }
  return text;
}

std::string plain_headline(const fs::Scan& scan, const fs::Totals& totals, const View& view) {
  const fs::Counts& whole = totals.whole();
  const bool bound = scan.cancelled || unread_entries(scan) != 0;
  const std::string mark = bound ? "at least " : "";
  std::string text = "On disk: " + mark + base::format_bytes(whole.disk_bytes, view.units) + '\n';
  text += "Apparent size: " + mark + base::format_bytes(whole.apparent_bytes, view.units) + '\n';
  const auto add = [&](std::string_view name, std::uint64_t number) {
    text += std::string(name) + ": " + mark + grouped(number) + '\n';
  };
  add("Entries", whole.entries());
  add("Files", whole.files);
  add("Directories", whole.dirs);
  add("Symbolic links", whole.symlinks);
  add("Others", whole.others);
  return text + "Time: " + duration(scan.seconds) + '\n';
}

}  // namespace fathom::cli
