// Verdict: names of outcomes, and texts of errors.

#include "run/verdict.h"

#include <cstddef>
#include <system_error>

#include "fathom/base/saturating.h"

namespace fathom::act {

std::string_view to_string(Outcome outcome) {
  static constexpr std::string_view kNames[] = {"done",           "would be done",    "done before",
                                                "already shared", "promoted to kept", "refused",
                                                "failed"};
  return kNames[static_cast<std::size_t>(outcome)];
}

Verdict failed(const std::string& what, int code) {
  return {Outcome::failed, what + ": " + message_of(code), code, 0};
}

std::string message_of(int code) {
  return std::generic_category().message(code);
}

std::string left_at(const std::string& name) {
  return "its content is at '" + name + "' beside it";
}

std::string beside_it(const Location& location) {
  return "'" + location.name + "' beside it";
}

Verdict left_behind(Verdict verdict, const std::string& what) {
  // A file at its link limit is kept, whatever else happens.
  if (verdict.outcome != Outcome::promoted_to_kept) verdict.outcome = Outcome::failed;
  verdict.why += "; " + what;
  return verdict;
}

void count_act(Applied& applied, const Verdict& verdict) {
  applied.freed = base::saturating_add(applied.freed, verdict.freed);
  applied.held = base::saturating_add(applied.held, verdict.held);
  switch (verdict.outcome) {
    case Outcome::done:
    case Outcome::would_be_done:
      ++applied.done;
      break;
    case Outcome::done_before:
      ++applied.done_before;
      break;
    case Outcome::already_shared:
      ++applied.already_shared;
      break;
    case Outcome::promoted_to_kept:
      ++applied.promoted_to_kept;
      break;
    case Outcome::refused:
      ++applied.refused;
      break;
    case Outcome::failed:
      ++applied.failed;
      break;
  }
}

}  // namespace fathom::act
