// write_json: writes a scan and its tables.

#include "fathom/fs/json.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>

namespace fathom::fs {

namespace {

// Writes the value of a cell that is not a path.
class CellValue {
 public:
  explicit CellValue(JsonWriter& json) : json_(json) {}

  void operator()(std::monostate) { json_.null(); }
  void operator()(std::uint64_t number) { json_.number(number); }
  void operator()(std::int64_t number) { json_.number(number); }
  void operator()(double number) { json_.decimal(number); }
  void operator()(bool flag) { json_.flag(flag); }
  void operator()(const std::string& text) { json_.string(text); }

 private:
  JsonWriter& json_;
};

void write_row(JsonWriter& json, const std::vector<Column>& columns,
               const std::vector<Cell>& cells) {
  json.begin_object();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string* path = std::get_if<std::string>(&cells[i]);
    if (columns[i].type == CellType::path && path != nullptr) {
      json.bytes(columns[i].key, *path);
    } else {
      json.key(columns[i].key);
      std::visit(CellValue(json), cells[i]);
    }
  }
  json.end_object();
}

void write_report(JsonWriter& json, const Table& table) {
  json.key(table.key());
  if (table.shape() == TableShape::list) return write_json_rows(json, table, 0, table.rows());
  std::vector<Cell> cells;
  table.read(0, cells);
  write_row(json, table.columns(), cells);
}

void write_timing(JsonWriter& json, const Scan& scan, std::uint64_t entries) {
  json.begin_object("timing");
  json.decimal("seconds", scan.seconds);
  const double per_second = scan.seconds > 0 ? static_cast<double>(entries) / scan.seconds : 0.0;
  json.decimal("entries_per_second", per_second);
  json.number("threads", scan.threads);
  json.string("engine", to_string(scan.engine));
  json.end_object();
}

}  // namespace

Accuracy accuracy_of(const Scan& scan) {
  return {.complete = scan.complete(),
          .unreadable = scan.errors.size(),
          .changed = scan.changed,
          .asked = scan.asked,
          .excluded = scan.excluded.size(),
          .filtered_out = scan.filtered_out,
          .interrupted = scan.cancelled};
}

void write_accuracy(JsonWriter& json, const Accuracy& accuracy) {
  json.begin_object("accuracy");
  json.flag("complete", accuracy.complete);
  json.number("unreadable", accuracy.unreadable);
  json.number("changed", accuracy.changed);
  if (accuracy.asked > 0) json.number("asked", accuracy.asked);
  if (accuracy.excluded > 0) json.number("left_out", accuracy.excluded);
  if (accuracy.filtered_out > 0) json.number("unwanted", accuracy.filtered_out);
  if (accuracy.too_long > 0) json.number("too_long", accuracy.too_long);
  if (accuracy.interrupted) json.flag("interrupted", true);
  json.end_object();
}

void write_totals(JsonWriter& json, const Counts& counts) {
  json.begin_object("totals");
  json.number("files", counts.files);
  json.number("dirs", counts.dirs);
  json.number("symlinks", counts.symlinks);
  json.number("others", counts.others);
  json.number("entries", counts.entries());
  json.number("disk_bytes", counts.disk_bytes);
  json.number("apparent_bytes", counts.apparent_bytes);
  json.end_object();
}

void write_json(const Scan& scan, const Totals& totals, const std::vector<Table>& reports,
                const Sink& sink) {
  JsonWriter json(sink);
  json.begin_object();
  json.string("schema", "fathom.scan/1");
  json.path_objects("roots", scan.roots);
  write_totals(json, totals.whole());
  Accuracy accuracy = accuracy_of(scan);
  for (const Table& table : reports) {
    accuracy.too_long = std::max(accuracy.too_long, table.too_long());
  }
  write_accuracy(json, accuracy);
  write_timing(json, scan, totals.whole().entries());
  json.begin_object("reports");
  for (auto table = reports.begin(); table != reports.end(); ++table) {
    const auto same = [&](const Table& other) { return other.key() == table->key(); };
    if (std::none_of(reports.begin(), table, same)) write_report(json, *table);  // unique keys
  }
  json.end_object();
  json.end_object();
  json.end_line();
  json.flush();
}

void write_json_rows(JsonWriter& json, const Table& table, std::size_t from, std::size_t count) {
  std::vector<Cell> cells;
  const std::size_t first = std::min(from, table.rows());
  const std::size_t end = first + std::min(count, table.rows() - first);
  json.begin_array();
  for (std::size_t row = first; row < end && json.wanted(); ++row) {
    table.read(row, cells);
    write_row(json, table.columns(), cells);
  }
  json.end_array();
}

}  // namespace fathom::fs
