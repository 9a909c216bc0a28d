// JsonWriter: strings are copied in runs without escapes; rapidjson formats numbers with decimals.
//
// rapidjson's own writers cannot break lines between elements, and take one byte at a time.

#include "fathom/fs/json_writer.h"

#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "fathom/fs/tree.h"
#include "fathom/fs/utf8.h"

namespace fathom::fs {

namespace {

constexpr std::size_t kBlockSize = 64UL * 1024;
constexpr std::size_t kIndent = 2;

// The length of the text before the first byte that needs an escape.
std::size_t plain_length(std::string_view text) {
  const auto needs_escape = [](char byte) {
    return static_cast<unsigned char>(byte) < 0x20 || byte == '"' || byte == '\\';
  };
  return static_cast<std::size_t>(std::find_if(text.begin(), text.end(), needs_escape) -
                                  text.begin());
}

void append_json_escape(std::string& text, char byte) {
  constexpr std::string_view kHexadecimal = "0123456789ABCDEF";
  constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  text += '\\';
  if (const std::size_t found = kShort.find(byte); found != std::string_view::npos) {
    text += kLetters[found];
    return;
  }
  text += "u00";
  text += kHexadecimal[static_cast<unsigned char>(byte) >> 4];
  text += kHexadecimal[static_cast<unsigned char>(byte) & 15];
}

// An output stream for rapidjson::Writer.
class StringStream {
 public:
  using Ch = char;
  explicit StringStream(std::string& text) : text_(text) {}
  void Put(char byte) { text_ += byte; }  // NOLINT(readability-identifier-naming)
  void Flush() {}                         // NOLINT(readability-identifier-naming)

 private:
  std::string& text_;
};

}  // namespace

JsonWriter::JsonWriter(const Sink& sink, Layout layout)
    : sink_(&sink), indented_(layout == Layout::indented) {
  text_.reserve(kBlockSize + kBlockSize / 8);
}

// ---- Structure

void JsonWriter::key(std::string_view name) {
  separate();
  text_ += '"';
  text_ += name;
  text_ += indented_ ? "\": " : "\":";
  has_key_ = true;
}

void JsonWriter::begin(char bracket) {
  begin_value();
  text_ += bracket;
  ++depth_;
  has_other_ = false;
}

void JsonWriter::end(char bracket) {
  --depth_;
  if (breaks_ || (indented_ && has_other_)) indent();
  text_ += bracket;
  has_other_ = true;
}

void JsonWriter::begin_value() {
  if (!has_key_) separate();
  has_key_ = false;
}

void JsonWriter::separate() {
  if (text_.size() >= kBlockSize) flush();
  if (has_other_) text_ += ',';
  has_other_ = true;
  if (breaks_ || (indented_ && depth_ > 0)) indent();
}

void JsonWriter::indent() {
  breaks_ = false;
  text_ += '\n';
  if (indented_) text_.append(kIndent * depth_, ' ');
}

void JsonWriter::end_line() {
  text_ += '\n';
  has_other_ = false;
}

void JsonWriter::flush() {
  if (sink_ == nullptr) return;
  if (wanted_ && !text_.empty()) wanted_ = (*sink_)(text_);
  text_.clear();
}

// ---- Values

void JsonWriter::word(std::string_view text) {
  begin_value();
  text_ += text;
}

void JsonWriter::integer(std::int64_t value) {
  if (value >= 0) return integer(static_cast<std::uint64_t>(value));
  begin_value();
  text_ += std::to_string(value);
}

void JsonWriter::integer(std::uint64_t value) {
  std::array<char, 20> digits;
  const char* const end = std::to_chars(digits.begin(), digits.end(), value).ptr;
  word({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

// JSON has no infinity or NaN.
void JsonWriter::decimal(double value) {
  if (!std::isfinite(value)) return null();
  begin_value();
  StringStream stream(text_);
  rapidjson::Writer<StringStream> writer(stream);
  writer.SetMaxDecimalPlaces(kDecimals);
  writer.Double(value);
}

void JsonWriter::time(std::string_view name, std::int64_t seconds) {
  seconds == kUnknownTime ? null(name) : number(name, seconds);
}

void JsonWriter::string(std::string_view text) {
  begin_value();
  quoted(text);
}

void JsonWriter::quoted(std::string_view text) {
  text_ += '"';
  for (;;) {
    const std::size_t plain = plain_length(text);
    text_ += text.substr(0, plain);
    if (plain == text.size()) break;
    append_json_escape(text_, text[plain]);
    text.remove_prefix(plain + 1);
  }
  text_ += '"';
}

// ---- Bytes

void JsonWriter::bytes(std::string_view name, std::string_view bytes) {
  if (is_utf8(bytes)) return string(name, bytes);
  string(name, to_utf8(bytes));
  string(std::string(name) + "_b64", to_base64(bytes));
}

void JsonWriter::bytes_of_each(std::string_view name, const std::vector<std::string>& all) {
  begin_array(name);
  for (const std::string& bytes : all) string(is_utf8(bytes) ? bytes : to_utf8(bytes));
  end_array();
  if (std::all_of(all.begin(), all.end(), is_utf8)) return;
  begin_array(std::string(name) + "_b64");
  for (const std::string& bytes : all) is_utf8(bytes) ? null() : string(to_base64(bytes));
  end_array();
}

void JsonWriter::path_objects(std::string_view name, const std::vector<std::string>& paths) {
  begin_array(name);
  for (const std::string& path : paths) {
    begin_object();
    bytes("path", path);
    end_object();
  }
  end_array();
}

}  // namespace fathom::fs
