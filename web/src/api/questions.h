// questions: the functions to which answer() dispatches, one for each path of the interface. They
// check their parameters even if there is no snapshot yet.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "api/answer.h"
#include "api/parameters.h"
#include "api/snapshot.h"

namespace fathom::web {

[[nodiscard]] Answer children_answer(const Snapshot* snapshot, Parameters& given);
[[nodiscard]] Answer tree_answer(const Snapshot* snapshot, Parameters& given);
[[nodiscard]] Answer search_answer(const Snapshot* snapshot, Parameters& given);
// Answers 404 if the kind is unknown.
[[nodiscard]] Answer report_answer(const Snapshot* snapshot, std::string_view kind,
                                   Parameters& given);

// The largest number of entries in a tree, and of rows in a page.
inline constexpr std::uint64_t kMostOffset = 0xffffffff;
inline constexpr std::uint64_t kMostLimit = 1000;
inline constexpr std::uint64_t kUsualLimit = 100;

// The part of a list that a question is about.
struct Span {
  std::uint64_t offset;
  std::uint64_t limit;
};
[[nodiscard]] Span span_of(Parameters& given);

// The error to answer if a parameter is wrong or there is no snapshot yet. Call it after reading
// all parameters.
[[nodiscard]] std::optional<Answer> refusal(const Snapshot* snapshot, Parameters& given);

[[nodiscard]] Answer bad_request(std::string_view message);
[[nodiscard]] Answer not_found(std::string_view path);  // the path is not in the scan

}  // namespace fathom::web
