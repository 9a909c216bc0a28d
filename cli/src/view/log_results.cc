// LogResults: the columns, and the members of fathom.log/1.

#include "view/log_results.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "fathom/base/bytes.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/csv.h"
#include "fathom/fs/json.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/table.h"
#include "view/plain_table.h"
#include "view/text_table.h"
#include "view/view.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kIdDigits = 8;
constexpr std::int64_t kSecond = 1'000'000'000;

std::int64_t seconds_of(std::int64_t nanoseconds) {
  return nanoseconds / kSecond - (nanoseconds % kSecond < 0 ? 1 : 0);
}

// Sums of bytes may be any number of 64 bits, their difference saturates.
std::int64_t difference(std::uint64_t now, std::uint64_t before) {
  constexpr auto kMost = static_cast<std::uint64_t>(INT64_MAX);
  const std::uint64_t size = std::min(now > before ? now - before : before - now, kMost);
  return now > before ? static_cast<std::int64_t>(size) : -static_cast<std::int64_t>(size);
}

// "+1.2 GiB"
std::string with_sign(std::int64_t change, base::Units units) {
  if (change == 0) return "0";
  const auto size = static_cast<std::uint64_t>(change < 0 ? -change : change);
  return (change < 0 ? "-" : "+") + base::format_bytes(size, units);
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
fs::Table short_log(const std::vector<LogRow>& rows, base::Units units) {
  using fs::CellType;
  return {{.key = "log", .title = "Snapshots"},
          {{"id", "Id", CellType::text},
           {"ended", "Time", CellType::time},
           {"entries", "Entries", CellType::count, 2},
           {"disk_bytes", "Disk usage", CellType::bytes},
           {"change", "Change", CellType::number},
           {"lower_bound", "", CellType::bound},
           {"tag", "Tag", CellType::text, 1},
           {"roots", "Paths", CellType::path}},
          rows.size(),
          [&rows, units](std::size_t row, std::vector<fs::Cell>& cells) {
            const auto& [snapshot, before] = rows[row];
            const store::SnapshotMeta& meta = snapshot->meta;
            fs::Cell change;
            if (before != nullptr) {
              change = with_sign(difference(meta.totals.disk_bytes, before->meta.totals.disk_bytes),
                                 units);
            }
            fs::add_cells(cells, meta.id.substr(0, kIdDigits), seconds_of(meta.ended_ns),
                          meta.totals.entries(), meta.totals.disk_bytes, std::move(change),
                          !meta.complete(), text_cell(meta.tag), joined(meta.roots));
          }};
}

// All columns, for programs.
fs::Table full_log(const std::vector<LogRow>& rows) {
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
          [&rows](std::size_t row, std::vector<fs::Cell>& cells) {
            const auto& [snapshot, before] = rows[row];
            const store::SnapshotMeta& meta = snapshot->meta;
            fs::Cell change;
            if (before != nullptr) {
              change = difference(meta.totals.disk_bytes, before->meta.totals.disk_bytes);
            }
            fs::add_cells(cells, meta.id, snapshot->name, seconds_of(meta.started_ns),
                          seconds_of(meta.ended_ns), meta.totals.entries(), meta.totals.disk_bytes,
                          meta.totals.apparent_bytes, std::move(change), meta.errors,
                          snapshot->bytes(), text_cell(meta.tag), text_cell(meta.host),
                          joined(meta.roots));
          }};
}

void write_change(fs::JsonWriter& json, const LogRow& row) {
  if (row.before == nullptr) return json.null("change");
  const fs::Counts& now = row.snapshot->meta.totals;
  const fs::Counts& before = row.before->meta.totals;
  json.begin_object("change");
  json.string("since", row.before->meta.id);
  json.number("entries", difference(now.entries(), before.entries()));
  json.number("disk_bytes", difference(now.disk_bytes, before.disk_bytes));
  json.number("apparent_bytes", difference(now.apparent_bytes, before.apparent_bytes));
  json.end_object();
}

void write_snapshot(fs::JsonWriter& json, const LogRow& row) {
  const store::SnapshotMeta& meta = row.snapshot->meta;
  json.begin_object();
  json.string("id", meta.id);
  json.string("name", row.snapshot->name);
  meta.tag.empty() ? json.null("tag") : json.bytes("tag", meta.tag);
  meta.host.empty() ? json.null("host") : json.bytes("host", meta.host);
  json.path_objects("roots", meta.roots);
  json.bytes_of_each("selection", meta.selection);
  json.number("started", seconds_of(meta.started_ns));
  json.number("ended", seconds_of(meta.ended_ns));
  fs::write_totals(json, meta.totals);
  write_change(json, row);
  json.flag("complete", meta.complete());
  json.number("errors", meta.errors);
  json.flag("imported", meta.imported);
  json.number("stored_bytes", row.snapshot->bytes());
  json.end_object();
}

void write_json(const std::string& store, const std::vector<LogRow>& rows,
                const std::vector<store::UnreadableSnapshot>& unreadable, const fs::Sink& sink) {
  fs::JsonWriter json(sink);
  json.begin_object();
  json.string("schema", "fathom.log/1");
  json.bytes("store", store);
  json.begin_array("snapshots");
  for (const LogRow& row : rows) write_snapshot(json, row);
  json.end_array();
  json.begin_array("unreadable");
  for (const store::UnreadableSnapshot& one : unreadable) {
    json.begin_object();
    json.string("name", one.name);
    json.bytes("why", one.why);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  json.end_line();
  json.flush();
}

void write_text(const LogRequest& request, const std::vector<LogRow>& rows, int descriptor,
                const fs::Sink& sink) {
  View view;
  view.units = request.units;
  view.top = request.top;
  view.plain = request.plain;
  view.terminal = terminal_of(descriptor, request.plain ? When::never : request.color);
  view.beside_messages = view.terminal.person && is_terminal(STDERR_FILENO);
  const fs::Table table = short_log(rows, request.units);
  fs::Blocks text(sink);
  if (view.plain) {
    write_plain_table(table, view, text);
  } else {
    write_text_table(table, view, text);
  }
  text.flush();
}

}  // namespace

void write_log(const LogRequest& request, const std::string& store, const std::vector<LogRow>& rows,
               const std::vector<store::UnreadableSnapshot>& unreadable, Output& output) {
  const fs::Sink sink = [&output](std::string_view block) { return output.write(block); };
  switch (request.format) {
    case LogFormat::text:
      write_text(request, rows, output.descriptor(), sink);
      break;
    case LogFormat::json:
      write_json(store, rows, unreadable, sink);
      break;
    case LogFormat::csv:
      fs::write_csv(full_log(rows), sink, request.csv_texts);
      break;
  }
  output.finish();
}

}  // namespace fathom::cli
