// PlanRequest: what is to become of the duplicates, as far as it was asked for.

#pragma once

#include <optional>
#include <string>

#include "fathom/fs/dup_plan.h"

namespace fathom::cli {

struct PlanRequest {
  std::optional<std::string> write;  // the plan's file
  std::optional<fs::DupAction> action;
  std::optional<fs::KeepRule> keep;

  std::optional<std::string> apply;  // the plan's file
  std::optional<std::string> undo;   // the journal's
  bool execute = false;              // else all is rehearsed
  std::optional<std::string> journal;
  std::optional<std::string> quarantine;
  bool trust_times = false;

  // Whether nothing is searched for.
  [[nodiscard]] bool acts() const { return apply.has_value() || undo.has_value(); }
};

}  // namespace fathom::cli
