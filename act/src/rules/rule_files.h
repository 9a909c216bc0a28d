// The rules that are part of the program: a file of act/rules each, which the build embeds.

#pragma once

#include <span>
#include <string_view>

namespace fathom::act {

struct RuleFile {
  std::string_view name;
  std::string_view text;
};

[[nodiscard]] std::span<const RuleFile> built_in_rule_files();

}  // namespace fathom::act
