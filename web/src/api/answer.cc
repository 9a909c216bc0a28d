// answer: dispatch to the functions of questions.h, and errors.

#include "api/answer.h"

#include <string>
#include <utility>

#include "api/json_text.h"
#include "api/parameters.h"
#include "api/questions.h"
#include "fathom/fs/utf8.h"

namespace fathom::web {

std::string error_body(std::string_view code, std::string_view message) {
  JsonText json;
  json.begin_object();
  json.begin_object("error");
  json.string("code", code);
  json.string("message", fs::to_utf8(message));
  json.end_object();
  json.end_object();
  return std::move(json).take();
}

Answer error_answer(int status, std::string_view code, std::string_view message) {
  return {.status = status, .body = error_body(code, message)};
}

Answer bad_request(std::string_view message) {
  return error_answer(400, "bad_request", message);
}

Answer not_found(std::string_view path) {
  return error_answer(
      404, "not_found",
      std::string(path) + " is not in this scan: it may be new, deleted, or outside of its roots");
}

Span span_of(Parameters& given) {
  const std::uint64_t offset = given.integer("offset", 0, 0, kMostOffset);
  return {.offset = offset, .limit = given.integer("limit", kUsualLimit, 1, kMostLimit)};
}

std::optional<Answer> refusal(const Snapshot* snapshot, Parameters& given) {
  if (const auto& error = given.error()) return bad_request(*error);
  if (snapshot == nullptr) return error_answer(503, "busy", "the scan has no results yet");
  return std::nullopt;
}

Answer answer(const Snapshot* snapshot, std::string_view name, std::string_view query) {
  constexpr std::string_view kReports = "reports/";
  Parameters given(query);
  if (name == "children") return children_answer(snapshot, given);
  if (name == "tree") return tree_answer(snapshot, given);
  if (name == "search") return search_answer(snapshot, given);
  if (name.starts_with(kReports)) {
    return report_answer(snapshot, name.substr(kReports.size()), given);
  }
  return error_answer(404, "not_found", "unknown path: /api/1/" + std::string(name));
}

}  // namespace fathom::web
