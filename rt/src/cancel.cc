// Cancellation: the shared state of a source, the tree of linked sources, and the callbacks.

#include "fathom/rt/cancel.h"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>

#include "fathom/rt/event_count.h"

namespace fathom::rt {

using TimePoint = CancelToken::TimePoint;

// The state that a source, its copies and its tokens share. The flag and the reference count are
// atomic; everything else that changes is guarded by a mutex, under which no foreign function is
// called and no state is destroyed.
class CancelState : public detail::CancelFlag {
 public:
  // Starts with one reference, owned by the caller.
  CancelState(CancelState* parent, TimePoint deadline) noexcept;
  CancelState(const CancelState&) = delete;
  CancelState& operator=(const CancelState&) = delete;

#ifdef __cpp_lib_jthread
  void follow(std::stop_token stop) {
    stop_.emplace(std::move(stop), Follow{this});
  }
#endif

  // Requires that the caller has a reference.
  void retain() noexcept {
    references_.fetch_add(1, base::memory_order_relaxed);
  }
  // Iterative, not recursive: chains may be long.
  static void release(CancelState* state) noexcept;

  bool cancel() noexcept;
  bool expire(TimePoint now) noexcept;
  bool is_set() const noexcept {
    return set.load(base::memory_order_relaxed);
  }
  TimePoint deadline() const noexcept {
    return deadline_;
  }
  // max() means none, so it never passes.
  bool is_over(TimePoint now) const noexcept {
    return now >= deadline_ && deadline_ != TimePoint::max();
  }

  // False if the state is cancelled; the node is then not added.
  bool add(detail::CancelNode& node) noexcept;
  // Returns when the node is neither in the list nor being called by another thread.
  void remove(detail::CancelNode& node) noexcept;

 private:
  struct Follow {
    CancelState* state;
    void operator()() const noexcept {
      // The callback may hold the last reference: either its owner is about to destroy the callback
      // and waits for it, or this reference becomes the last one and the callback destroys itself.
      CancelState* const alive = state;
      if (!alive->try_retain()) return;
      alive->cancel();
      release(alive);
    }
  };

  ~CancelState() = default;
  bool try_retain() noexcept;
  bool claim() noexcept;
  CancelState* take_child() noexcept;
  void unlink(CancelState& child) noexcept;  // under the mutex
  void unlink(detail::CancelNode& node) noexcept;
  void call_back() noexcept;

  // [C1] The decrement to 0 acquires what all others released: each use of the state happens before
  // its end. Increments are relaxed: the thread already has access to the state.
  alignas(base::kCacheLine) base::atomic<std::size_t> references_{1};
  CancelState* const parent_;  // null, or kept alive by this
  const TimePoint deadline_;

  std::mutex mutex_;
  bool claimed_ = false;                 // a thread handles the callbacks and children
  detail::CancelNode* nodes_ = nullptr;  // callbacks to run
  CancelState* children_ = nullptr;      // linked to this state; not kept alive by it
  detail::CancelNode* called_ = nullptr;
  std::thread::id caller_;  // of called_
  EventCount returned_;     // called_ has changed

  // Guarded by the parent's mutex.
  bool linked_ = false;
  CancelState* previous_ = nullptr;
  CancelState* next_ = nullptr;

  CancelState* next_claimed_ = nullptr;  // owned by the thread that claimed the state
#ifdef __cpp_lib_jthread
  std::optional<std::stop_callback<Follow>> stop_;  // last: may call cancel() until it is destroyed
#endif
};

CancelState::CancelState(CancelState* parent, TimePoint deadline) noexcept
    : parent_(parent),
      deadline_(parent == nullptr ? deadline : std::min(deadline, parent->deadline_)) {
  if (parent == nullptr) return;
  parent->retain();
  const std::lock_guard lock(parent->mutex_);
  if (parent->is_set()) {
    set.store(true, base::memory_order_relaxed);
    claimed_ = true;  // there are no callbacks or children
    return;
  }
  linked_ = true;
  next_ = parent->children_;
  if (next_ != nullptr) next_->previous_ = this;
  parent->children_ = this;
}

// [C2] Relaxed: the caller found the state in a list from which it is removed, under that list's
// lock, before it is destroyed; the lock orders both.
bool CancelState::try_retain() noexcept {
  std::size_t known = references_.load(base::memory_order_relaxed);
  while (known != 0) {
    if (references_.compare_exchange_weak(known, known + 1, base::memory_order_relaxed,
                                          base::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void CancelState::release(CancelState* state) noexcept {
  // [C1] pairs with the same decrement in other threads.
  while (state != nullptr && state->references_.fetch_sub(1, base::memory_order_acq_rel) == 1) {
    CancelState* const parent = state->parent_;
    if (parent != nullptr) {
      const std::lock_guard lock(parent->mutex_);
      parent->unlink(*state);
    }
    delete state;
    state = parent;
  }
}

void CancelState::unlink(CancelState& child) noexcept {
  if (!child.linked_) return;
  child.linked_ = false;
  (child.previous_ == nullptr ? children_ : child.previous_->next_) = child.next_;
  if (child.next_ != nullptr) child.next_->previous_ = child.previous_;
}

void CancelState::unlink(detail::CancelNode& node) noexcept {
  node.listed_ = false;
  (node.previous_ == nullptr ? nodes_ : node.previous_->next_) = node.next_;
  if (node.next_ != nullptr) node.next_->previous_ = node.previous_;
}

// Sets the flag; returns true to exactly one caller. Under the mutex, so that a thread that sees
// the flag under it also sees what happened before.
bool CancelState::claim() noexcept {
  const std::lock_guard lock(mutex_);
  set.store(true, base::memory_order_relaxed);
  return !std::exchange(claimed_, true);
}

// Returns a linked state with a reference for the caller; null if none is left.
CancelState* CancelState::take_child() noexcept {
  const std::lock_guard lock(mutex_);
  while (children_ != nullptr) {
    CancelState* const child = children_;
    unlink(*child);
    if (child->try_retain()) return child;  // [C2] release() unlinks before it destroys
  }
  return nullptr;
}

bool CancelState::cancel() noexcept {
  if (!claim()) return false;
  // The tree of linked states, breadth first: first all flags, then all callbacks. Each state has a
  // reference, because callbacks may destroy any handle.
  retain();
  CancelState* last = this;
  for (CancelState* state = this; state != nullptr; state = state->next_claimed_) {
    while (CancelState* const child = state->take_child()) {
      if (child->claim()) {
        last->next_claimed_ = child;
        last = child;
      } else {
        release(child);
      }
    }
  }
  for (CancelState* state = this; state != nullptr;) {
    CancelState* const next = state->next_claimed_;
    state->call_back();
    release(state);
    state = next;
  }
  return true;
}

bool CancelState::expire(TimePoint now) noexcept {
  CancelState* top = nullptr;
  for (CancelState* state = this; state != nullptr; state = state->parent_) {
    if (state->is_set() || state->is_over(now)) top = state;
  }
  if (top == nullptr) return false;
  retain();  // a callback may destroy the caller's handle
  top->cancel();
  cancel();  // another thread may have cancelled the parent but not reached this state yet
  release(this);
  return true;
}

void CancelState::call_back() noexcept {
  std::unique_lock lock(mutex_);
  caller_ = std::this_thread::get_id();
  while (nodes_ != nullptr) {
    detail::CancelNode& node = *nodes_;
    unlink(node);
    called_ = &node;
    lock.unlock();
    node.call_(node);  // may destroy the node
    lock.lock();
    called_ = nullptr;
    lock.unlock();
    returned_.notify_all();
    lock.lock();
  }
}

bool CancelState::add(detail::CancelNode& node) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_set()) return false;
  node.listed_ = true;
  node.next_ = nodes_;
  if (nodes_ != nullptr) nodes_->previous_ = &node;
  nodes_ = &node;
  return true;
}

void CancelState::remove(detail::CancelNode& node) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (node.listed_) {
      unlink(node);
      return;
    }
  }
  while (true) {
    const EventCount::Key key = returned_.prepare_wait();
    {
      const std::lock_guard lock(mutex_);
      if (called_ != &node || caller_ == std::this_thread::get_id()) {
        returned_.cancel_wait(key);
        return;
      }
    }
    returned_.commit_wait(key);
  }
}

// ---- CancelToken

CancelToken::CancelToken(CancelState& state) noexcept : flag_(&state) {
  state.retain();
}

CancelToken::CancelToken(const CancelToken& other) noexcept : flag_(other.flag_) {
  if (CancelState* const shared = state()) shared->retain();
}

CancelToken::~CancelToken() {
  CancelState::release(state());
}

CancelState* CancelToken::state() const noexcept {
  return can_be_cancelled() ? static_cast<CancelState*>(flag_) : nullptr;
}

bool CancelToken::expire(TimePoint now) const noexcept {
  CancelState* const shared = state();
  return shared != nullptr && shared->expire(now);
}

TimePoint CancelToken::deadline() const noexcept {
  const CancelState* const shared = state();
  return shared == nullptr ? TimePoint::max() : shared->deadline();
}

// ---- CancelSource

CancelSource::CancelSource() : state_(new CancelState(nullptr, TimePoint::max())) {}

CancelSource CancelSource::linked_to(const CancelToken& parent) {
  return with_deadline(TimePoint::max(), parent);
}

#ifdef __cpp_lib_jthread
CancelSource CancelSource::linked_to(std::stop_token stop) {
  CancelSource source;
  source.state_->follow(std::move(stop));
  return source;
}
#endif

CancelSource CancelSource::with_deadline(TimePoint deadline, const CancelToken& parent) {
  return CancelSource(new CancelState(parent.state(), deadline));
}

CancelSource::CancelSource(const CancelSource& other) noexcept : state_(other.state_) {
  state_->retain();
}

CancelSource::~CancelSource() {
  CancelState::release(state_);
}

bool CancelSource::cancelled() const noexcept {
  return state_->is_set();
}

bool CancelSource::cancel() const noexcept {
  return state_->cancel();
}

// One lock-free read-modify-write. Its order does not matter, because it publishes nothing.
bool CancelSource::cancel_from_signal() const noexcept {
  static_assert(base::atomic<bool>::is_always_lock_free, "a signal handler must not wait");
  return !state_->set.exchange(true, base::memory_order_relaxed);
}

bool CancelSource::expire(TimePoint now) const noexcept {
  return state_->expire(now);
}

// ---- CancelNode

void detail::CancelNode::enter(const CancelToken& token) noexcept {
  CancelState* const state = token.state();
  if (state == nullptr) return;
  state->retain();
  state_ = state;  // before the node is visible: it may be called immediately
  if (state->add(*this)) return;
  state_ = nullptr;
  CancelState::release(state);
  call_(*this);
}

void detail::CancelNode::leave() noexcept {
  if (state_ == nullptr) return;
  state_->remove(*this);
  CancelState::release(state_);
}

}  // namespace fathom::rt
