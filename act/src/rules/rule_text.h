// Rules as text: TOML, with an array of tables [[rule]].

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fathom/act/rules.h"

namespace fathom::act {

// Throws base::Error, "NAME:3: ...", if the text is not TOML, or if a rule is not valid by itself:
// a key is unknown or missing, a value has the wrong type, a safe rule has no evidence.
[[nodiscard]] std::vector<Rule> parse_rules(std::string_view text, const std::string& name);

}  // namespace fathom::act
