// ActionWords: what a plan does to a file, in words.

#pragma once

#include <string_view>

#include "fathom/fs/dup_plan.h"

namespace fathom::cli {

struct ActionWords {
  std::string_view verb;  // "hard-link"
  std::string_view done;  // "hard-linked"
};

[[nodiscard]] ActionWords words_of(fs::DupAction action);

}  // namespace fathom::cli
