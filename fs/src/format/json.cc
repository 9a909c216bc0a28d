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
#include "format/utf8.h"

namespace fathom::fs {

namespace {

// Of the last places of a double only those that a clock can mean.
constexpr int kDecimals = 6;

// What a rapidjson::Writer writes to.
class BlocksStream {
 public:
  using Ch = char;
  explicit BlocksStream(Blocks& blocks) : blocks_(blocks) {}
  void Put(char byte) { blocks_.put(byte); }  // NOLINT(readability-identifier-naming)
  void Flush() {}                             // NOLINT(readability-identifier-naming)

 private:
  Blocks& blocks_;
};

class JsonScan {
 public:
  JsonScan(const Scan& scan, const Totals& totals, const Sink& sink)
      : scan_(scan), totals_(totals), blocks_(sink), stream_(blocks_), writer_(stream_) {
    writer_.SetMaxDecimalPlaces(kDecimals);
  }

  void write(const std::vector<Table>& reports) {
    writer_.StartObject();
    key("schema");
    string("fathom.scan/1");
    roots();
    key("totals");
    counts(totals_.whole());
    accuracy();
    timing();
    key("reports");
    writer_.StartObject();
    for (auto table = reports.begin(); table != reports.end(); ++table) {
      const auto same = [&](const Table& other) { return other.key() == table->key(); };
      if (std::none_of(reports.begin(), table, same)) report(*table);  // keys are unique
    }
    writer_.EndObject();
    writer_.EndObject();
    blocks_.put('\n');
    blocks_.flush();
  }

 private:
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

  void counts(const Counts& counts) {
    writer_.StartObject();
    number("files", counts.files);
    number("dirs", counts.dirs);
    number("symlinks", counts.symlinks);
    number("others", counts.others);
    number("entries", counts.entries());
    number("disk_bytes", counts.disk_bytes);
    number("apparent_bytes", counts.apparent_bytes);
    writer_.EndObject();
  }

  void roots() {
    key("roots");
    writer_.StartArray();
    for (const std::string& root : scan_.roots) {
      writer_.StartObject();
      path("path", root);
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  void accuracy() {
    key("accuracy");
    writer_.StartObject();
    key("complete");
    writer_.Bool(scan_.complete());
    number("unreadable", scan_.errors.size());
    number("changed", scan_.changed);
    if (!scan_.left_out.empty()) number("left_out", scan_.left_out.size());
    if (scan_.unwanted > 0) number("unwanted", scan_.unwanted);
    if (scan_.cancelled) {
      key("interrupted");
      writer_.Bool(true);
    }
    writer_.EndObject();
  }

  void timing() {
    key("timing");
    writer_.StartObject();
    key("seconds");
    writer_.Double(scan_.seconds);
    key("entries_per_second");
    const double entries = static_cast<double>(totals_.whole().entries());
    writer_.Double(scan_.seconds > 0 ? entries / scan_.seconds : 0.0);
    number("threads", scan_.threads);
    key("engine");
    string(to_string(scan_.engine));
    writer_.EndObject();
  }

  void report(const Table& table) {
    key(table.key());
    if (table.shape() == TableShape::list) writer_.StartArray();
    std::vector<Cell> cells;
    for (std::size_t row = 0; row < table.rows() && blocks_.wanted(); ++row) {
      table.read(row, cells);
      object(table.columns(), cells);
    }
    if (table.shape() == TableShape::list) writer_.EndArray();
  }

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
      writer_.Null();  // JSON has no other word for it
    }
  }

  const Scan& scan_;
  const Totals& totals_;
  Blocks blocks_;
  BlocksStream stream_;
  rapidjson::Writer<BlocksStream> writer_;
};

}  // namespace

void write_json(const Scan& scan, const Totals& totals, const std::vector<Table>& reports,
                const Sink& sink) {
  JsonScan(scan, totals, sink).write(reports);
}

}  // namespace fathom::fs
