// ReportTable: rows with a share of everything.

#include "screen/report_table.h"

#include <algorithm>
#include <string_view>

#include "fathom/text/bar.h"
#include "fathom/text/number.h"
#include "screen/words.h"

namespace fathom::tui {

namespace {

constexpr unsigned kReportSigns = 4;
constexpr unsigned kBar = 10;

bool shows_columns(const Area& area) {
  return area.width >= kWidthForColumns;
}

unsigned label_x(const Area& area) {
  return kReportSigns + 10 + (shows_columns(area) ? 5 + kBar + 1 + 13 : 0);
}

std::string_view title_of(View view) {
  switch (view) {
    case View::types:
      return "Extension";
    case View::ages:
      return "Modified ago";
    default:
      return "Owner";
  }
}

void draw_headings(const State& state, const Area& area, Grid& grid) {
  const Style style{.tone = Tone::strong};
  const unsigned x = area.x + kReportSigns;
  grid.put(x, area.y, text::right("Size", 8), style);
  if (shows_columns(area)) {
    grid.put(x + 10, area.y, "Share", style);
    grid.put(x + 10 + 5 + kBar + 1, area.y,
             text::right(state.view == View::types ? "Files" : "Entries", 11), style);
  }
  grid.put(area.x + label_x(area), area.y, title_of(state.view), style);
}

// Users and groups are two lists that each add up to everything, and so is every other report.
std::uint64_t sum_of(const State& state, const std::vector<ReportRow>& rows) {
  std::uint64_t sum = 0;
  for (const ReportRow& row : rows) {
    if (state.view == View::owners && row.query.kind == Query::Kind::group) continue;
    sum = std::max(sum, sum + row.bytes);
  }
  return sum;
}

}  // namespace

void draw_report(const State& state, const Area& area, Grid& grid) {
  draw_headings(state, area, grid);
  const std::vector<ReportRow>* const rows = report_of(state);
  if (rows == nullptr || rows->empty()) {
    const std::string_view nothing = state.report_text.empty() ? "(nothing)" : "(nothing matches)";
    grid.put(area.x + kReportSigns, area.y + 1, rows == nullptr ? "(counting)" : nothing);
    return;
  }
  const std::uint64_t whole = sum_of(state, *whole_report_of(state));
  std::uint64_t most = 1;
  for (const ReportRow& row : *rows) most = std::max(most, row.bytes);
  for (unsigned i = 0; i + 1 < area.height; ++i) {
    const std::size_t index = state.cursor().top + i;
    if (index >= rows->size()) break;
    const ReportRow& row = (*rows)[index];
    const unsigned y = area.y + 1 + i;
    const unsigned x = area.x + kReportSigns;
    const bool selected = index == state.cursor().at;
    grid.put(area.x, y, selected ? ">" : " ");
    grid.put(x, y, text::right(bytes_text(state, row.bytes), 8));
    if (shows_columns(area)) {
      grid.put(x + 10, y, text::right(text::percent(row.bytes, whole), 4));
      grid.put(x + 15, y, text::bar(row.bytes, most, kBar, state.settings.unicode),
               {.tone = Tone::bar});
      grid.put(x + 15 + kBar + 1, y, text::right(text::grouped(row.entries), 11));
    }
    const unsigned label = label_x(area);
    grid.put(area.x + label, y, fitted(state, row.label, area.width - label));
    if (!selected) continue;
    grid.set_reverse(area.x, y, area.width);
    grid.cursor_x = area.x;
    grid.cursor_y = y;
  }
}

}  // namespace fathom::tui
