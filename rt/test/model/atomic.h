// Atomics: the declarations of base/atomic.h, implemented on the model checker.

#pragma once

#include <cstring>
#include <type_traits>

#include "fathom/base/clock.h"
#include "model/checker.h"

namespace fathom::base {

using memory_order = model::Order;
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;
inline constexpr memory_order memory_order_acq_rel = memory_order::acq_rel;
inline constexpr memory_order memory_order_seq_cst = memory_order::seq_cst;

template <class T>
class atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));

 public:
  static constexpr bool is_always_lock_free = true;

  atomic() = default;
  atomic(T value) : word_{to_word(value)} {}  // NOLINT: like std::atomic
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(memory_order order) const { return from_word(model::load(word_, order)); }
  void store(T value, memory_order order) { model::store(word_, to_word(value), order); }
  T exchange(T value, memory_order order) {
    return update([value](T) { return value; }, order);
  }
  T fetch_add(T by, memory_order order) {
    return update([by](T old) { return static_cast<T>(old + by); }, order);
  }
  T fetch_sub(T by, memory_order order) {
    return update([by](T old) { return static_cast<T>(old - by); }, order);
  }
  T fetch_or(T by, memory_order order) {
    return update([by](T old) { return static_cast<T>(old | by); }, order);
  }
  T fetch_and(T by, memory_order order) {
    return update([by](T old) { return static_cast<T>(old & by); }, order);
  }
  bool compare_exchange_strong(T& expected, T desired, memory_order success, memory_order failure) {
    std::uint64_t word = to_word(expected);
    const bool won = model::exchange_if_equal(word_, word, to_word(desired), success, failure);
    expected = from_word(word);
    return won;
  }
  // Never fails spuriously here, which would only make loops longer.
  bool compare_exchange_weak(T& expected, T desired, memory_order success, memory_order failure) {
    return compare_exchange_strong(expected, desired, success, failure);
  }
  void wait(T value, memory_order /*order*/) const {
    model::wait_while_equal(word_, to_word(value), model::Time::never_comes);
  }
  // Not in std::atomic. False if the time has come; Time::max() never comes.
  bool wait_until(T value, MonotonicClock::time_point time) const {
    const bool ends = time != MonotonicClock::time_point::max();
    return model::wait_while_equal(word_, to_word(value),
                                   ends ? model::Time::may_come : model::Time::never_comes);
  }
  void notify_one() { model::wake(word_, false); }
  void notify_all() { model::wake(word_, true); }

 private:
  template <class F>
  T update(const F& function, memory_order order) {
    return from_word(model::update(
        word_, [&](std::uint64_t old) { return to_word(function(from_word(old))); }, order));
  }
  static std::uint64_t to_word(T value) {
    std::uint64_t word = 0;
    std::memcpy(&word, &value, sizeof value);
    return word;
  }
  static T from_word(std::uint64_t word) {
    T value;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }

  model::Word word_;
};

inline void fence(memory_order order) {
  model::fence(order);
}
inline void cpu_relax() {}

}  // namespace fathom::base
