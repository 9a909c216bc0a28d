// Sleepers: taking a sleeping worker out of its set, and ringing its bell.

#include "fathom/rt/detail/sleepers.h"

#include <bit>

namespace fathom::rt::detail {

Sleepers::Sleepers(unsigned workers, unsigned enough, const Observer* observer)
    : size_((workers + kBits - 1) / kBits),
      enough_(std::max(enough, 2U)),
      observer_(observer),
      beds_(new Bed[workers]),
      words_(new Word[2 * std::size_t{size_}]()) {}

bool Sleepers::any(Kind kind) const noexcept {
  for (unsigned first = 0; first != size_ * kBits; first += kBits) {
    std::uint64_t asleep = word(kind, first).load(base::memory_order_relaxed);
    for (; asleep != 0; asleep &= asleep - 1) {
      Bed& bed = beds_[first + static_cast<unsigned>(std::countr_zero(asleep))];
      if (bed.message(kind).load(base::memory_order_relaxed) == kNone) return true;
    }
  }
  return false;
}

bool Sleepers::end_search() noexcept {
  // While more than enough remain, those who relied on this mark can rely on another one.
  if (marks_.fetch_sub(1, base::memory_order_seq_cst) > enough_) return false;  // [X3]
  base::fence(base::memory_order_seq_cst);                                      // [X2]
  return true;
}

bool Sleepers::wake_with(Kind kind, std::uintptr_t message) noexcept {
  for (unsigned first = 0; first != size_ * kBits; first += kBits) {
    std::uint64_t asleep = word(kind, first).load(base::memory_order_relaxed);
    for (; asleep != 0; asleep &= asleep - 1) {
      const auto worker = first + static_cast<unsigned>(std::countr_zero(asleep));
      const Waking waking = try_wake(worker, kind, message);
      if (waking == Waking::woken) return true;
      // A thread that saw the message has left its work to that worker, which may sleep again. Only
      // the owner of a mark looks for such work.
      if (waking == Waking::taken_back && message != kMark) return false;
    }
  }
  return false;
}

Sleepers::Waking Sleepers::try_wake(unsigned worker, Kind kind, std::uintptr_t message) noexcept {
  Bed& bed = beds_[worker];
  MessageWord& place = bed.message(kind);
  std::uintptr_t none = kNone;
  if (!place.compare_exchange_strong(none, message, base::memory_order_seq_cst,  // [X3]
                                     base::memory_order_relaxed)) {
    return Waking::busy;  // another thread is waking it
  }
  // [X3]
  if ((word(kind, worker).fetch_and(~bit(worker), base::memory_order_seq_cst) & bit(worker)) != 0) {
    if (observer_ != nullptr) observer_->wakes();
    bed.bell.notify_one();
    return Waking::woken;
  }
  // It has left its set. What is taken back here may be the same message from another thread, which
  // then believes that the worker has found it. That is true of one of the two, and marks are
  // equal.
  const bool taken_back = place.compare_exchange_strong(  // [X3]
      message, kNone, base::memory_order_seq_cst, base::memory_order_relaxed);
  return taken_back ? Waking::taken_back : Waking::woken;
}

Sleepers::Message Sleepers::take_message(unsigned worker, Kind kind) noexcept {
  const std::uintptr_t message =
      beds_[worker].message(kind).exchange(kNone, base::memory_order_seq_cst);  // [X3]
  if (message <= kMark) return {message == kMark, nullptr};
  return {false, reinterpret_cast<Task*>(message)};
}

void Sleepers::ring(Kind kind) noexcept {
  base::fence(base::memory_order_seq_cst);  // [G2]
  for (unsigned first = 0; first != size_ * kBits; first += kBits) {
    std::uint64_t asleep = word(kind, first).load(base::memory_order_relaxed);
    for (; asleep != 0; asleep &= asleep - 1) {
      ring(first + static_cast<unsigned>(std::countr_zero(asleep)));
    }
  }
}

bool Sleepers::commit(EventCount& bell, EventCount::Key key,
                      const Deadline* deadline) const noexcept {
  const Observer::Moment began = observer_ == nullptr ? 0 : observer_->park_begins();
  bool in_time = true;
  if (deadline == nullptr) {
    bell.commit_wait(key);
  } else {
    in_time = bell.commit_wait_until(key, *deadline);
  }
  if (observer_ != nullptr) observer_->park_ends(began);
  return in_time;
}

}  // namespace fathom::rt::detail
