// report_answer: one page of a report of fathom::fs.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/answer.h"
#include "api/measured_bytes.h"
#include "fathom/fs/json.h"
#include "fathom/fs/report.h"

namespace fathom::web {

namespace {

// The report of that name. None if it is about more than the scan, which a server does not gather.
const fs::ReportInfo* report_named(std::string_view name) {
  const auto* const found =
      std::find_if(fs::kReports.begin(), fs::kReports.end(), [name](const fs::ReportInfo& report) {
        return report.head.key == name && !report.needs_facts;
      });
  return found == fs::kReports.end() ? nullptr : found;
}

struct ReportQuestion {
  std::string path;
  fs::ReportRequest request;
  fs::Measure measure;
  Span span;
};

ReportQuestion report_question(const fs::ReportInfo& report, Parameters& given) {
  constexpr std::uint64_t kMostCount = 10000;
  constexpr std::uint64_t kDay = 86400;
  constexpr std::uint64_t kMostSeconds = 0xffffffff;
  ReportQuestion asked;
  asked.path = given.bytes("path");
  asked.request.kind = report.kind;
  asked.measure = size_measure_of(given);
  if (report.argument == fs::ReportArgument::count) {
    asked.request.count = given.integer("count", 100, 1, kMostCount);
  }
  if (report.argument == fs::ReportArgument::age) {
    asked.request.within = std::chrono::seconds(given.integer("within", kDay, 0, kMostSeconds));
  }
  asked.span = span_of(given);
  return asked;
}

std::string_view to_string(fs::CellType type) {
  switch (type) {
    case fs::CellType::count:
      return "count";
    case fs::CellType::bytes:
      return "bytes";
    case fs::CellType::number:
      return "number";
    case fs::CellType::share:
      return "share";
    case fs::CellType::seconds:
      return "seconds";
    case fs::CellType::rate:
      return "rate";
    case fs::CellType::time:
      return "time";
    case fs::CellType::flag:
      return "flag";
    case fs::CellType::bound:
      return "bound";
    case fs::CellType::text:
      return "text";
    case fs::CellType::path:
      return "path";
  }
  return "";
}

// The only root is everything, which is faster to go through.
fs::Subtree part_of(const Snapshot& snapshot, Place place) {
  const fs::Tree& tree = snapshot.tree();
  if (place.above_roots()) return fs::Subtree(tree);
  if (tree.roots().size() == 1 && place == snapshot.roots().front()) return fs::Subtree(tree);
  return {tree, snapshot.children(), place.node, place.directory};
}

void write_columns(fs::JsonWriter& json, const fs::Table& table) {
  json.begin_array("columns");
  for (const fs::Column& column : table.columns()) {
    json.begin_object();
    json.string("key", column.key);
    json.string("heading", column.heading);
    json.string("type", to_string(column.type));
    json.end_object();
  }
  json.end_array();
}

}  // namespace

Answer report_answer(const Snapshot* snapshot, std::string_view name, Parameters& given) {
  const fs::ReportInfo* const report = report_named(name);
  if (report == nullptr) {
    return error_answer(404, "not_found", "unknown report: " + std::string(name));
  }
  const ReportQuestion asked = report_question(*report, given);
  if (auto refused = refusal(snapshot, given)) return *std::move(refused);
  const std::optional<Place> place = snapshot->find(asked.path);
  if (!place) return not_found(asked.path);
  const fs::ReportInput input(snapshot->scan(), snapshot->totals(), asked.measure,
                              snapshot->taken(), part_of(*snapshot, *place));
  const fs::Table table = make_report(input, asked.request);
  fs::JsonWriter json(kEnoughJson);
  json.begin_object();
  json.number("generation", snapshot->generation());
  json.bytes("path", snapshot->path(*place));
  json.string("key", table.key());
  json.string("title", table.title());
  json.string("shape", table.shape() == fs::TableShape::list ? "list" : "record");
  write_columns(json, table);
  json.number("total", table.rows());
  if (table.too_long() > 0) json.number("too_long", table.too_long());
  json.number("offset", asked.span.offset);
  json.key("rows");
  fs::write_json_rows(json, table, asked.span.offset, asked.span.limit);
  json.end_object();
  return {.body = std::move(json).take()};
}

}  // namespace fathom::web
