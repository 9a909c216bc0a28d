// SelectRequest: the entries to exclude from a scan, and those to count among the rest.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/selection.h"
#include "select/moment.h"

namespace fathom::cli {

// A source of exclusion rules.
struct RuleSource {
  bool is_file = false;
  std::string text;  // the rule itself, or the name of a file of rules
};

struct SelectRequest {
  std::vector<RuleSource> rules;  // in the order given
  fs::Selection selection;        // without the rules, the moments and the measure
  std::optional<Moment> newer;
  std::optional<Moment> older;
};

}  // namespace fathom::cli
