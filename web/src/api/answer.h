// answer: the functions that compute the data in responses, and what they share.
//
// They check their parameters even if there is no snapshot yet.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "api/parameters.h"
#include "api/snapshot.h"
#include "fathom/rt/cancel.h"
#include "http/response.h"

namespace fathom::web {

struct Answer {
  int status = 200;       // HTTP status
  std::string body = {};  // JSON, without a newline at its end; or text of another type
  // Whether it depends on nothing but the snapshot of the scan, and may be kept as long as that.
  bool keep = true;
  std::string_view type = kJson;
};

inline constexpr std::string_view kPlanText = "application/x-ndjson";

[[nodiscard]] Answer children_answer(const Snapshot* snapshot, Parameters& given);
[[nodiscard]] Answer tree_answer(const Snapshot* snapshot, Parameters& given);
// Ends early when it is cancelled, with an answer that must not be used.
[[nodiscard]] Answer search_answer(const Snapshot* snapshot, Parameters& given,
                                   const rt::CancelToken& cancel);
// Answers 404 if the kind is unknown.
[[nodiscard]] Answer report_answer(const Snapshot* snapshot, std::string_view kind,
                                   Parameters& given);
[[nodiscard]] Answer plan_sums_answer(const Snapshot* snapshot, std::string_view body);

// The largest number of entries in a tree, and of rows in a page.
inline constexpr std::uint64_t kMostOffset = 0xffffffff;
inline constexpr std::uint64_t kMostLimit = 1000;
inline constexpr std::uint64_t kUsualLimit = 100;
// A page whose JSON is longer has no further rows, whatever its limit: paths may have any length.
// All that precedes the rows is shorter, so that each page has one.
inline constexpr std::size_t kEnoughJson = std::size_t{4} << 20;

// The part of a list that a question is about.
struct Span {
  std::uint64_t offset;
  std::uint64_t limit;
};
[[nodiscard]] Span span_of(Parameters& given);

// The error to answer if a parameter is wrong or there is no snapshot yet. Call it after reading
// all parameters.
[[nodiscard]] std::optional<Answer> refusal(const Snapshot* snapshot, Parameters& given);

// {"error":{"code":...,"message":...}}. Bytes of the message that are not UTF-8 are replaced.
// journal: of a run that ended in the error; empty: none.
[[nodiscard]] std::string error_body(std::string_view code, std::string_view message,
                                     std::string_view journal = {});
[[nodiscard]] Answer error_answer(int status, std::string_view code, std::string_view message);
[[nodiscard]] Answer bad_request(std::string_view message);
[[nodiscard]] Answer no_results_yet();
[[nodiscard]] Answer not_found(std::string_view path);  // the path is not in the scan

}  // namespace fathom::web
