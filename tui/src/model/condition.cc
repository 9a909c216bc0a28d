// Condition: the facts of the scan, with the names of owners that are known already.

#include "model/condition.h"

#include <optional>

namespace fathom::tui {

ConditionFilter::ConditionFilter(const Facts& facts, const Condition& condition)
    : condition_(condition),
      now_(facts.now()),
      names_{[&facts](std::uint32_t id) { return std::optional<std::string>(facts.owner(id)); },
             [&facts](std::uint32_t id) { return std::optional<std::string>(facts.group(id)); }},
      facts_(facts.tree(), facts.totals(), facts.newest(), names_, now_) {}

bool ConditionFilter::selects(fs::NodeId node, fs::DirId directory) {
  facts_.look_at(node, directory);
  return condition_.where.selects(facts_, now_);
}

}  // namespace fathom::tui
