// TokenCheck: for functions that look at a token between pieces of work.

#pragma once

#include "fathom/base/clock.h"
#include "fathom/rt/cancel.h"

namespace fathom::rt::detail {

// Whether a token is cancelled, by its deadline too. Reads the clock only if there is a deadline.
class TokenCheck {
 public:
  explicit TokenCheck(const CancelToken& token) noexcept
      : token_(token), has_deadline_(token.deadline() != CancelToken::TimePoint::max()) {}

  bool is_cancelled() const noexcept {
    return token_.cancelled() || (has_deadline_ && token_.expire(base::monotonic_now()));
  }

 private:
  const CancelToken& token_;
  const bool has_deadline_;
};

}  // namespace fathom::rt::detail
