// Answers: the cache and the lists of waiters.

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

bool Answers::wait(std::string_view question, Waiter waiter) {
  auto waiting = waiters_.find(question);
  const bool first = waiting == waiters_.end();
  if (first) waiting = waiters_.emplace(question, std::vector<Waiter>()).first;
  waiting->second.push_back(std::move(waiter));
  return first;
}

std::vector<Answers::Waiter> Answers::take_waiters(std::string_view question) {
  const auto waiting = waiters_.find(question);
  if (waiting == waiters_.end()) return {};
  std::vector<Waiter> all = std::move(waiting->second);
  waiters_.erase(waiting);
  return all;
}

}  // namespace fathom::web
