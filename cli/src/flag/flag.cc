// Flag: how a flag may be written.

#include "flag/flag.h"

namespace fathom::cli {

std::vector<std::string> spellings(const Flag& flag) {
  std::vector<std::string> spellings;
  if (flag.letter != '\0') spellings.push_back(std::string("-") + flag.letter);
  if (!flag.name.empty()) spellings.push_back("--" + std::string(flag.name));
  return spellings;
}

}  // namespace fathom::cli
