// answer: errors, and parameters that several answers have.

#include "api/answer.h"

#include <string>
#include <utility>

#include "fathom/fs/json_writer.h"
#include "fathom/fs/utf8.h"

namespace fathom::web {

std::string error_body(std::string_view code, std::string_view message, std::string_view journal) {
  fs::JsonWriter json;
  json.begin_object();
  json.begin_object("error");
  json.string("code", code);
  json.string("message", fs::to_utf8(message));
  if (!journal.empty()) json.bytes("journal", journal);
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

Answer no_results_yet() {
  return error_answer(503, "busy", "the scan has no results yet");
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
  if (snapshot == nullptr) return no_results_yet();
  return std::nullopt;
}

}  // namespace fathom::web
