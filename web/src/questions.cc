// Questions: the queue, its waiters, and dropping what nobody waits for.

#include "questions.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fathom::web {

void Questions::ask(std::string_view text, Waiter waiter, Start start) {
  auto known = by_text_.find(text);
  if (known == by_text_.end()) {
    queued_.push_back({++last_, std::string(text), std::move(start), {}, {}});
    const Place asked = std::prev(queued_.end());
    known = by_text_.emplace(asked->text, asked).first;
  }
  by_waiter_.emplace(waiter.connection, known->second);
  known->second->waiters.push_back(std::move(waiter));
  start_some();
}

void Questions::leave(Connection connection) noexcept {
  const auto known = by_waiter_.find(connection);
  if (known == by_waiter_.end()) return;
  const Place question = known->second;
  by_waiter_.erase(known);
  std::erase_if(question->waiters,
                [&](const Waiter& waiter) { return waiter.connection == connection; });
  if (question->waiters.empty() && !question->cancel.cancelled()) drop(question);
}

void Questions::cancel() noexcept {
  for (Question& question : running_) {
    if (question.cancel.cancelled()) continue;
    by_text_.erase(question.text);
    question.cancel.cancel();
  }
}

void Questions::drop(Place question) noexcept {
  by_text_.erase(question->text);
  if (question->running) {
    question->cancel.cancel();
  } else {
    queued_.erase(question);
  }
}

std::vector<Questions::Waiter> Questions::ended(Number number) {
  const auto question = std::find_if(running_.begin(), running_.end(),
                                     [&](const Question& each) { return each.number == number; });
  if (question == running_.end()) return {};
  std::vector<Waiter> waiters = std::move(question->waiters);
  for (const Waiter& waiter : waiters) by_waiter_.erase(waiter.connection);
  // If it was cancelled, the same text may be another question by now.
  if (!question->cancel.cancelled()) by_text_.erase(question->text);
  running_.erase(question);
  start_some();
  return waiters;
}

void Questions::start_some() {
  while (running_.size() < at_once_ && !queued_.empty()) {
    running_.splice(running_.end(), queued_, queued_.begin());
    Question& next = running_.back();
    next.running = true;
    ++started_;
    next.start(next.number, next.cancel.token());
  }
}

}  // namespace fathom::web
