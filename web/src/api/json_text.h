// JsonText: builds a JSON text. Bytes that are not UTF-8 are written twice: with U+FFFD for
// readers, and in base64 under the same key with the suffix _b64.
//
//   JsonText json;
//   json.begin_object();
//   json.number("generation", 3);
//   json.bytes("path", path);
//   json.end_object();
//   return std::move(json).take();

#pragma once

#include <rapidjson/writer.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace fathom::web {

class JsonText {
 public:
  JsonText() : stream_(text_), writer_(stream_) { writer_.SetMaxDecimalPlaces(kDecimals); }
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  void begin_object() { writer_.StartObject(); }
  void begin_object(std::string_view name) {
    key(name);
    begin_object();
  }
  void end_object() { writer_.EndObject(); }
  void begin_array(std::string_view name) {
    key(name);
    writer_.StartArray();
  }
  void end_array() { writer_.EndArray(); }

  void key(std::string_view name) {
    writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  }
  // The text must be UTF-8.
  void string(std::string_view text) {
    writer_.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  }
  void string(std::string_view name, std::string_view text) {
    key(name);
    string(text);
  }
  void bytes(std::string_view name, std::string_view bytes);
  void number(std::string_view name, std::uint64_t value) {
    key(name);
    writer_.Uint64(value);
  }
  void signed_number(std::string_view name, std::int64_t value) {
    key(name);
    writer_.Int64(value);
  }
  void decimal(std::string_view name, double value);  // null if it is not finite
  void flag(std::string_view name, bool value) {
    key(name);
    writer_.Bool(value);
  }
  void null(std::string_view name) {
    key(name);
    writer_.Null();
  }
  // An array that is already JSON.
  void array(std::string_view name, std::string_view written) {
    key(name);
    writer_.RawValue(written.data(), written.size(), rapidjson::kArrayType);
  }

  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  static constexpr int kDecimals = 6;  // microseconds are precise enough

  // An output stream for rapidjson::Writer.
  class Stream {
   public:
    using Ch = char;
    explicit Stream(std::string& text) : text_(text) {}
    void Put(char byte) { text_.push_back(byte); }  // NOLINT(readability-identifier-naming)
    void Flush() {}                                 // NOLINT(readability-identifier-naming)

   private:
    std::string& text_;
  };

  std::string text_;
  Stream stream_;
  rapidjson::Writer<Stream> writer_;
};

}  // namespace fathom::web
