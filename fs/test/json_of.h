// Reads the JSON of a scan as another program would.

#pragma once

#include <rapidjson/document.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/json.h"
#include "fathom/fs/report.h"
#include "fathom/fs/utf8.h"

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

// The bytes of an object's path.
inline std::string path_of(const rapidjson::Value& object) {
  if (object.HasMember("path_b64")) return from_base64(object["path_b64"].GetString()).value();
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
