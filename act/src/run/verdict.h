// Verdict: the result of an act, and the reason.

#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fathom/act/open_file.h"
#include "fathom/act/outcome.h"
#include "os/safe_open.h"

namespace fathom::act {

struct Verdict {
  Outcome outcome = Outcome::done;
  std::string why;
  int code = 0;             // errno
  std::uint64_t freed = 0;  // bytes; see Act, as for the next
  std::uint64_t held = 0;
  std::vector<OpenFile> open = {};  // see PlanApplied
};

// For a deviation from the plan the errno is only recorded; for any other error the system's
// message is appended.
inline Verdict refused(std::string why, int code = 0) {
  return {Outcome::refused, std::move(why), code, 0};
}
[[nodiscard]] Verdict failed(const std::string& what, int code);

// The system's message.
[[nodiscard]] std::string message_of(int code);

// For messages about a name that was left behind: where the content is, and where something is.
[[nodiscard]] std::string left_at(const std::string& name);
[[nodiscard]] std::string beside_it(const Location& location);

// The verdict, failed now, because something stays that the act has made.
[[nodiscard]] Verdict left_behind(Verdict verdict, const std::string& what);

// Adds one act to the totals of a run.
void count_act(Applied& applied, const Verdict& verdict);

}  // namespace fathom::act
