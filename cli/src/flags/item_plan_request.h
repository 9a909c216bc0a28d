// ItemPlanRequest: the arguments of commands that write a plan for what they list.

#pragma once

#include <optional>
#include <string>

#include "fathom/act/plan.h"

namespace fathom::cli {

struct ItemPlanRequest {
  std::optional<std::string> write;   // the file of the plan
  bool force = false;                 // replace it
  std::optional<act::Action> action;  // none: the default of the command
};

}  // namespace fathom::cli
