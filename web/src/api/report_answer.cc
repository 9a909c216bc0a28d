// report_answer: one page of a report of fathom::fs.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "api/json_text.h"
#include "api/questions.h"
#include "fathom/fs/json.h"
#include "fathom/fs/report.h"

namespace fathom::web {

namespace {

struct NamedKind {
  std::string_view name;
  fs::ReportKind kind;
};

constexpr std::array kKinds = {
    NamedKind{"summary", fs::ReportKind::summary},
    NamedKind{"largest_files", fs::ReportKind::largest_files},
    NamedKind{"largest_dirs", fs::ReportKind::largest_dirs},
    NamedKind{"recent", fs::ReportKind::recent},
    NamedKind{"extensions", fs::ReportKind::extensions},
    NamedKind{"empty_dirs", fs::ReportKind::empty_dirs},
    NamedKind{"symlinks", fs::ReportKind::symlinks},
    NamedKind{"errors", fs::ReportKind::errors},
    NamedKind{"metrics", fs::ReportKind::metrics},
    NamedKind{"stats", fs::ReportKind::stats},
    NamedKind{"owners", fs::ReportKind::owners},
    NamedKind{"ages", fs::ReportKind::ages},
    NamedKind{"histogram", fs::ReportKind::histogram},
};

struct ReportQuestion {
  fs::ReportRequest request;
  fs::Measure measure;
  Span span;
};

ReportQuestion report_question(fs::ReportKind kind, Parameters& given) {
  constexpr std::uint64_t kMostCount = 10000;
  constexpr std::uint64_t kDay = 86400;
  constexpr std::uint64_t kMostSeconds = 0xffffffff;
  ReportQuestion asked;
  asked.request.kind = kind;
  asked.measure =
      given.choice<fs::Measure>("measure", fs::Measure::disk,
                                {{"disk", fs::Measure::disk}, {"apparent", fs::Measure::apparent}});
  if (kind == fs::ReportKind::largest_files || kind == fs::ReportKind::largest_dirs) {
    asked.request.count = given.integer("count", 100, 1, kMostCount);
  }
  if (kind == fs::ReportKind::recent) {
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

void write_columns(JsonText& json, const fs::Table& table) {
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

std::string rows_of(const fs::Table& table, Span span) {
  std::string rows;
  fs::write_json_rows(table, span.offset, span.limit, [&](std::string_view block) {
    rows += block;
    return true;
  });
  return rows;
}

}  // namespace

Answer report_answer(const Snapshot* snapshot, std::string_view name, Parameters& given) {
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const NamedKind& known) { return known.name == name; });
  if (kind == kKinds.end()) {
    return error_answer(404, "not_found", "unknown report: " + std::string(name));
  }
  const ReportQuestion asked = report_question(kind->kind, given);
  if (auto refused = refusal(snapshot, given)) return *std::move(refused);
  const fs::ReportInput input(snapshot->scan(), snapshot->totals(), asked.measure,
                              snapshot->taken());
  const fs::Table table = make_report(input, asked.request);
  JsonText json;
  json.begin_object();
  json.number("generation", snapshot->generation());
  json.string("key", table.key());
  json.string("title", table.title());
  json.string("shape", table.shape() == fs::TableShape::list ? "list" : "record");
  write_columns(json, table);
  json.number("total", table.rows());
  json.number("offset", asked.span.offset);
  json.array("rows", rows_of(table, asked.span));
  json.end_object();
  return {.body = std::move(json).take()};
}

}  // namespace fathom::web
