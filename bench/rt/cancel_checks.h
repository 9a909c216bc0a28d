// CancelChecks: ways to check for cancellation, all with the same interface:
//
//   check.cancelled();   // the check in the hot loop
//   check.cancel();      // makes it return true

#pragma once

#include <memory>
#include <stop_token>

#include "fathom/base/atomic.h"
#include "fathom/rt/cancel.h"

namespace fathom::bench {

class FathomCancel {
 public:
  bool cancelled() const noexcept { return token_.cancelled(); }
  void cancel() { source_.cancel(); }

 private:
  rt::CancelSource source_;
  rt::CancelToken token_ = source_.token();
};

// std::stop_token.
class StopToken {
 public:
  bool cancelled() const noexcept { return token_.stop_requested(); }
  void cancel() { source_.request_stop(); }

 private:
  std::stop_source source_;
  std::stop_token token_ = source_.get_token();
};

// A shared flag and a relaxed load: no correct check can be cheaper.
class RelaxedFlag {
 public:
  bool cancelled() const noexcept { return flag_->load(base::memory_order_relaxed); }
  void cancel() { flag_->store(true, base::memory_order_relaxed); }

 private:
  std::unique_ptr<base::atomic<bool>> flag_ = std::make_unique<base::atomic<bool>>(false);
};

}  // namespace fathom::bench
