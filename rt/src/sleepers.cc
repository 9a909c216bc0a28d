// Sleepers: taking a sleeping worker out of its set, and ringing its bell.

#include "fathom/rt/detail/sleepers.h"

#include <bit>

namespace fathom::rt::detail {

Sleepers::Sleepers(unsigned workers, unsigned enough, const Observer* observer)
    : size_((workers + kBits - 1) / kBits),
      enough_(std::max(enough, 2U)),
      observer_(observer),
      bells_(new EventCount[workers]),
      words_(new Word[2 * std::size_t{size_}]()) {}

bool Sleepers::any(Kind kind) const noexcept {
  for (unsigned first = 0; first != size_ * kBits; first += kBits) {
    if (word(kind, first).load(base::memory_order_relaxed) != 0) return true;
  }
  return false;
}

bool Sleepers::end_search() noexcept {
  // While more than enough remain, those who relied on this mark can rely on another one.
  if (marks_.fetch_sub(1, base::memory_order_seq_cst) > enough_) return false;  // [X3]
  base::fence(base::memory_order_seq_cst);                                      // [X2]
  return true;
}

bool Sleepers::wake(Kind kind) noexcept {
  for (unsigned first = 0; first != size_ * kBits; first += kBits) {
    Word& here = word(kind, first);
    std::uint64_t asleep = here.load(base::memory_order_relaxed);
    while (asleep != 0) {
      const auto worker = first + static_cast<unsigned>(std::countr_zero(asleep));
      asleep = here.fetch_and(~bit(worker), base::memory_order_seq_cst);  // [X3]
      if ((asleep & bit(worker)) == 0) continue;                          // another thread took it
      if (observer_ != nullptr) observer_->wakes();
      bells_[worker].notify_one();
      return true;
    }
  }
  return false;
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
