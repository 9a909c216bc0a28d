// Fuzzes Where: any text is refused with a column in it, or selects as logic demands: an expression
// and its negation never both, and parentheses around it change nothing.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/fs/where.h"

namespace fathom::fs {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;

// An entry of which the numbers and the name are known, but not the rest.
struct SomeFacts : WhereFacts {
  [[nodiscard]] WhereValue value(WhereField field) const override {
    switch (field) {
      case WhereField::size:
      case WhereField::used:
      case WhereField::depth:
      case WhereField::links:
        return std::uint64_t{4096};
      case WhereField::age:
        return std::int64_t{86400};
      case WhereField::mtime:
        return kNow - 86400;
      case WhereField::name:
        return std::string_view("a.log");
      case WhereField::path:
        return std::string_view("/srv/a.log");
      default:
        return {};
    }
  }
};

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

std::optional<Where> parsed(const std::string& text) {
  try {
    return Where::parse(text);
  } catch (const WhereError& error) {
    if (error.column() < 1 || error.column() > text.size() + 1)
      fail("the column is not in the text");
    return std::nullopt;
  }
}

void check_where(const std::string& text) {
  const auto where = parsed(text);
  const auto inner = parsed('(' + text + ')');
  const auto negated = parsed("not (" + text + ')');
  if (!where) return;
  if (!inner || !negated) fail("parentheses made it invalid");
  const SomeFacts facts;
  const bool selects = where->selects(facts, kNow);
  if (inner->selects(facts, kNow) != selects) fail("parentheses changed it");
  if (selects && negated->selects(facts, kNow)) fail("it and its negation select the same");
}

}  // namespace
}  // namespace fathom::fs

// libFuzzer requires this name. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fathom::fs::check_where({reinterpret_cast<const char*>(data), size});
  return 0;
}
