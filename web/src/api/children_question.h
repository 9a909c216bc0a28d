// ChildrenQuestion: which entries of a directory to list, and in which order.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "api/answer.h"
#include "api/measured_bytes.h"
#include "api/parameters.h"

namespace fathom::web {

struct ChildrenQuestion {
  enum class Sort : std::uint8_t { size, name, entries, modified, owner };

  std::string path;
  Measure measure = Measure::disk;
  Sort sort = Sort::size;
  bool descending = true;
  Span span = {};
  // The name of an entry, as bytes: the offset is that of the page that contains it.
  std::optional<std::string> around = {};
};

[[nodiscard]] ChildrenQuestion children_question(Parameters& given);

}  // namespace fathom::web
