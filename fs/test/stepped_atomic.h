// Replaces base/atomic.h for one thread that plays several: calls the test before each acquire load
// and after each release store.

#pragma once

#include <functional>

namespace fathom::base {

// NOLINTBEGIN(readability-identifier-naming): the names of std.
enum class memory_order { relaxed, acquire, release, acq_rel, seq_cst };
inline constexpr memory_order memory_order_relaxed = memory_order::relaxed;
inline constexpr memory_order memory_order_acquire = memory_order::acquire;
inline constexpr memory_order memory_order_release = memory_order::release;

inline std::function<void()> before_acquire = [] {};
inline std::function<void()> after_release = [] {};

template <class T>
class atomic {
 public:
  atomic() = default;
  atomic(T value) : value_(value) {}  // NOLINT: as in std
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  T load(memory_order order) const {
    if (order == memory_order::acquire) before_acquire();
    return value_;
  }
  void store(T value, memory_order order) {
    value_ = value;
    if (order == memory_order::release) after_release();
  }
  T fetch_or(T by, memory_order /*order*/) {
    const T old = value_;
    value_ = static_cast<T>(old | by);
    return old;
  }

 private:
  T value_{};
};

// NOLINTEND(readability-identifier-naming)

}  // namespace fathom::base
