// Cancellation: telling work that it should stop, and asking whether it should.
//
// A CancelSource cancels, once and for good; its CancelTokens are handed to the work, which asks
// them. Asking is one relaxed load and no branch, cheap enough for every turn of the hottest loop.
// Being cancelled is all that it tells: what the cancelling thread wrote before is visible to the
// callbacks that cancel() causes, not to those who merely ask.
//
//   CancelSource source = CancelSource::with_deadline(base::monotonic_now() + 5s, caller_token);
//   std::thread worker([token = source.token()] {
//     while (!token.cancelled()) step();
//   });
//   while (!source.expire(base::monotonic_now())) wait_for_a_tick();
//
// Sources and tokens may outlive each other. Both are handles: different ones for the same thing
// may be used by any threads at a time, one and the same only as a const object.

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

// All that the hot path touches, away from what anybody writes more than once.
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

  // Once true, always true. A source's deadline has no effect before somebody calls expire().
  [[nodiscard]] bool cancelled() const noexcept {
    return flag_->set.load(base::memory_order_relaxed);
  }

  // False for what never will be, as the default token.
  [[nodiscard]] bool can_be_cancelled() const noexcept { return flag_ != &never_; }

  // As CancelSource::expire().
  bool expire(TimePoint now) const noexcept;

  // The earliest deadline of the source and of those that it is linked to; max() without any.
  [[nodiscard]] TimePoint deadline() const noexcept;

  // Whether both are of the same source, or of none.
  friend bool operator==(const CancelToken&, const CancelToken&) = default;

 private:
  friend class CancelSource;
  friend class detail::CancelNode;
  explicit CancelToken(CancelState& state) noexcept;
  [[nodiscard]] CancelState* state() const noexcept;  // null for the default token

  inline static detail::CancelFlag never_;  // nobody sets it

  // A CancelState, which this keeps alive, or never_.
  detail::CancelFlag* flag_ = &never_;
};

// Copies are the same source. There is no source without a state: moving one copies it. Destroying
// it cancels nothing.
class CancelSource {
 public:
  using TimePoint = CancelToken::TimePoint;

  // This and the factories below throw std::bad_alloc.
  CancelSource();

  // Cancelled with the token's source, or by itself, which does not touch the other. From the
  // start if the token is cancelled.
  [[nodiscard]] static CancelSource linked_to(const CancelToken& parent);

#ifdef __cpp_lib_jthread
  // Cancelled when a stop is requested, by the thread that does so.
  [[nodiscard]] static CancelSource linked_to(std::stop_token stop);
#endif

  // To be cancelled from that moment on, by expire(): no thread and no timer watches it. Also
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

  // Cancels this and all that is linked to it, then calls the callbacks of each, on this thread.
  // From any thread, a callback too, but not from a signal handler. False and nothing else if
  // that was done or begun before, by whatever way; callbacks may still be running then.
  bool cancel() const noexcept;

  // What a signal handler may call, and a loop that has no time for callbacks: cancels this source
  // alone, by one atomic operation. Callbacks and what is linked to it follow at the next cancel()
  // or expire(), by whichever comes. Whether it was not cancelled before. The handler must be gone
  // before the last handle to the source is.
  bool cancel_from_signal() const noexcept;

  // To be called now and then by whoever has the time at hand: does what cancel() does if a
  // deadline has passed, or a cancel_from_signal() has not been followed up, here or further up
  // among the sources that this is linked to, on behalf of the topmost one where that is so.
  // Whether this source is cancelled.
  bool expire(TimePoint now) const noexcept;

 private:
  explicit CancelSource(CancelState* state) noexcept : state_(state) {}

  CancelState* state_;  // never null; which this keeps alive
};

namespace detail {

// The part of a callback that its source knows.
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
  CancelState* state_ = nullptr;  // which this keeps alive; null: never entered
  // Guarded by the state's mutex.
  bool listed_ = false;
  CancelNode* previous_ = nullptr;
  CancelNode* next_ = nullptr;
};

}  // namespace detail

// Calls a function once when the token's source is cancelled, as std::stop_callback does.
//
// The function runs on the thread that cancels, after or before others of the same source; in the
// constructor if the token is cancelled already, perhaps at the same time as others. No lock is
// held meanwhile. One that throws ends the program. The destructor returns when the function has
// ended or never will begin; in the function itself it returns at once, so a callback may destroy
// itself.
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
// A std::stop_token that follows a CancelToken for as long as this lives.
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
