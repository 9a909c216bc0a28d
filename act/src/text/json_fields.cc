// JsonFields: parses one JSON object per line with rapidjson.

#include "text/json_fields.h"

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "fathom/base/error.h"
#include "fathom/fs/utf8.h"

namespace fathom::act {

namespace {

constexpr std::string_view kBase64 = "_b64";

}  // namespace

// Extracts the values that a line may have from rapidjson's events.
class JsonFields::Parser {
 public:
  explicit Parser(JsonFields& fields) : fields_(fields) {}

  void parse(std::string_view line) {
    constexpr unsigned kFlags =
        rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;
    rapidjson::Document document;
    if (line.find('\0') != std::string_view::npos) fields_.fail_syntax("it contains a zero byte");
    document.Parse<kFlags>(line.data(), line.size());
    if (document.HasParseError()) {
      std::string_view why = rapidjson::GetParseError_En(document.GetParseError());
      if (why.ends_with('.')) why.remove_suffix(1);
      fields_.fail_syntax(std::string(why));
    }
    if (!document.IsObject()) fields_.fail("it is not an object");
    for (rapidjson::SizeType i = 0; i < document.MemberCount(); ++i) {
      const auto& member = document.MemberBegin()[i];
      const std::string key = text_of(member.name);
      if (!fields_.values_.emplace(key, value_of(key, member.value)).second) {
        fields_.fail("\"" + key + "\" occurs twice");
      }
    }
  }

 private:
  static std::string text_of(const rapidjson::Value& value) {
    return {value.GetString(), value.GetStringLength()};
  }

  Value value_of(const std::string& key, const rapidjson::Value& from) {
    Value value;
    if (from.IsUint64()) {
      value.type = Value::Type::number;
      value.number = from.GetUint64();
    } else if (from.IsInt64()) {
      value.type = Value::Type::negative;
      value.signed_number = from.GetInt64();
    } else if (from.IsString()) {
      value.text = text_of(from);
    } else if (from.IsArray()) {
      value.type = Value::Type::list;
      for (const rapidjson::Value& path : from.GetArray()) value.list.push_back(path_of(key, path));
    } else {
      fields_.fail("\"" + key + "\" has the wrong type");
    }
    return value;
  }

  std::string path_of(const std::string& key, const rapidjson::Value& from) {
    const auto string = [&](const char* name) -> std::optional<std::string> {
      if (!from.IsObject() || !from.HasMember(name) || !from[name].IsString()) return std::nullopt;
      return text_of(from[name]);
    };
    const auto shown = string("path");
    const auto base64 = string("path_b64");
    const unsigned members = from.IsObject() ? from.MemberCount() : 0;
    if (!shown || members != (base64 ? 2U : 1U))
      fields_.fail("\"" + key + "\" is not a list of paths");
    return fields_.bytes_of(*shown, base64);
  }

  JsonFields& fields_;
};

JsonFields::JsonFields(std::string_view line, std::uint64_t number, std::string_view what)
    : line_(number), what_(what) {
  Parser(*this).parse(line);
}

bool JsonFields::has(std::string_view key) const {
  return values_.find(key) != values_.end();
}

JsonFields::Value JsonFields::take(std::string_view key) {
  const auto found = values_.find(key);
  if (found == values_.end()) fail("\"" + std::string(key) + "\" is missing");
  Value value = std::move(found->second);
  values_.erase(found);
  return value;
}

JsonFields::Value JsonFields::take(std::string_view key, Value::Type type,
                                   std::string_view should_be) {
  Value value = take(key);
  if (value.type != type) fail("\"" + std::string(key) + "\" is not " + std::string(should_be));
  return value;
}

std::uint64_t JsonFields::number(std::string_view key) {
  return take(key, Value::Type::number, "a whole number").number;
}

std::int64_t JsonFields::signed_number(std::string_view key) {
  const Value value = take(key);
  if (value.type == Value::Type::negative) return value.signed_number;
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  if (value.type != Value::Type::number || value.number >= kLimit) {
    fail("\"" + std::string(key) + "\" is not a 64-bit whole number");
  }
  return static_cast<std::int64_t>(value.number);
}

std::string JsonFields::bytes(std::string_view key) {
  std::string shown = take(key, Value::Type::text, "a string").text;
  const std::string other = std::string(key) += kBase64;
  if (!has(other)) return shown;
  return bytes_of(shown, take(other, Value::Type::text, "a string").text);
}

std::vector<std::string> JsonFields::list(std::string_view key) {
  return take(key, Value::Type::list, "a list").list;
}

std::string JsonFields::bytes_of(const std::string& shown,
                                 const std::optional<std::string>& base64) const {
  if (!base64) return shown;
  const auto bytes = fs::from_base64(*base64);
  if (!bytes) fail("\"" + *base64 + "\" is not valid base64");
  if (fs::to_utf8(*bytes) != shown) fail("\"" + shown + "\" and its base64 differ");
  return *bytes;
}

void JsonFields::finish() const {
  if (!values_.empty()) fail("\"" + values_.begin()->first + "\" is not expected here");
}

void JsonFields::fail(const std::string& message) const {
  throw base::Error(place() + ": " + message);
}

void JsonFields::fail_syntax(const std::string& why) const {
  throw NotJson(place() + " is not valid JSON: " + why);
}

std::string JsonFields::place() const {
  const std::string line = "line " + std::to_string(line_);
  return what_.empty() ? line : line + " of " + std::string(what_);
}

void for_each_line(const fs::Source& source, const TakeLine& take) {
  std::array<char, 64UL * 1024> room;  // filled by the source
  std::string line;
  std::uint64_t number = 0;
  while (const std::size_t length = source(std::span(room))) {
    for (std::string_view rest(room.data(), length); !rest.empty();) {
      const std::size_t newline = rest.find('\n');
      line += rest.substr(0, newline);
      if (const std::size_t most = number == 0 ? kLongestHead : kLongestLine; line.size() > most) {
        throw base::Error("line " + std::to_string(number + 1) + " is longer than " +
                          std::to_string(most >> 20) + " MiB");
      }
      if (newline == std::string_view::npos) break;
      rest.remove_prefix(newline + 1);
      take(line, ++number, /*torn=*/false);
      line.clear();
    }
  }
  if (!line.empty()) take(line, ++number, /*torn=*/true);
}

}  // namespace fathom::act
