// FindingList: which rows there are.

#include "model/finding_list.h"

#include <utility>

namespace fathom::tui {

void FindingList::set(std::shared_ptr<const Findings> findings) {
  clear();
  findings_ = std::move(findings);
  for (const FindingGroup& group : findings_->groups) open_.push_back(group.opens);
  if (!text_.empty()) narrowed_ = narrowed(*findings_, *findings_, text_);
  arrange();
}

void FindingList::clear() {
  std::string text = std::move(text_);
  *this = {};
  text_ = std::move(text);
}

void FindingList::narrow(const std::string& text) {
  if (text == text_) return;
  if (findings_ != nullptr && !text.empty()) {
    // What does not contain a part of the text does not contain the text.
    const auto is_plain = [](const std::string& one) {
      return !one.empty() && one.find_first_of("*?[") == std::string::npos;
    };
    const bool narrower =
        is_plain(text_) && is_plain(text) && text.find(text_) != std::string::npos;
    narrowed_ = narrowed(*findings_, narrower ? shown() : *findings_, text);
  }
  text_ = text;
  arrange();
}

void FindingList::toggle(std::uint32_t group) {
  open_[group] = !open_[group];
  arrange();
}

void FindingList::arrange() {
  rows_.clear();
  for (std::uint32_t group = 0; group < open_.size(); ++group) {
    const FindingGroup& all = shown().groups[group];
    if (all.size() == 0) continue;
    if (all.kind != FindingGroup::Kind::changes) rows_.push_back({group});
    if (!open_[group]) continue;
    for (std::size_t i = all.begin; i < all.end; ++i) {
      rows_.push_back({group, static_cast<std::uint32_t>(i)});
    }
  }
}

}  // namespace fathom::tui
