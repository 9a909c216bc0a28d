// NameMatcher: whether a name contains a text or matches a pattern. ASCII letters match in any
// case.
//
// Patterns are those of Glob (ignore.h), compared with one name.
//
//   NameMatcher matcher("*.log");
//   matcher("Boot.LOG");  // true

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/fs/ignore.h"

namespace fathom::fs {

class NameMatcher {
 public:
  enum class Query : std::uint8_t {
    any,      // a pattern if it has *, ? or [...], and otherwise a text
    pattern,  // a pattern, even without any of these
  };

  // A pattern must match the whole name. A malformed one matches nothing.
  explicit NameMatcher(std::string_view query, Query meant = Query::any);

  // Not thread-safe.
  [[nodiscard]] bool operator()(std::string_view name);

 private:
  [[nodiscard]] bool contains_text(std::string_view name) const;

  std::string text_;          // a name must contain it; lower case
  std::optional<Glob> glob_;  // a name must also match it; lower case
  std::string folded_;        // a buffer for the name in lower case
};

}  // namespace fathom::fs
