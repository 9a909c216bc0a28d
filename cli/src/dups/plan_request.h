// PlanRequest: the options of a plan, and of applying and undoing it.

#pragma once

#include <optional>
#include <string>

#include "fathom/fs/dup_plan.h"

namespace fathom::cli {

struct PlanRequest {
  std::optional<std::string> write;  // the file of the plan to write
  std::optional<fs::DupAction> action;
  std::optional<fs::KeepRule> keep;

  std::optional<std::string> apply;  // the file of the plan to apply
  std::optional<std::string> undo;   // the journal of the run to undo
  bool execute = false;              // false: a dry run
  std::optional<std::string> journal;
  std::optional<std::string> quarantine;
  bool trust_times = false;

  // Whether to apply or undo a plan instead of searching.
  [[nodiscard]] bool acts() const { return apply.has_value() || undo.has_value(); }
};

}  // namespace fathom::cli
