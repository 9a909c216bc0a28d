// Answers: the cache.

#include "answers.h"

#include <utility>

namespace fathom::web {

std::shared_ptr<KeptAnswer> Answers::find(std::string_view question) const {
  const auto found = kept_.find(question);
  return found == kept_.end() ? nullptr : found->second;
}

void Answers::keep(std::string_view question, std::shared_ptr<KeptAnswer> answer) {
  constexpr std::size_t kOverhead = 512;  // bytes per entry, approximately
  const std::size_t size = question.size() + answer->full.size() + answer->not_modified.size();
  if (size + kOverhead > kMaxBytes / 4) return;
  if (bytes_ + size + kOverhead > kMaxBytes) forget();
  if (!kept_.emplace(question, std::move(answer)).second) return;
  bytes_ += size + kOverhead;
}

void Answers::forget() {
  kept_.clear();
  bytes_ = 0;
}

}  // namespace fathom::web
