// parallel_inclusive_scan() and parallel_exclusive_scan(): all sums of the first elements of a
// range, on the workers of an executor.
//
//   parallel_inclusive_scan(executor, gains.begin(), gains.end(), balances.begin());
//   const std::size_t total = parallel_exclusive_scan(executor, sizes.begin(), sizes.end(),
//                                                     offsets.begin(), 0);
//
// Guarantees: the operation must be associative, but need not be commutative. How its calls are
// grouped depends only on the number of elements: the elements of each block of 1024 from left to
// right, the sums of the blocks from left to right, and each result from the sum of the blocks
// before it and the sum within its own. So results with rounding errors are the same on any number
// of threads at any time; they may differ from those of std::inclusive_scan().
//
// n elements take about 2n calls of the operation, on one thread, too: that is the price of a fixed
// grouping which leaves work to other threads (Snir, "Depth-Size Trade-Offs for Parallel Prefix
// Computation", 1986). Cheap operations on one thread take some 25 % longer than in
// std::inclusive_scan(), since every other call waits for nothing. A value per block is stored.
//
// The output may be the input, but must not overlap it otherwise. The calling thread takes part.
// Which threads may call, and what a waiting worker does, is as in parallel.h. The operation must
// allow concurrent calls. If it throws, or a copy or conversion of a value, the first exception
// seen is rethrown when no call is under way any more; the output is then unspecified.
//
// Takes a CancelToken as its last argument, if wanted. After the cancellation, or the deadline of
// the token, no thread begins another block. If the token is not cancelled when the function
// returns, all is done. Otherwise each element of the output has its result, the sum within its
// block, or what it had before, which of them is unknown; so an input that is also the output is
// lost. The sum that parallel_exclusive_scan() returns is then that of the first elements, unknown
// how many.
//
// A thread scans block by block. If another one is idle, it scans the right half of what is left,
// and the sum of the left half is added afterwards (Blelloch, "Prefix Sums and Their Applications",
// 1990), by both.

#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "fathom/rt/cancel.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"

namespace fathom::rt {

namespace detail {

// Whether a result includes the element at its own index.
enum class Scan : bool { inclusive, exclusive };

template <Scan kind, class In, class Out, class Operation>
class BlockScan {
  using T = std::iter_value_t<Out>;
  static_assert(std::is_lvalue_reference_v<std::iter_reference_t<Out>>,
                "threads could not write neighbouring elements at the same time");

 public:
  BlockScan(Executor& executor, In in, Out out, Operation& operation, const CancelToken& token)
      : executor_(executor), in_(in), out_(out), operation_(operation), token_(token) {}

  // Scans n elements, until it is cancelled. Returns their sum, after `before` if there is anything
  // before them.
  std::optional<T> run(std::size_t n, std::optional<T> before) {
    size_ = n;
    before_.resize((n - 1) / kBlock + 1);
    scan(0, before_.size(), before);
    return before;
  }

 private:
  static constexpr std::size_t kBlock = 1024;  // determines the results

  // Scans the blocks [begin, end), and adds their sum to `before`.
  void scan(std::size_t begin, std::size_t end, std::optional<T>& before) {
    bool splits = executor_.wants_first_split();
    const TokenCheck check(token_);
    while (begin != end && !check.is_cancelled()) {
      if (end - begin > 1 && (std::exchange(splits, false) || executor_.wants_split())) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (scan_halves(begin, middle, end, before)) return;
        begin = middle;
        continue;
      }
      add(before,
          before ? scan_block(begin, After{*before, operation_}) : scan_block(begin, Alone()));
      ++begin;
    }
  }

  // Scans the left half, and the right half if another worker took it. Returns false if the right
  // half is left to do. The recursion depth is logarithmic.
  bool scan_halves(std::size_t begin, std::size_t middle, std::size_t end,
                   std::optional<T>& before) {
    auto scan_right = [&] {
      parallel_for(
          executor_, middle, end,
          [&](std::size_t block) { before_[block].emplace(scan_block(block, Alone())); }, token_);
    };
    Offer offer(executor_, scan_right);
    scan(begin, middle, before);
    if (offer.is_left_or_throw()) return false;
    // Otherwise there may be blocks without a sum; if not cancelled by now, both halves are done.
    if (token_.cancelled()) return true;
    for (std::size_t block = middle; block != end; ++block) {
      T sum = std::move(*before_[block]);
      before_[block] = before;
      add(before, std::move(sum));
    }
    parallel_for(
        executor_, middle, end, [&](std::size_t block) { complete(block); }, token_);
    return true;
  }

  // What is stored for the sum of the elements of a block up to some place.
  struct Alone {
    const T& operator()(const T& sum) const { return sum; }
  };
  struct After {
    T operator()(const T& sum) const { return operation(before, sum); }
    const T& before;
    Operation& operation;
  };

  // Stores the results of a non-empty block and returns its sum. An exclusive scan leaves out the
  // first result, unless it is known what precedes the block.
  template <class Result>
  T scan_block(std::size_t block, const Result& result) {
    const std::size_t begin = block * kBlock;
    const std::size_t end = end_of(block);
    T sum(in(begin));
    if constexpr (kind == Scan::inclusive) {
      out(begin) = result(sum);
    } else if constexpr (std::is_same_v<Result, After>) {
      out(begin) = result.before;
    }
    for (std::size_t i = begin + 1; i != end; ++i) {
      if constexpr (kind == Scan::inclusive) {
        sum = operation_(std::move(sum), T(in(i)));
        out(i) = result(sum);
      } else {
        T next = operation_(sum, T(in(i)));
        out(i) = result(sum);
        sum = std::move(next);
      }
    }
    return sum;
  }

  // Completes the results of a block that was scanned alone.
  void complete(std::size_t block) {
    if (!before_[block]) return;
    const T& before = *before_[block];
    std::size_t i = block * kBlock;
    if constexpr (kind == Scan::exclusive) out(i++) = before;
    for (; i != end_of(block); ++i) out(i) = operation_(before, std::move(out(i)));
  }

  void add(std::optional<T>& before, T&& sum) {
    before = before ? operation_(*std::move(before), std::move(sum)) : std::move(sum);
  }

  std::size_t end_of(std::size_t block) const noexcept {
    return std::min(size_, (block + 1) * kBlock);
  }
  decltype(auto) in(std::size_t i) const { return in_[static_cast<std::iter_difference_t<In>>(i)]; }
  decltype(auto) out(std::size_t i) const {
    return out_[static_cast<std::iter_difference_t<Out>>(i)];
  }

  Executor& executor_;
  const In in_;
  const Out out_;
  Operation& operation_;
  const CancelToken& token_;
  std::size_t size_ = 0;
  // What precedes each block that was scanned alone; its sum until that is known.
  std::vector<std::optional<T>> before_;
};

}  // namespace detail

// Sets out[i] to first[0] + ... + first[i], where + is `operation(left, right)`. All is computed in
// the type of the output's elements, which must be copyable.
template <std::random_access_iterator In, std::random_access_iterator Out,
          class Operation = std::plus<>>
void parallel_inclusive_scan(Executor& executor, In first, In last, Out out,
                             Operation operation = {}, const CancelToken& token = {}) {
  if (last <= first) return;
  using Scan = detail::BlockScan<detail::Scan::inclusive, In, Out, Operation>;
  Scan(executor, first, out, operation, token)
      .run(static_cast<std::size_t>(last - first), std::nullopt);
}

// Sets out[i] to initial + first[0] + ... + first[i - 1], and returns initial + the sum of all.
template <std::random_access_iterator In, std::random_access_iterator Out,
          class Operation = std::plus<>>
std::iter_value_t<Out> parallel_exclusive_scan(Executor& executor, In first, In last, Out out,
                                               std::iter_value_t<Out> initial,
                                               Operation operation = {},
                                               const CancelToken& token = {}) {
  if (last <= first) return initial;
  using Scan = detail::BlockScan<detail::Scan::exclusive, In, Out, Operation>;
  return *Scan(executor, first, out, operation, token)
              .run(static_cast<std::size_t>(last - first), std::move(initial));
}

}  // namespace fathom::rt
