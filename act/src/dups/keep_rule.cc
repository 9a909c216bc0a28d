// The names of rules and actions, and parsing them.

#include <iterator>

#include "fathom/act/dup_plan.h"

namespace fathom::act {

namespace {

constexpr std::string_view kActions[] = {"hardlink", "reflink", "remove", "quarantine"};
constexpr std::string_view kRules[] = {"first", "oldest", "newest", "shortest", "order"};
constexpr std::string_view kGlob = "glob:";

template <class Enum, std::size_t N>
std::optional<Enum> parse(std::string_view name, const std::string_view (&names)[N]) {
  for (std::size_t i = 0; i < N; ++i) {
    if (name == names[i]) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(DupAction action) {
  return kActions[static_cast<std::size_t>(action)];
}

std::optional<DupAction> parse_dup_action(std::string_view name) {
  return parse<DupAction>(name, kActions);
}

std::string to_string(const KeepRule& rule) {
  if (rule.by == KeepRule::By::glob) return std::string(kGlob) + rule.pattern;
  return std::string(kRules[static_cast<std::size_t>(rule.by)]);
}

std::optional<KeepRule> parse_keep_rule(std::string_view text) {
  if (text.starts_with(kGlob) && text.size() > kGlob.size()) {
    return KeepRule{KeepRule::By::glob, std::string(text.substr(kGlob.size()))};
  }
  const auto by = parse<KeepRule::By>(text, kRules);
  if (!by) return std::nullopt;
  return KeepRule{*by, {}};
}

}  // namespace fathom::act
