// Verdict: names of outcomes, and texts of errors.

#include "dups/verdict.h"

#include <cstddef>
#include <system_error>

namespace fathom::fs {

std::string_view to_string(Outcome outcome) {
  static constexpr std::string_view kNames[] = {"done",           "would be done",    "done before",
                                                "already shared", "promoted to kept", "refused",
                                                "failed"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Verdict failed(const std::string& what, int code) {
  return {Outcome::failed, what + ": " + std::generic_category().message(code), code, 0};
}

std::string left_at(const std::string& name) {
  return "its content is at '" + name + "' beside it";
}

}  // namespace fathom::fs
