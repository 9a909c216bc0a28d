// SelectRequest: what a scan was asked to leave out, and what to count of the rest.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/selection.h"
#include "select/moment.h"

namespace fathom::cli {

// Where rules of what to leave out come from.
struct RuleSource {
  bool is_file = false;
  std::string text;  // the rule itself, or the file's name
};

struct SelectRequest {
  std::vector<RuleSource> rules;  // in the order given
  fs::Selection selection;        // without the rules, the moments and the measure
  std::optional<Moment> newer;
  std::optional<Moment> older;
};

}  // namespace fathom::cli
