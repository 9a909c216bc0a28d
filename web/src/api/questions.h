// questions: what answer() hands on to, one function for each path of the interface. Each takes its
// parameters, which are judged even before there is a snapshot.

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
// Not found if there is no such kind.
[[nodiscard]] Answer report_answer(const Snapshot* snapshot, std::string_view kind,
                                   Parameters& given);

// No tree has more entries, and no page more rows.
inline constexpr std::uint64_t kMostOffset = 0xffffffff;
inline constexpr std::uint64_t kMostLimit = 1000;
inline constexpr std::uint64_t kUsualLimit = 100;

// Which part of a list a question is about.
struct Span {
  std::uint64_t offset;
  std::uint64_t limit;
};
[[nodiscard]] Span span_of(Parameters& given);

// The error that is the answer if a parameter is wrong or there is no snapshot yet. To be asked
// when all parameters have been taken.
[[nodiscard]] std::optional<Answer> refusal(const Snapshot* snapshot, Parameters& given);

[[nodiscard]] Answer bad_request(std::string_view message);
[[nodiscard]] Answer not_found(std::string_view path);  // in the scan

}  // namespace fathom::web
