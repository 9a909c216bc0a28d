// choose: filters, and a sort for --need.

#include "fathom/act/choice.h"

#include <algorithm>
#include <tuple>

#include "fathom/base/saturating.h"
#include "fathom/fs/newest.h"
#include "fathom/fs/owner_names.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/where_facts.h"

namespace fathom::act {

namespace {

constexpr std::int64_t kDaySeconds = 24LL * 60 * 60;
constexpr std::int64_t kMonthSeconds = 30 * kDaySeconds;

// What the scan knows of a candidate, and what its rule says.
class CandidateFacts : public fs::WhereFacts {
 public:
  CandidateFacts(const fs::Scan& scan, std::int64_t now)
      : totals_(scan.tree),
        newest_(scan.tree, now + kDaySeconds),
        names_(scan.owner_names()),
        facts_(scan.tree, totals_, newest_, names_, now) {}

  void look_at(const Candidate& candidate) {
    candidate_ = &candidate;
    facts_.look_at(candidate.node, candidate.directory);
  }

  [[nodiscard]] fs::WhereValue value(fs::WhereField field) const override {
    switch (field) {
      case fs::WhereField::rule:
        return std::string_view(candidate_->rule->id);
      case fs::WhereField::cls:
        return to_string(candidate_->cls);
      case fs::WhereField::path:
        return std::string_view(candidate_->path);
      default:
        return facts_.value(field);
    }
  }

 private:
  const fs::Totals totals_;
  const fs::Newest newest_;
  const fs::OwnerNames names_;
  fs::TreeFacts facts_;
  const Candidate* candidate_ = nullptr;
};

bool passes(const Candidate& one, const ChoiceOptions& options) {
  if (!options.classes.empty() && !options.classes.contains(one.cls)) return false;
  if (!options.rules.empty() && !options.rules.contains(one.rule->id)) return false;
  if (one.disk_bytes < options.min_size) return false;
  if (!options.older_than) return true;
  return one.newest != fs::kUnknownTime && one.newest < *options.older_than;
}

// The best to remove first.
auto rank_of(const Candidate& one, std::int64_t now) {
  const bool unknown = one.newest == fs::kUnknownTime;
  const std::int64_t age = unknown ? 0 : base::saturating_add_signed(now, -one.newest);
  return std::tuple(one.cls, -(age / kMonthSeconds), ~one.frees, std::string_view(one.path));
}

void keep_until_enough(Choice& choice, std::uint64_t need, std::int64_t now) {
  auto& items = choice.items;
  const auto freed_by_tool = [](const Candidate* one) { return one->left_to_tool(); };
  items.erase(std::remove_if(items.begin(), items.end(), freed_by_tool), items.end());
  std::sort(items.begin(), items.end(), [now](const Candidate* a, const Candidate* b) {
    return rank_of(*a, now) < rank_of(*b, now);
  });
  std::uint64_t freed = 0;
  std::size_t taken = 0;
  while (taken < items.size() && freed < need) {
    freed = base::saturating_add(freed, items[taken++]->frees);
  }
  items.resize(taken);
  choice.enough = freed >= need;
}

}  // namespace

Choice choose(const fs::Scan& scan, const Candidates& found, const ChoiceOptions& options,
              std::int64_t now) {
  Choice choice;
  std::optional<CandidateFacts> facts;
  if (options.where) facts.emplace(scan, now);
  for (const Candidate& one : found.items) {
    if (!passes(one, options)) continue;
    if (facts) facts->look_at(one);
    if (facts && !options.where->selects(*facts, now)) continue;
    choice.items.push_back(&one);
  }
  if (options.need != 0) keep_until_enough(choice, options.need, now);
  for (const Candidate* const one : choice.items) {
    choice.frees = base::saturating_add(choice.frees, one->frees);
  }
  return choice;
}

}  // namespace fathom::act
