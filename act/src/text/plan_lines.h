// The lines that every plan has: a head with the schema, items, and an end with their number.

#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "fathom/fs/source.h"
#include "text/json_fields.h"

namespace fathom::act {

struct PlanLines {
  std::string_view family;  // of the schema, up to the slash: "fathom.plan/"
  std::string_view schema;  // the only version that is known
  std::function<void(JsonFields&)> head;
  std::function<void(JsonFields&)> item;
};

// Calls head() once, then item() for each line until the end, which may be followed by blank lines
// only. Returns the number that the end has. Throws base::Error as read_plan() does.
[[nodiscard]] std::uint64_t read_plan_lines(const fs::Source& source, const PlanLines& lines);

}  // namespace fathom::act
