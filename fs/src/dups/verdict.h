// Verdict: the result of an act, and the reason.

#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "fathom/fs/dup_apply.h"

namespace fathom::fs {

struct Verdict {
  Outcome outcome = Outcome::done;
  std::string why;
  int code = 0;  // errno
  std::uint64_t freed = 0;
};

// For a deviation from the plan the errno is only recorded; for any other error the system's
// message is appended.
inline Verdict refused(std::string why, int code = 0) {
  return {Outcome::refused, std::move(why), code, 0};
}
[[nodiscard]] Verdict failed(const std::string& what, int code);

// "NAME", for messages about a name that was left behind.
[[nodiscard]] std::string left_at(const std::string& name);

}  // namespace fathom::fs
