// NameTest: whether a name contains a text or matches a pattern. ASCII letters match in any case.
//
//   NameTest test("*.log");
//   test("Boot.LOG");  // true

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "fathom/fs/ignore.h"

namespace fathom::web {

class NameTest {
 public:
  // A query with *, ? or [...] is a pattern, which must match the whole name. Any other query is a
  // text.
  explicit NameTest(std::string_view query);

  // Not thread-safe.
  [[nodiscard]] bool operator()(std::string_view name);

 private:
  [[nodiscard]] bool contains_text(std::string_view name) const;

  std::string text_;              // a name must contain it; lower case
  std::optional<fs::Glob> glob_;  // a name must also match it; lower case
  std::string folded_;            // a buffer for the name in lower case
};

}  // namespace fathom::web
