// TokenCheck: for functions that look at a token between pieces of work, or wait for them.

#pragma once

#include "fathom/base/clock.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/task_group.h"

namespace fathom::rt::detail {

// Whether a token is cancelled, by its deadline too. Reads the clock only if there is a deadline.
class TokenCheck {
 public:
  explicit TokenCheck(const CancelToken& token) noexcept
      : token_(token), has_deadline_(token.deadline() != CancelToken::TimePoint::max()) {}

  bool is_cancelled() const noexcept {
    return token_.cancelled() || (has_deadline_ && token_.expire(base::monotonic_now()));
  }

  // Waits for a group of tasks that use the token, which is cancelled at its deadline meanwhile.
  TaskGroup::Ended wait(TaskGroup& group) const {
    if (has_deadline_) {
      if (const auto ended = group.wait_until(token_.deadline())) return *ended;
      token_.expire(base::monotonic_now());
    }
    return group.wait();
  }

 private:
  const CancelToken& token_;
  const bool has_deadline_;
};

}  // namespace fathom::rt::detail
