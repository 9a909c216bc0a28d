// JsonObject: the members of an object of a JSON file, each of which must be what is expected.

#pragma once

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/json.h"
#include "fathom/fs/utf8.h"
#include "parquet/damage.h"

namespace fathom::store {

inline bool is_hexadecimal(std::string_view text, std::size_t digits) {
  return text.size() == digits &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// Throws base::Error, with a sentence that follows the name of the file, if it is not JSON.
inline rapidjson::Document parsed_json(std::string_view text) {
  constexpr unsigned kFlags =
      rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
  // RapidJSON would stop there, as if it were the end.
  if (text.find('\0') != std::string_view::npos) damaged("it contains a zero byte");
  rapidjson::Document document;
  document.Parse<kFlags>(text.data(), text.size());
  if (document.HasParseError()) {
    std::string_view why = rapidjson::GetParseError_En(document.GetParseError());
    if (why.ends_with('.')) why.remove_suffix(1);
    damaged("it is not valid JSON: " + std::string(why));
  }
  return document;
}

// The members of one object. `place` begins messages: "filesystems: ".
class JsonObject {
 public:
  JsonObject(const rapidjson::Value& value, std::string place)
      : value_(value), place_(std::move(place)) {
    if (!value.IsObject()) damaged(place_ + "an object is missing");
  }

  [[nodiscard]] bool has(const char* key) const { return find(key) != nullptr; }

  [[nodiscard]] std::uint64_t number(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsUint64()) wrong(key, "a whole number");
    return value.GetUint64();
  }

  [[nodiscard]] std::int64_t signed_number(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsInt64()) wrong(key, "a 64-bit whole number");
    return value.GetInt64();
  }

  [[nodiscard]] bool flag(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsBool()) wrong(key, "true or false");
    return value.GetBool();
  }

  // Bytes, as fs::JsonWriter::bytes() writes them.
  [[nodiscard]] std::string bytes(const char* key) const {
    std::string shown = text_of(key, member(key));
    const rapidjson::Value* const base64 = find(beside(key));
    return base64 == nullptr ? shown : bytes_of(key, shown, *base64);
  }

  // As fs::JsonWriter::bytes_of_each() writes them.
  [[nodiscard]] std::vector<std::string> bytes_of_each(const char* key) const {
    std::vector<std::string> all;
    for (const rapidjson::Value& each : array(key)) all.push_back(text_of(key, each));
    if (find(beside(key)) == nullptr) return all;
    const auto base64 = array(beside(key).c_str());
    if (base64.Size() != all.size()) wrong(key, "as long as its base64");
    for (rapidjson::SizeType i = 0; i < base64.Size(); ++i) {
      if (!base64[i].IsNull()) all[i] = bytes_of(key, all[i], base64[i]);
    }
    return all;
  }

  [[nodiscard]] std::string digits(const char* key, std::size_t count) const {
    std::string text = text_of(key, member(key));
    if (!is_hexadecimal(text, count)) {
      wrong(key, (std::to_string(count) + " hexadecimal digits").c_str());
    }
    return text;
  }

  [[nodiscard]] rapidjson::Value::ConstArray array(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsArray()) wrong(key, "a list");
    return value.GetArray();
  }

  [[nodiscard]] JsonObject object(const char* key) const {
    return {member(key), place_ + key + ": "};
  }

  // Calls take(object) for each object of a list.
  template <class Take>
  void each(const char* key, Take take) const {
    for (const rapidjson::Value& value : array(key)) take(JsonObject(value, place_ + key + ": "));
  }

  [[noreturn]] void wrong(const std::string& key, const char* should_be) const {
    damaged(place_ + "\"" + key + "\" is not " + should_be);
  }

 private:
  static std::string beside(const char* key) { return std::string(key) + "_b64"; }

  [[nodiscard]] const rapidjson::Value* find(const std::string& key) const {
    const auto has_key = [&](const auto& member) {
      return key == std::string_view(member.name.GetString(), member.name.GetStringLength());
    };
    const auto end = value_.MemberEnd();
    const auto found = std::find_if(value_.MemberBegin(), end, has_key);
    if (found == end) return nullptr;
    if (std::find_if(found + 1, end, has_key) != end) {
      damaged(place_ + "\"" + key + "\" occurs twice");
    }
    return &found->value;
  }

  [[nodiscard]] const rapidjson::Value& member(const char* key) const {
    const rapidjson::Value* const value = find(key);
    if (value == nullptr) damaged(place_ + "\"" + key + "\" is missing");
    return *value;
  }

  [[nodiscard]] std::string text_of(const char* key, const rapidjson::Value& value) const {
    if (!value.IsString()) wrong(key, "text");
    return {value.GetString(), value.GetStringLength()};
  }

  [[nodiscard]] std::string bytes_of(const char* key, const std::string& shown,
                                     const rapidjson::Value& base64) const {
    auto bytes = fs::from_base64(text_of(key, base64));
    if (!bytes || fs::to_utf8(*bytes) != shown) wrong(key, "the same as its base64");
    return std::move(*bytes);
  }

  const rapidjson::Value& value_;
  const std::string place_;
};

}  // namespace fathom::store
