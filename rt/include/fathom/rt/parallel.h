// fork_join(), parallel_for() and parallel_reduce(): the common cases, which need no graph.
//
//   fork_join(executor, [&] { sort(left); }, [&] { sort(right); });
//   parallel_for(executor, 0, rows, [&](int row) { blur(row); });
//   parallel_for(executor, 0, pixels, [&](int first, int last) { brighten(first, last); });
//   const double sum = parallel_reduce(executor, 0, n, 0.0,
//       [&](int i, double so_far) { return so_far + x[i]; }, std::plus<>());
//
// Guarantees: they return after all of it was done, and what was done is visible then. The first
// exception that is seen is thrown, after all that had begun has ended; what had not begun by then
// may be left out. They may be nested, on any number of threads, one included.
//
// Called on a worker of the executor they cost next to nothing where no other worker is idle. Other
// threads hand all of it to a worker and sleep meanwhile, which takes some ten microseconds: do
// many small loops in one task. They throw base::Error if the executor has no thread and can start
// none. A worker that waits for another one runs other tasks: no lock may be held that those want.
//
// Loops are split where somebody is idle, by halves, and not before (Tzannes, Caragea, Barua and
// Vishkin, "Lazy Binary-Splitting", PPoPP 2010). Between two looks a worker goes on by a block of
// what is left: at most 1/8 of its share, and at most 64 indices one by one, 1024 as a range. So
// the blocks become smaller towards the end, and nobody has to choose a grain.

#pragma once

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "fathom/base/atomic.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/fork.h"
#include "fathom/rt/task_group.h"

namespace fathom::rt {

namespace detail {

// Calls the function on a worker of the executor, this one or another.
template <class F>
void on_worker(Executor& executor, F&& function) {
  class Call final : public GroupTask {
   public:
    explicit Call(F& function_in) : function_(function_in) {}
    void run(unsigned /*worker*/) override { function_(); }

   private:
    F& function_;
  };

  if (executor.on_worker()) {
    function();
    return;
  }
  TaskGroup group(executor);
  Call call(function);
  group.submit(call);
  group.wait();
}

// A function on offer to other workers. Destroying it takes it back, undone, or waits for it.
template <class F>
class Offer final : private Fork {
 public:
  Offer(Executor& executor, F& function)
      : Fork(&call), function_(function), open_(offer(executor)), offered_(open_) {}
  Offer(const Offer&) = delete;
  Offer& operator=(const Offer&) = delete;
  ~Offer() { static_cast<void>(is_left()); }

  // Whether it was: there may have been no room.
  explicit operator bool() const noexcept { return offered_; }

  // Whether nobody has begun it, nor will. Otherwise throws what it threw.
  bool is_left_or_throw() {
    const bool left = is_left();
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

  bool is_left() noexcept { return std::exchange(open_, false) ? take_back() : !offered_; }

  F& function_;
  std::exception_ptr error_;
  bool open_;  // it has to be taken back
  const bool offered_;
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

// A loop over [0, count), whose body is
//   void block(Result& so_far, std::size_t begin, std::size_t end)    continues so_far
//   void join(Result& left, Result&& right)
//   Result start()
// Results are joined in the order of the indices.
template <class Body>
class ParallelLoop {
  using Result = typename Body::Result;

 public:
  ParallelLoop(Executor& executor, Body& body)
      : executor_(executor),
        body_(body),
        share_bits_(static_cast<unsigned>(std::bit_width(executor.threads())) + 3) {}

  // All of [0, count).
  void run(std::size_t count, Result& so_far) {
    on_worker(executor_, [&] { walk(0, count, so_far); });
  }

 private:
  // On a worker.
  void walk(std::size_t begin, std::size_t end, Result& so_far) {
    while (begin != end && !stopped_.load(base::memory_order_relaxed)) {
      if (end - begin > 1 && executor_.wants_split()) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (run_halves(begin, middle, end, so_far)) return;
        begin = middle;
        continue;
      }
      const std::size_t block =
          std::clamp((end - begin) >> share_bits_, std::size_t{1}, Body::kMost);
      try {
        body_.block(so_far, begin, begin + block);
      } catch (...) {
        stop();
        throw;
      }
      begin += block;
    }
  }

  // Runs the left half, and the right one if another worker took it; false if that is left.
  // Recursive, but each time by half.
  bool run_halves(std::size_t begin, std::size_t middle, std::size_t end, Result& so_far) {
    std::optional<Result> right;
    auto run_right = [&] {
      right.emplace(body_.start());
      walk(middle, end, *right);
    };
    Offer offer(executor_, run_right);
    walk(begin, middle, so_far);
    if (offer.is_left_or_throw()) return false;
    body_.join(so_far, std::move(*right));
    return true;
  }

  // Something threw; the others need not go on.
  void stop() noexcept { stopped_.store(true, base::memory_order_relaxed); }

  Executor& executor_;
  Body& body_;
  const unsigned share_bits_;          // a block is 2^-this of what is left
  base::atomic<bool> stopped_{false};  // a hint
};

// How far it is from first to last, and what is so far behind first.
template <std::integral Index>
std::size_t distance(Index first, Index last) noexcept {
  using Unsigned = std::make_unsigned_t<Index>;
  static_assert(sizeof(Index) <= sizeof(std::size_t));
  if (last <= first) return 0;
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

// Calls the functions, which take nothing, perhaps at the same time. The first is called on the
// worker that calls this.
template <class... F>
requires(sizeof...(F) > 0) void fork_join(Executor& executor, F&&... functions) {
  detail::on_worker(executor, [&] { detail::fork_join_here(executor, functions...); });
}

// Calls f(i) for each i of [first, last), or f(begin, end) for ranges that make it up, none of them
// empty; f must allow several calls at a time. Nothing where last is not above first.
template <std::integral Index, class F>
requires std::invocable<F&, Index> || std::invocable<F&, Index, Index>
void parallel_for(Executor& executor, Index first, std::type_identity_t<Index> last, F&& f) {
  const std::size_t count = detail::distance(first, last);
  if (count == 0) return;
  detail::ForBody<Index, std::remove_reference_t<F>> body{first, f};
  typename decltype(body)::Result nothing;
  detail::ParallelLoop(executor, body).run(count, nothing);
}

// What f makes of all i of [first, last), beginning with the identity: f(i, so_far) or
// f(begin, end, so_far), each of which returns what there is then. What several workers made, each
// from the identity, is put together by join(left, right), in the order of the indices: it has to
// be associative, but not commutative. Where the splits are depends on who was idle, so rounding
// errors differ from call to call. T has to be copied for the identity, and moved otherwise.
template <std::integral Index, class T, class F, class Join>
requires std::invocable<F&, Index, T> || std::invocable<F&, Index, Index, T> T
parallel_reduce(Executor& executor, Index first, std::type_identity_t<Index> last,
                const T& identity, F&& f, Join&& join) {
  T result = identity;
  const std::size_t count = detail::distance(first, last);
  if (count == 0) return result;
  detail::ReduceBody<Index, T, std::remove_reference_t<F>, std::remove_reference_t<Join>> body{
      first, identity, f, join};
  detail::ParallelLoop(executor, body).run(count, result);
  return result;
}

}  // namespace fathom::rt
