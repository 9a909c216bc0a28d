// Flag: the texts about a flag that are derived from its row.

#include "flags/flag.h"

namespace fathom::cli {

std::vector<std::string> spellings(const Flag& flag) {
  std::vector<std::string> spellings;
  if (flag.letter != '\0') spellings.push_back(std::string("-") + flag.letter);
  if (!flag.name.empty()) spellings.push_back("--" + std::string(flag.name));
  return spellings;
}

std::string listed(std::span<const Choice> choices, bool with_notes) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 < choices.size() ? ", " : " or ";
    text += choices[i].name;
    if (with_notes) text += choices[i].note;
  }
  return text;
}

std::string names(std::span<const Choice> choices) {
  std::string text;
  for (const Choice& choice : choices) {
    if (choice.name.ends_with(':')) continue;
    text += (text.empty() ? "" : " ") + std::string(choice.name);
  }
  return text;
}

std::string help_of(const Flag& flag) {
  std::string text(flag.help);
  const std::size_t place = text.find("{}");
  if (place != std::string::npos) text.replace(place, 2, listed(flag.choices, true));
  return text;
}

std::string brief_of(const Flag& flag) {
  if (!flag.brief.empty()) return std::string(flag.brief);
  return flag.arg == Arg::choice ? listed(flag.choices, false) : help_of(flag);
}

}  // namespace fathom::cli
