// Parallel: fork_join(), parallel_for() and parallel_reduce(), for work that needs no graph.
//
//   fork_join(executor, [&] { sort(left); }, [&] { sort(right); });
//   parallel_for(executor, 0, rows, [&](int row) { blur(row); });
//   parallel_for(executor, 0, pixels, [&](int first, int last) { brighten(first, last); });
//   const double sum = parallel_reduce(executor, 0, n, 0.0,
//       [&](int i, double so_far) { return so_far + x[i]; }, std::plus<>());
//
// Guarantees: the functions return after all work is done, and its effects are then visible. If a
// call throws, the first exception seen is rethrown after all calls that have begun are over; calls
// that have not begun may be skipped. They may be nested, on any number of threads including one.
//
// A loop takes a CancelToken as its last argument, if wanted. After the cancellation, or the
// deadline of the token, no thread begins another block. If the token is not cancelled when the
// function returns, all is done; otherwise some indices may have been skipped, which ones is
// unknown, and the result of parallel_reduce() is that of the others.
//
// The calling thread takes part: it does whatever no worker has taken. On a worker of the executor
// that costs next to nothing while no other worker is idle. Any other thread wakes a worker if one
// is idle, which takes some microseconds, and otherwise does all itself; so they work even if no
// thread can be started. A worker that waits for another one runs other tasks: executor.h says
// which, and what that forbids. A loop counts as one task: if all workers take part in it, tasks
// from outside wait for its end.
//
// If a worker is idle, the time of a loop of 2 to 4096 indices is estimated, by its first block. If
// the last sixteen loops of the same type of function took less than two microseconds, the next one
// with as few indices is done by the calling thread alone, which looks at the clock a few times and
// offers the rest as soon as it takes longer. Thus calls for the smallest pieces of work cost no
// wake-ups; in return, a loop whose function has suddenly become slow is shared some indices later.
//
// Loops are split in halves, first for the number of possible threads, then only when a worker is
// idle (Tzannes, Caragea, Barua and Vishkin, "Lazy Binary-Splitting", PPoPP 2010). Between two
// checks a worker processes a block of what is left: at most 1/8 of its share, and at most 64
// indices one by one or 1024 as a range. Blocks therefore shrink towards the end, and the caller
// need not choose a grain size.

#pragma once

#include <algorithm>
#include <bit>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/detail/fork.h"
#include "fathom/rt/detail/short_loops.h"
#include "fathom/rt/detail/token_check.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/task_group.h"

namespace fathom::rt {

namespace detail {

// A function that is offered to other workers. The destructor takes it back, or waits for its end.
template <class F>
class Offer final : private Fork {
 public:
  Offer(Executor& executor, F& function) : Fork(&call), function_(function) { offer(executor); }
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;
  ~Offer() { static_cast<void>(take_back()); }

  // Call once. True if the function was not called; otherwise it is done, and its exception is
  // rethrown.
  bool is_left_or_throw() {
    const bool left = take_back();
    if (error_) std::rethrow_exception(std::move(error_));
    return left;
  }

 private:
  static void call(Fork& fork) noexcept {
    auto& self = static_cast<Offer&>(fork);
    try {
      self.function_();
    } catch (...) {
      self.error_ = std::current_exception();
    }
  }

  F& function_;
  std::exception_ptr error_;
};

template <class F>
void fork_join_here(Executor& /*executor*/, F&& last) {
  last();
}

template <class F, class... More>
void fork_join_here(Executor& executor, F&& first, More&&... more) {
  auto rest = [&] { fork_join_here(executor, more...); };
  Offer offer(executor, rest);
  first();
  if (offer.is_left_or_throw()) rest();
}

// A loop over [0, count). The body provides:
//   void block(Result& so_far, std::size_t begin, std::size_t end)    continues from so_far
//   void join(Result& left, Result&& right)
//   Result start()
// Results are joined in the order of the indices. Tests replace Watch, which measures the time of
// blocks.
template <class Body, class Watch = base::Stopwatch>
class ParallelLoop {
  using Result = typename Body::Result;

 public:
  ParallelLoop(Executor& executor, Body& body, const CancelToken& token)
      : executor_(executor),
        body_(body),
        token_(token),
        share_bits_(static_cast<unsigned>(std::bit_width(executor.threads())) + 3) {}

  // Runs the loop over [0, count).
  void run(std::size_t count, Result& so_far) {
    // Nobody looks at the clock unless a worker is idle, and the loop may be short.
    if (count < 2 || count > ShortLoops::kMostIndices || !executor_.wants_split()) {
      walk(0, count, so_far);
    } else if (history_.expects(count)) {
      const std::size_t done = walk_alone(count, so_far);
      walk(done, count, so_far);
    } else {
      to_estimate_ = count;
      walk(0, count, so_far);
    }
  }

 private:
  // Walks without offering anything, and stops when that has taken longer than expected. Returns
  // how far it came.
  std::size_t walk_alone(std::size_t count, Result& so_far) {
    const Watch watch;
    std::size_t done = 0;
    // Some looks at the clock suffice: after 1, 5, 21, ... indices.
    for (std::size_t block = 1; done != count && !token_.is_cancelled(); block *= 4) {
      const std::size_t begin = std::exchange(done, std::min(done + block, count));
      body_.block(so_far, begin, done);
      if (const auto elapsed = watch.elapsed(); elapsed > ShortLoops::kShort) {
        history_.note(count, elapsed);
        break;
      }
    }
    return done;
  }

  // Calls the body, and estimates the time of the loop by the first block, which is always that of
  // the thread that runs it.
  void do_block(Result& so_far, std::size_t begin, std::size_t end) {
    if (begin != 0 || to_estimate_ == 0) return body_.block(so_far, begin, end);
    const Watch watch;
    body_.block(so_far, begin, end);
    const auto blocks = static_cast<std::chrono::nanoseconds::rep>(to_estimate_ / end);
    history_.note(to_estimate_, watch.elapsed() * blocks);
  }

  void walk(std::size_t begin, std::size_t end, Result& so_far) {
    bool splits = executor_.wants_first_split();
    while (begin != end && !stopped_.load(base::memory_order_relaxed) && !token_.is_cancelled()) {
      if (end - begin > 1 && (std::exchange(splits, false) || executor_.wants_split())) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (walk_halves(begin, middle, end, so_far)) return;
        begin = middle;
        continue;
      }
      const std::size_t block =
          std::clamp((end - begin) >> share_bits_, std::size_t{1}, Body::kMost);
      do_block(so_far, begin, begin + block);
      begin += block;
    }
  }

  // Walks the left half, and the right half if another worker took it. Returns false if the right
  // half is left to do. The recursion depth is logarithmic.
  bool walk_halves(std::size_t begin, std::size_t middle, std::size_t end, Result& so_far) {
    std::optional<Result> right;
    auto walk_right = [&] {
      or_stop([&] {
        right.emplace(body_.start());
        walk(middle, end, *right);
      });
    };
    Offer offer(executor_, walk_right);
    or_stop([&] { walk(begin, middle, so_far); });
    if (offer.is_left_or_throw()) return false;
    // If something was skipped, the results are incomplete; the run throws anyway.
    if (stopped_.load(base::memory_order_relaxed)) return true;
    or_stop([&] { body_.join(so_far, std::move(*right)); });
    return true;
  }

  // If the function throws, the others need not continue; they are told before this thread waits
  // for them.
  template <class F>
  void or_stop(const F& function) {
    try {
      function();
    } catch (...) {
      stopped_.store(true, base::memory_order_relaxed);
      throw;
    }
  }

  Executor& executor_;
  Body& body_;
  const TokenCheck token_;
  const unsigned share_bits_;          // a block is 2^-share_bits_ of what is left
  std::size_t to_estimate_ = 0;        // the number of indices if their time is wanted, or 0
  base::atomic<bool> stopped_{false};  // a hint
  static inline constinit ShortLoops history_;
};

template <std::integral Index, std::integral First>
Index index_of(First first) {
  if (!std::in_range<Index>(first)) {
    throw base::Error("the first index is negative, but the type of the last is unsigned");
  }
  return static_cast<Index>(first);
}

// last - first, which must not be negative; and first + by.
template <std::integral Index>
std::size_t distance(Index first, Index last) noexcept {
  using Unsigned = std::make_unsigned_t<Index>;
  static_assert(sizeof(Index) <= sizeof(std::size_t));
  return static_cast<Unsigned>(static_cast<Unsigned>(last) - static_cast<Unsigned>(first));
}
template <std::integral Index>
Index behind(Index first, std::size_t by) noexcept {
  using Unsigned = std::make_unsigned_t<Index>;
  return static_cast<Index>(
      static_cast<Unsigned>(static_cast<Unsigned>(first) + static_cast<Unsigned>(by)));
}

template <class Index, class F>
struct ForBody {
  static constexpr bool kOneByOne = std::invocable<F&, Index>;
  static constexpr std::size_t kMost = kOneByOne ? 64 : 1024;
  struct Result {};

  static Result start() { return {}; }
  static void join(Result& /*left*/, Result&& /*right*/) {}
  void block(Result& /*so_far*/, std::size_t begin, std::size_t end) {
    if constexpr (kOneByOne) {
      for (std::size_t i = begin; i != end; ++i) function(behind(first, i));
    } else {
      function(behind(first, begin), behind(first, end));
    }
  }

  const Index first;
  F& function;
};

template <class Index, class T, class F, class Join>
struct ReduceBody {
  static constexpr bool kOneByOne = std::invocable<F&, Index, T>;
  static constexpr std::size_t kMost = kOneByOne ? 64 : 1024;
  using Result = T;
  static constexpr auto result_of_call() {
    if constexpr (kOneByOne) {
      return std::type_identity<std::invoke_result_t<F&, Index, T>>();
    } else {
      return std::type_identity<std::invoke_result_t<F&, Index, Index, T>>();
    }
  }

  static_assert(
      std::is_same_v<typename decltype(result_of_call())::type, T>,
      "f must return the type of the identity, by value: otherwise each step converts it");
  static_assert(!std::is_reference_v<std::invoke_result_t<Join&, T, T>>,
                "join must return by value: a reference to its own argument moves it to itself");

  T start() const { return identity; }
  void join(T& left, T&& right) { left = function_join(std::move(left), std::move(right)); }
  void block(T& so_far, std::size_t begin, std::size_t end) {
    if constexpr (kOneByOne) {
      for (std::size_t i = begin; i != end; ++i) {
        so_far = function(behind(first, i), std::move(so_far));
      }
    } else {
      so_far = function(behind(first, begin), behind(first, end), std::move(so_far));
    }
  }

  const Index first;
  const T& identity;
  F& function;
  Join& function_join;
};

}  // namespace detail

// Calls the functions, possibly at the same time. They take no arguments. The first is called on
// the thread that calls fork_join().
template <class... F>
requires(sizeof...(F) > 0) void fork_join(Executor& executor, F&&... functions) {
  detail::fork_join_here(executor, functions...);
}

// Calls f(i) for each i in [first, last), or f(begin, end) for non-empty ranges that partition it;
// f must allow concurrent calls. Indices have the type of `last`. Does nothing if last <= first.
// Throws base::Error if that type cannot represent `first`.
template <std::integral First, std::integral Index, class F>
requires std::invocable<F&, Index> || std::invocable<F&, Index, Index>
void parallel_for(Executor& executor, First first, Index last, F&& f,
                  const CancelToken& token = {}) {
  if (!std::cmp_less(first, last)) return;
  const Index begin = detail::index_of<Index>(first);
  detail::ForBody<Index, std::remove_reference_t<F>> body{begin, f};
  typename decltype(body)::Result nothing;
  detail::ParallelLoop(executor, body, token).run(detail::distance(begin, last), nothing);
}

// Reduces [first, last), beginning with the identity: calls f(i, so_far) or f(begin, end, so_far),
// which returns the new value, a T. The results of several workers, each begun with the identity,
// are combined by join(left, right) in the order of the indices, so join must be associative, but
// not commutative. Where the range is split depends on which workers are idle, so rounding errors
// differ between calls. T is copied for the identity and otherwise moved. Indices as above. Mind
// the order of f's arguments: if both are numbers, each converts to the other's type.
template <std::integral First, std::integral Index, class T, class F, class Join>
requires std::invocable<F&, Index, T> || std::invocable<F&, Index, Index, T> T
parallel_reduce(Executor& executor, First first, Index last, const T& identity, F&& f, Join&& join,
                const CancelToken& token = {}) {
  using Body =
      detail::ReduceBody<Index, T, std::remove_reference_t<F>, std::remove_reference_t<Join>>;
  T result = identity;
  if (!std::cmp_less(first, last)) return result;
  const Index begin = detail::index_of<Index>(first);
  Body body{begin, identity, f, join};
  detail::ParallelLoop(executor, body, token).run(detail::distance(begin, last), result);
  return result;
}

}  // namespace fathom::rt
