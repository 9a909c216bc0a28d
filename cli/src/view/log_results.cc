// LogResults: the columns.

#include "view/log_results.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/base/clock.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/csv.h"
#include "fathom/fs/table.h"
#include "view/one_table.h"
#include "view/view.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kIdDigits = 8;

// "+1.2 GiB"
std::string with_sign(std::int64_t change, base::Units units) {
  if (change == 0) return "0";
  return (change < 0 ? "-" : "+") + base::format_bytes(base::magnitude(change), units);
}

std::string joined(const std::vector<std::string>& roots) {
  std::string text;
  for (const std::string& root : roots) text += (text.empty() ? "" : ",") + root;
  return text;
}

fs::Cell text_cell(const std::string& text) {
  return text.empty() ? fs::Cell() : fs::Cell(text);
}

// The columns that a terminal has room for.
fs::Table short_log(std::span<const store::LogRow> rows, base::Units units) {
  using fs::CellType;
  std::vector<fs::Column> columns = {{"id", "Id", CellType::text},
                                     {"ended", "Time", CellType::time, 1},
                                     {"entries", "Entries", CellType::count, 5},
                                     {"disk_bytes", "Disk usage", CellType::bytes, 2},
                                     {"change", "Change", CellType::number, 3},
                                     {"lower_bound", "", CellType::bound},
                                     {"roots", "Paths", CellType::path}};
  const bool tagged = std::any_of(rows.begin(), rows.end(), [](const store::LogRow& row) {
    return !row.snapshot->meta.tag.empty();
  });
  if (tagged) columns.insert(columns.end() - 1, {"tag", "Tag", CellType::text, 4});
  std::set<std::string_view> hosts;
  for (const store::LogRow& row : rows) hosts.insert(row.snapshot->meta.host);
  hosts.erase("");  // of imports
  const bool of_hosts = hosts.size() > 1;
  if (of_hosts) columns.insert(columns.end() - 1, {"host", "Host", CellType::text, 3});
  return {{.key = "log", .title = "Snapshots"},
          std::move(columns),
          rows.size(),
          [rows, units, tagged, of_hosts](std::size_t row, std::vector<fs::Cell>& cells) {
            const store::SnapshotMeta& meta = rows[row].snapshot->meta;
            fs::Cell change;
            if (const auto bytes = rows[row].change_of(&fs::Counts::disk_bytes)) {
              change = with_sign(*bytes, units);
            }
            fs::add_cells(cells, meta.id.substr(0, kIdDigits), base::whole_seconds(meta.ended_ns),
                          meta.totals.entries(), meta.totals.disk_bytes, std::move(change),
                          !meta.complete());
            if (tagged) cells.push_back(text_cell(meta.tag));
            if (of_hosts) cells.push_back(text_cell(meta.host));
            cells.emplace_back(joined(meta.roots));
          }};
}

// All columns, for programs.
fs::Table full_log(std::span<const store::LogRow> rows) {
  using fs::CellType;
  return {{.key = "log", .title = "Snapshots"},
          {{"id", "Id", CellType::text},
           {"name", "Name", CellType::text},
           {"started", "Started", CellType::time},
           {"ended", "Ended", CellType::time},
           {"entries", "Entries", CellType::count},
           {"disk_bytes", "Disk usage", CellType::bytes},
           {"apparent_bytes", "Apparent size", CellType::bytes},
           {"disk_bytes_change", "Change", CellType::number},
           {"errors", "Errors", CellType::count},
           {"stored_bytes", "Stored", CellType::bytes},
           {"tag", "Tag", CellType::text},
           {"host", "Host", CellType::path},
           {"roots", "Paths", CellType::path}},
          rows.size(),
          [rows](std::size_t row, std::vector<fs::Cell>& cells) {
            const store::StoredSnapshot& snapshot = *rows[row].snapshot;
            const store::SnapshotMeta& meta = snapshot.meta;
            const auto bytes = rows[row].change_of(&fs::Counts::disk_bytes);
            fs::Cell change = bytes ? fs::Cell(*bytes) : fs::Cell();
            fs::add_cells(cells, meta.id, snapshot.name, base::whole_seconds(meta.started_ns),
                          base::whole_seconds(meta.ended_ns), meta.totals.entries(),
                          meta.totals.disk_bytes, meta.totals.apparent_bytes, std::move(change),
                          meta.errors, snapshot.bytes(), text_cell(meta.tag), text_cell(meta.host),
                          joined(meta.roots));
          }};
}

void write_text(const LogRequest& request, std::span<const store::LogRow> rows, int descriptor,
                const fs::Sink& sink) {
  View view = common_view(request, descriptor);
  view.path_part = 5;
  const fs::Table table = short_log(rows, request.units);
  fs::Blocks text(sink);
  write_one_table(table, view, "csv", text);
  text.flush();
}

}  // namespace

void write_log(const LogRequest& request, const store::LogReport& report, Output& output) {
  const fs::Sink sink = output.sink();
  switch (request.format) {
    case TableFormat::text:
      write_text(request, report.rows, output.descriptor(), sink);
      break;
    case TableFormat::json:
      write_log_json(report, sink);
      break;
    case TableFormat::csv:
      fs::write_csv(full_log(report.rows), sink, request.csv_texts);
      break;
  }
  output.finish();
}

}  // namespace fathom::cli
