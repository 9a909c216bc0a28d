// Extras: the reports of fs, as rows of a screen.

#include "model/extras.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "fathom/fs/report.h"

namespace fathom::tui {

namespace {

constexpr std::size_t kLargest = 1000;

// Reads a table by the keys of its columns.
class TableReader {
 public:
  explicit TableReader(const fs::Table& table) : table_(table) {}

  void read(std::size_t row) { table_.read(row, cells_); }

  template <class Value>
  [[nodiscard]] std::optional<Value> get(std::string_view key) const {
    const auto& columns = table_.columns();
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const fs::Column& one) { return one.key == key; });
    if (column == columns.end()) return std::nullopt;
    const auto* value =
        std::get_if<Value>(&cells_[static_cast<std::size_t>(column - columns.begin())]);
    return value == nullptr ? std::nullopt : std::optional<Value>(*value);
  }

  // As a person reads the cell.
  [[nodiscard]] std::string shown(std::string_view key) const {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const fs::Column& column = table_.columns()[i];
      if (column.key != key) continue;
      const fs::Cell cell = column.shown == nullptr ? cells_[i] : column.shown(cells_);
      const auto* text = std::get_if<std::string>(&cell);
      return text == nullptr ? "" : *text;
    }
    return "";
  }

 private:
  const fs::Table& table_;
  std::vector<fs::Cell> cells_;
};

template <class Finish>
std::vector<ReportRow> rows_of(const fs::Table& table, fs::Measure measure, Finish finish) {
  std::vector<ReportRow> rows;
  TableReader reader(table);
  const char* const bytes = measure == fs::Measure::disk ? "disk_bytes" : "apparent_bytes";
  for (std::size_t i = 0; i < table.rows(); ++i) {
    reader.read(i);
    ReportRow row;
    row.entries = reader.get<std::uint64_t>("entries").value_or(
        reader.get<std::uint64_t>("files").value_or(0));
    row.bytes = reader.get<std::uint64_t>(bytes).value_or(0);
    if (finish(reader, row)) rows.push_back(std::move(row));
  }
  return rows;
}

bool finish_type(const TableReader& reader, ReportRow& row) {
  const std::string extension = reader.shown("extension");
  row.label = extension.empty() ? "(no extension)" : "." + extension;
  row.query = {.kind = Query::Kind::extension, .text = extension, .words = "files " + row.label};
  return true;
}

// Of everybody: the report also has the ages of each user.
bool finish_age(const TableReader& reader, ReportRow& row) {
  if (reader.get<std::int64_t>("uid")) return false;
  row.label = reader.shown("age");
  constexpr std::int64_t kEver = std::numeric_limits<std::int64_t>::max();
  row.query = {.kind = Query::Kind::modified,
               .from = reader.get<std::int64_t>("from").value_or(fs::kUnknownTime + 1),
               .until = reader.get<std::int64_t>("until").value_or(kEver),
               .words = "modified " + row.label + " ago"};
  if (row.label == "future") row.query.words = "modified in the future";
  if (row.label == "unknown") {
    row.query.from = row.query.until = fs::kUnknownTime;
    row.query.words = "modified at an unknown time";
  }
  return true;
}

// The name is that of the facts, which asked the system once.
bool finish_owner(const Facts& facts, const TableReader& reader, ReportRow& row) {
  const bool is_user = reader.shown("kind") == "user";
  const auto known = reader.get<std::int64_t>("id");
  const std::uint32_t id = known ? static_cast<std::uint32_t>(*known) : fs::kUnknownOwner;
  const std::string& name = is_user ? facts.owner(id) : facts.group(id);
  row.label = (is_user ? "user   " : "group  ") + name;
  row.query = {.kind = is_user ? Query::Kind::user : Query::Kind::group,
               .id = id,
               .words = (is_user ? "of user " : "of group ") + name};
  return true;
}

std::vector<fs::NodeId> largest_of(const fs::Tree& tree, fs::Measure measure) {
  const auto bytes = [&](fs::NodeId node) {
    return measure == fs::Measure::disk ? tree.blocks(node) : tree.size(node);
  };
  const auto larger = [&](fs::NodeId a, fs::NodeId b) {
    const std::uint64_t bytes_a = bytes(a);
    const std::uint64_t bytes_b = bytes(b);
    return bytes_a != bytes_b ? bytes_a > bytes_b : tree.path_less(a, b);
  };
  std::vector<fs::NodeId> nodes;  // a heap with the smallest on top
  tree.for_each_node([&](fs::NodeId node) {
    if (tree.kind(node) == fs::Kind::directory) return;
    if ((tree.flags(node) & (fs::kUncounted | fs::kExtraLink)) != 0) return;
    if (nodes.size() == kLargest) {
      if (!larger(node, nodes.front())) return;
      std::pop_heap(nodes.begin(), nodes.end(), larger);
      nodes.pop_back();
    }
    nodes.push_back(node);
    std::push_heap(nodes.begin(), nodes.end(), larger);
  });
  std::sort_heap(nodes.begin(), nodes.end(), larger);
  return nodes;
}

}  // namespace

Extras::Extras(std::shared_ptr<const Facts> of, fs::Measure by)
    : facts(std::move(of)),
      measure(by),
      exclusive(facts->tree()),
      freed(facts->tree(), facts->totals(), exclusive),
      largest(largest_of(facts->tree(), by)) {
  const fs::ReportInput input(facts->scan(), facts->totals(), measure, facts->now());
  types = rows_of(fs::extensions(input), measure, finish_type);
  ages = rows_of(fs::ages(input), measure, finish_age);
  owners = rows_of(fs::owners(input), measure, [&](const TableReader& reader, ReportRow& row) {
    return finish_owner(*facts, reader, row);
  });
}

}  // namespace fathom::tui
