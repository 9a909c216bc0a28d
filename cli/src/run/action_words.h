// ActionWords: what a plan does to a file, in words.

#pragma once

#include <string_view>

#include "fathom/act/dup_plan.h"

namespace fathom::cli {

struct ActionWords {
  std::string_view verb;  // "hard-link"
  std::string_view done;  // "hard-linked"
};

[[nodiscard]] ActionWords words_of(act::DupAction action);

}  // namespace fathom::cli
