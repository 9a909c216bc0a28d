// write_json: writes a scan and its tables with rapidjson.

#include "fathom/fs/json.h"

#include <rapidjson/writer.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fathom/fs/blocks.h"
#include "fathom/fs/utf8.h"

namespace fathom::fs {

namespace {

// Decimals of a double: the resolution of a clock.
constexpr int kDecimals = 6;

// The output stream of a rapidjson::Writer.
class BlocksStream {
 public:
  using Ch = char;
  explicit BlocksStream(Blocks& blocks) : blocks_(blocks) {}
  void Put(char byte) { blocks_.put(byte); }  // NOLINT(readability-identifier-naming)
  void Flush() {}                             // NOLINT(readability-identifier-naming)

 private:
  Blocks& blocks_;
};

// Writes the parts that all JSON texts share.
class JsonPen {
 public:
  explicit JsonPen(const Sink& sink) : blocks_(sink), stream_(blocks_), writer_(stream_) {
    writer_.SetMaxDecimalPlaces(kDecimals);
  }

  [[nodiscard]] auto& writer() { return writer_; }

  void key(std::string_view name) {
    writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  }
  void string(std::string_view text) {
    writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  void number(std::string_view name, std::uint64_t value) {
    key(name);
    writer_.Uint64(value);
  }

  void path(std::string_view name, std::string_view bytes) {
    key(name);
    if (is_utf8(bytes)) {
      string(bytes);
      return;
    }
    string(to_utf8(bytes));
    key(std::string(name) + "_b64");
    string(to_base64(bytes));
  }

  // Writes rows as objects, while the sink takes more.
  void rows(const Table& table, std::size_t from, std::size_t count) {
    std::vector<Cell> cells;
    const std::size_t first = std::min(from, table.rows());
    const std::size_t end = first + std::min(count, table.rows() - first);
    for (std::size_t row = first; row < end && blocks_.wanted(); ++row) {
      table.read(row, cells);
      object(table.columns(), cells);
    }
  }

  void end_line() { blocks_.put('\n'); }
  void flush() { blocks_.flush(); }

 private:
  void object(const std::vector<Column>& columns, const std::vector<Cell>& cells) {
    writer_.StartObject();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string* bytes = std::get_if<std::string>(&cells[i]);
      if (columns[i].type == CellType::path && bytes != nullptr) {
        path(columns[i].key, *bytes);
      } else {
        key(columns[i].key);
        std::visit([this](const auto& value) { this->value(value); }, cells[i]);
      }
    }
    writer_.EndObject();
  }

  void value(std::monostate) { writer_.Null(); }
  void value(std::uint64_t number) { writer_.Uint64(number); }
  void value(std::int64_t number) { writer_.Int64(number); }
  void value(bool flag) { writer_.Bool(flag); }
  void value(const std::string& text) { string(text); }
  void value(double number) {
    if (std::isfinite(number)) {
      writer_.Double(number);
    } else {
      writer_.Null();  // JSON has no infinity or NaN
    }
  }

  Blocks blocks_;
  BlocksStream stream_;
  rapidjson::Writer<BlocksStream> writer_;
};

class JsonScan {
 public:
  JsonScan(const Scan& scan, const Totals& totals, const Sink& sink)
      : scan_(scan), totals_(totals), pen_(sink), writer_(pen_.writer()) {}

  void write(const std::vector<Table>& reports) {
    writer_.StartObject();
    pen_.key("schema");
    pen_.string("fathom.scan/1");
    roots();
    pen_.key("totals");
    counts(totals_.whole());
    accuracy();
    timing();
    pen_.key("reports");
    writer_.StartObject();
    for (auto table = reports.begin(); table != reports.end(); ++table) {
      const auto same = [&](const Table& other) { return other.key() == table->key(); };
      if (std::none_of(reports.begin(), table, same)) report(*table);  // keys are unique
    }
    writer_.EndObject();
    writer_.EndObject();
    pen_.end_line();
    pen_.flush();
  }

 private:
  void counts(const Counts& counts) {
    writer_.StartObject();
    pen_.number("files", counts.files);
    pen_.number("dirs", counts.dirs);
    pen_.number("symlinks", counts.symlinks);
    pen_.number("others", counts.others);
    pen_.number("entries", counts.entries());
    pen_.number("disk_bytes", counts.disk_bytes);
    pen_.number("apparent_bytes", counts.apparent_bytes);
    writer_.EndObject();
  }

  void roots() {
    pen_.key("roots");
    writer_.StartArray();
    for (const std::string& root : scan_.roots) {
      writer_.StartObject();
      pen_.path("path", root);
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  void accuracy() {
    pen_.key("accuracy");
    writer_.StartObject();
    pen_.key("complete");
    writer_.Bool(scan_.complete());
    pen_.number("unreadable", scan_.errors.size());
    pen_.number("changed", scan_.changed);
    if (!scan_.excluded.empty()) pen_.number("left_out", scan_.excluded.size());
    if (scan_.filtered_out > 0) pen_.number("unwanted", scan_.filtered_out);
    if (scan_.cancelled) {
      pen_.key("interrupted");
      writer_.Bool(true);
    }
    writer_.EndObject();
  }

  void timing() {
    pen_.key("timing");
    writer_.StartObject();
    pen_.key("seconds");
    writer_.Double(scan_.seconds);
    pen_.key("entries_per_second");
    const double entries = static_cast<double>(totals_.whole().entries());
    writer_.Double(scan_.seconds > 0 ? entries / scan_.seconds : 0.0);
    pen_.number("threads", scan_.threads);
    pen_.key("engine");
    pen_.string(to_string(scan_.engine));
    writer_.EndObject();
  }

  void report(const Table& table) {
    pen_.key(table.key());
    if (table.shape() == TableShape::list) writer_.StartArray();
    pen_.rows(table, 0, table.rows());
    if (table.shape() == TableShape::list) writer_.EndArray();
  }

  const Scan& scan_;
  const Totals& totals_;
  JsonPen pen_;
  rapidjson::Writer<BlocksStream>& writer_;  // owned by the pen
};

}  // namespace

void write_json(const Scan& scan, const Totals& totals, const std::vector<Table>& reports,
                const Sink& sink) {
  JsonScan(scan, totals, sink).write(reports);
}

void write_json_rows(const Table& table, std::size_t from, std::size_t count, const Sink& sink) {
  JsonPen pen(sink);
  pen.writer().StartArray();
  pen.rows(table, from, count);
  pen.writer().EndArray();
  pen.flush();
}

}  // namespace fathom::fs
