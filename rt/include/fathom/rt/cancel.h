// Cancellation: a flag that one thread sets and the work checks.
//
// A CancelSource cancels, once and for good; the work checks its CancelTokens. A check is one
// relaxed load without a branch, cheap enough for every iteration of a hot loop. It conveys nothing
// but the flag: what the cancelling thread wrote before is visible to the callbacks that cancel()
// runs, not to threads that only check.
//
//   CancelSource source = CancelSource::with_deadline(base::monotonic_now() + 5s, caller_token);
//   std::thread worker([token = source.token()] {
//     while (!token.cancelled()) step();
//   });
//   while (!source.expire(base::monotonic_now())) wait_for_a_tick();
//
// Sources and tokens may outlive each other. Both are handles: different handles of one state may
// be used by different threads at the same time; a single handle only as a const object.

#pragma once

#include <concepts>
#include <utility>
#include <version>
#ifdef __cpp_lib_jthread  // not in all of libc++
#include <stop_token>
#endif

#include "fathom/base/atomic.h"
#include "fathom/base/cache_line.h"
#include "fathom/base/clock.h"

namespace fathom::rt {

class CancelState;

namespace detail {

// Everything that the hot path reads, on a cache line that is written only once.
struct alignas(base::kCacheLine) CancelFlag {
  base::atomic<bool> set{false};
};

class CancelNode;

}  // namespace detail

class CancelToken {
 public:
  using TimePoint = base::MonotonicClock::time_point;

  // Never cancelled.
  CancelToken() noexcept = default;
  CancelToken(const CancelToken& other) noexcept;
  CancelToken(CancelToken&& other) noexcept : flag_(std::exchange(other.flag_, &never_)) {}
  CancelToken& operator=(CancelToken other) noexcept {
    std::swap(flag_, other.flag_);
    return *this;
  }
  ~CancelToken();

  // Once true, always true. A deadline takes effect when expire() is called, as functions do that
  // wait with this token.
  [[nodiscard]] bool cancelled() const noexcept {
    return flag_->set.load(base::memory_order_relaxed);
  }

  // False for a token that can never be cancelled, such as the default token.
  [[nodiscard]] bool can_be_cancelled() const noexcept { return flag_ != &never_; }

  // Like CancelSource::expire().
  bool expire(TimePoint now) const noexcept;

  // The earliest deadline of the source and of the sources that it is linked to; max() if none.
  [[nodiscard]] TimePoint deadline() const noexcept;

  // Whether both tokens have the same source, or both have none.
  friend bool operator==(const CancelToken&, const CancelToken&) = default;

 private:
  friend class CancelSource;
  friend class detail::CancelNode;
  explicit CancelToken(CancelState& state) noexcept;
  [[nodiscard]] CancelState* state() const noexcept;  // null for the default token

  inline static detail::CancelFlag never_;  // never set

  // A CancelState that this token keeps alive, or never_.
  detail::CancelFlag* flag_ = &never_;
};

// Copies are handles of the same source. A source always has a state: moving copies. Destroying a
// source does not cancel it.
class CancelSource {
 public:
  using TimePoint = CancelToken::TimePoint;

  // This and the factory functions below throw std::bad_alloc.
  CancelSource();

  // Cancelled with the token's source, or by itself, which does not affect the parent. If the token
  // is already cancelled, the new source is cancelled too.
  [[nodiscard]] static CancelSource linked_to(const CancelToken& parent);

#ifdef __cpp_lib_jthread
  // Cancelled when a stop is requested, by the thread that requests it.
  [[nodiscard]] static CancelSource linked_to(std::stop_token stop);
#endif

  // Cancelled by the first expire() after the deadline: no thread or timer watches it. Also
  // cancelled with the token's source.
  [[nodiscard]] static CancelSource with_deadline(TimePoint deadline,
                                                  const CancelToken& parent = {});

  CancelSource(const CancelSource& other) noexcept;
  CancelSource& operator=(CancelSource other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~CancelSource();

  [[nodiscard]] CancelToken token() const noexcept {
    return CancelToken(*state_);
  }
  [[nodiscard]] bool cancelled() const noexcept;

  // Cancels this source and all sources linked to it, then runs the callbacks of each, on this
  // thread. Callable from any thread, including from a callback, but not from a signal handler.
  // Returns false and does nothing if the source was already cancelled by any means other than
  // cancel_from_signal(); callbacks may still be running then.
  bool cancel() const noexcept;

  // For signal handlers, and for loops that have no time for callbacks: cancels this source alone,
  // with one atomic operation. Callbacks and linked sources follow at the next cancel() or
  // expire(). Returns whether it was not cancelled before. The signal handler must be removed
  // before the last handle of the source is destroyed.
  bool cancel_from_signal() const noexcept;

  // Call this periodically from a thread that has the current time. If a deadline has passed, or a
  // cancel_from_signal() has not been followed up, here or in a source that this one is linked to,
  // it does what cancel() does for the topmost such source. Returns whether this source is
  // cancelled.
  bool expire(TimePoint now) const noexcept;

 private:
  explicit CancelSource(CancelState* state) noexcept : state_(state) {}

  CancelState* state_;  // never null; kept alive by this handle
};

namespace detail {

// The part of a callback that its source refers to.
class CancelNode {
 public:
  CancelNode(const CancelNode&) = delete;
  CancelNode& operator=(const CancelNode&) = delete;

 protected:
  using Call = void (*)(CancelNode&) noexcept;

  explicit CancelNode(Call call) noexcept : call_(call) {}
  ~CancelNode() = default;
  void enter(const CancelToken& token) noexcept;
  void leave() noexcept;

 private:
  friend class rt::CancelState;

  const Call call_;
  CancelState* state_ = nullptr;  // kept alive by this node; null: never entered
  // Guarded by the state's mutex.
  bool listed_ = false;
  CancelNode* previous_ = nullptr;
  CancelNode* next_ = nullptr;
};

}  // namespace detail

// Calls a function once when the token's source is cancelled, like std::stop_callback.
//
// The function runs on the thread that cancels, in no particular order among the callbacks of a
// source; if the token is already cancelled, it runs in the constructor, possibly at the same time
// as other callbacks. No lock is held during the call. If the function throws, the program ends.
// The destructor returns when the function has finished or will never start; called from within the
// function it returns immediately, so a callback may destroy itself.
//
//   CancelCallback wake(token, [&] { events.notify_all(); });
template <class Function>
class [[nodiscard]] CancelCallback : private detail::CancelNode {
 public:
  template <class F>
  requires std::constructible_from<Function, F> CancelCallback(const CancelToken& token,
                                                               F&& function)
      : CancelNode(&call), function_(std::forward<F>(function)) {
    enter(token);
  }
  ~CancelCallback() { leave(); }

 private:
  static_assert(std::invocable<Function>);
  static void call(CancelNode& node) noexcept {
    std::forward<Function>(static_cast<CancelCallback&>(node).function_)();
  }

  Function function_;
};

template <class F>
CancelCallback(CancelToken, F) -> CancelCallback<F>;

#ifdef __cpp_lib_jthread
// A std::stop_token that follows a CancelToken while this object lives.
class StopLink {
 public:
  explicit StopLink(const CancelToken& token) : callback_(token, Request{stop_}) {}

  [[nodiscard]] std::stop_token token() const noexcept { return stop_.get_token(); }

 private:
  struct Request {
    std::stop_source stop;
    void operator()() noexcept { stop.request_stop(); }
  };

  std::stop_source stop_;
  CancelCallback<Request> callback_;
};
#endif

}  // namespace fathom::rt
