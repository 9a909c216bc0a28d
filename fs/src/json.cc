#include "fathom/fs/json.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <string_view>
#include <system_error>

namespace fathom::fs {

namespace {

// Of the last places of a double only those that a clock can mean.
constexpr int kDecimals = 6;

// The length of the UTF-8 sequence at the start of text; 0 if it is none (RFC 3629: no overlong
// forms, no surrogates).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [text](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if (lead == 0xe0 && byte(1) < 0xa0) return 0;
    if (lead == 0xed && byte(1) > 0x9f) return 0;
    return follows(1) && follows(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if (lead == 0xf0 && byte(1) < 0x90) return 0;
    if (lead == 0xf4 && byte(1) > 0x8f) return 0;
    return follows(1) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

// The text with U+FFFD for each byte that belongs to no UTF-8 sequence.
std::string to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    text += length == 0 ? std::string_view("\xef\xbf\xbd") : bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

std::string to_base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= group.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

class JsonScan {
 public:
  JsonScan(const Scan& scan, const Totals& totals, Measure measure)
      : scan_(scan), totals_(totals), measure_(measure), writer_(buffer_) {
    writer_.SetMaxDecimalPlaces(kDecimals);
  }

  std::string write(const std::vector<ReportRequest>& reports) {
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
    for (auto request = reports.begin(); request != reports.end(); ++request) {
      const auto same = [&](const ReportRequest& other) { return other.kind == request->kind; };
      if (std::none_of(reports.begin(), request, same)) report(*request);  // keys are unique
    }
    writer_.EndObject();
    writer_.EndObject();
    return std::string(buffer_.GetString(), buffer_.GetSize()) + '\n';
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

  void path(std::string_view bytes) {
    const std::string text = to_utf8(bytes);
    key("path");
    string(text);
    if (text != bytes) {
      key("path_b64");
      string(to_base64(bytes));
    }
  }

  void counts(const Counts& counts) {
    writer_.StartObject();
    count_fields(counts);
    writer_.EndObject();
  }

  void count_fields(const Counts& counts) {
    number("files", counts.files);
    number("dirs", counts.dirs);
    number("symlinks", counts.symlinks);
    number("others", counts.others);
    number("entries", counts.entries());
    number("disk_bytes", counts.disk_bytes);
    number("apparent_bytes", counts.apparent_bytes);
  }

  void roots() {
    key("roots");
    writer_.StartArray();
    for (const std::string& root : scan_.roots) {
      writer_.StartObject();
      path(root);
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

  void report(const ReportRequest& request) {
    switch (request.kind) {
      case ReportKind::summary:
        return summary();
      case ReportKind::largest_files:
        return files(request.count);
      case ReportKind::largest_dirs:
        return directories(request.count);
      case ReportKind::errors:
        return errors();
    }
  }

  void summary() {
    key("summary");
    writer_.StartObject();
    count_fields(totals_.whole());
    number("depth", totals_.deepest());
    writer_.EndObject();
  }

  void files(std::size_t count) {
    key("largest_files");
    writer_.StartArray();
    for (const NodeId node : largest_files(scan_.tree, count, measure_)) {
      const Entry entry = scan_.tree.entry(node);
      writer_.StartObject();
      path(scan_.tree.path(node));
      number("disk_bytes", entry.disk_bytes());
      number("apparent_bytes", entry.apparent_bytes());
      key("mtime");
      writer_.Int64(entry.mtime);
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  void directories(std::size_t count) {
    key("largest_dirs");
    writer_.StartArray();
    for (const DirId id : largest_directories(scan_.tree, totals_, count, measure_)) {
      writer_.StartObject();
      path(scan_.tree.path(scan_.tree.node(id)));
      count_fields(totals_.below(id));
      key("lower_bound");
      writer_.Bool(totals_.lower_bound(id));
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  void errors() {
    key("errors");
    writer_.StartArray();
    for (const ScanError& error : scan_.errors) {
      writer_.StartObject();
      path(error.path);
      key("operation");
      string(error.operation);
      key("errno");
      writer_.Int(error.code);
      key("message");
      string(std::generic_category().message(error.code));
      writer_.EndObject();
    }
    writer_.EndArray();
  }

  const Scan& scan_;
  const Totals& totals_;
  const Measure measure_;
  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_;
};

}  // namespace

std::string to_json(const Scan& scan, const Totals& totals,
                    const std::vector<ReportRequest>& reports, Measure measure) {
  return JsonScan(scan, totals, measure).write(reports);
}

}  // namespace fathom::fs
