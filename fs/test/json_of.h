// Reads the JSON of a scan as another program would.

#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/json.h"
#include "fathom/fs/report.h"

namespace fathom::fs {

inline std::string json_of(const Scan& scan, const std::vector<ReportRequest>& reports,
                           Measure measure = Measure::disk) {
  const Totals totals(scan.tree);
  const ReportInput input(scan, totals, measure, 0);
  std::string text;
  write_json(scan, totals, make_reports(input, reports), [&text](std::string_view block) {
    text += block;
    return true;
  });
  return text;
}

// Parses strictly: encodings are validated, and only a newline may follow.
inline rapidjson::Document parse(const std::string& text) {
  if (text.empty() || text.back() != '\n') throw std::runtime_error("no newline at the end");
  rapidjson::Document json;
  json.Parse<rapidjson::kParseValidateEncodingFlag | rapidjson::kParseFullPrecisionFlag>(
      text.data(), text.size());
  if (json.HasParseError() || !json.IsObject()) throw std::runtime_error("bad JSON: " + text);
  return json;
}

inline std::string from_base64(std::string_view text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) throw std::runtime_error("bad length of base64");
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  for (const char digit : text) {
    const std::size_t value = kDigits.find(digit);
    if (value == std::string_view::npos) throw std::runtime_error("bad digit of base64");
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xffffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes += static_cast<char>(bits >> count & 0xff);
    }
  }
  return bytes;
}

// The bytes of an object's path.
inline std::string path_of(const rapidjson::Value& object) {
  if (object.HasMember("path_b64")) return from_base64(object["path_b64"].GetString());
  return {object["path"].GetString(), object["path"].GetStringLength()};
}

// The text without the parts that differ from run to run: the timing, also in the summary.
inline std::string without_timing(std::string text) {
  const std::size_t begin = text.find("\"timing\":{");
  if (begin == std::string::npos) throw std::runtime_error("no timing in: " + text);
  text.erase(begin, text.find('}', begin) + 1 - begin);
  if (const std::size_t summary = text.find("\"seconds\":"); summary != std::string::npos) {
    text.erase(summary, text.find('}', summary) - summary);
  }
  return text;
}

}  // namespace fathom::fs
