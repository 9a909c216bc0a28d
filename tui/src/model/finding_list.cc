// FindingList: which rows there are.

#include "model/finding_list.h"

#include <algorithm>
#include <utility>

namespace fathom::tui {

void FindingList::set(std::shared_ptr<const Findings> findings) {
  clear();
  findings_ = std::move(findings);
  for (const FindingGroup& group : findings_->groups) open_.push_back(group.opens);
  arrange();
}

void FindingList::toggle(std::uint32_t group) {
  open_[group] = !open_[group];
  arrange();
}

std::size_t FindingList::heading_of(std::uint32_t group) const {
  const auto heading = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
    return row.group == group && row.is_heading();
  });
  return static_cast<std::size_t>(heading - rows_.begin());
}

void FindingList::arrange() {
  rows_.clear();
  for (std::uint32_t group = 0; group < open_.size(); ++group) {
    const FindingGroup& all = findings_->groups[group];
    if (all.kind != FindingGroup::Kind::changes) rows_.push_back({group});
    if (!open_[group]) continue;
    for (std::size_t i = all.begin; i < all.end; ++i) {
      rows_.push_back({group, static_cast<std::uint32_t>(i)});
    }
  }
}

}  // namespace fathom::tui
