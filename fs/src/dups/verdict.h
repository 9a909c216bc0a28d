// Verdict: what became of an act, and why.

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

// For an error that says that something is not as planned, the errno is only told; for any other
// the system's words follow.
inline Verdict refused(std::string why, int code = 0) {
  return {Outcome::refused, std::move(why), code, 0};
}
[[nodiscard]] Verdict failed(const std::string& what, int code);

// "NAME", as people are told of a name that was left behind.
[[nodiscard]] std::string left_at(const std::string& name);

}  // namespace fathom::fs
