// NameTest: whether a name contains a text or matches a pattern, letters of ASCII in any case.
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
  // A pattern if it holds *, ? or [...]: it is to match the whole name then. Anything else is a
  // text.
  explicit NameTest(std::string_view query);

  // By one thread at a time.
  [[nodiscard]] bool operator()(std::string_view name);

 private:
  [[nodiscard]] bool contains_text(std::string_view name) const;

  std::string text_;              // that a name must contain, in lower case
  std::optional<fs::Glob> glob_;  // that it must match, too: in lower case
  std::string folded_;            // room for a name
};

}  // namespace fathom::web
