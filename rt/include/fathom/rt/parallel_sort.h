// parallel_sort(): sorts a range on the workers of an executor.
//
//   parallel_sort(executor, names.begin(), names.end());
//   parallel_sort(executor, files.begin(), files.end(),
//                 [](const File& a, const File& b) { return a.size > b.size; });
//
// Guarantees: the sort is stable, so the result depends on the input alone, and on neither threads
// nor timing. n elements take O(n log n) comparisons and moves, divided among the threads, and
// memory for n elements. A range that is already in order takes n - 1 comparisons and neither
// memory nor moves; one in strictly descending order is only reversed.
//
// The calling thread takes part. Which threads may call, and what a waiting worker does, is as in
// parallel.h. Several threads may call the comparison at the same time, never with an element that
// another one is moving.
//
// If a comparison throws, the first exception seen is rethrown after all threads have stopped, and
// the range then has the same elements in some order. std::bad_alloc is thrown before anything has
// moved. Elements whose moves may throw are sorted by way of pointers, which takes n pointers and
// elements more; if a move throws, all elements are valid, but their values are unspecified. If the
// comparison is not a strict weak ordering, the order is unspecified, and numbers and other
// trivially copyable elements may be lost or duplicated; no other memory is accessed.
//
// Takes a CancelToken as its last argument, if wanted. After the cancellation, or the deadline of
// the token, each thread ends the block of at most 1024 elements that it compares, and then only
// moves elements, about three times each. If the token is not cancelled when the function returns,
// the range is sorted; otherwise it has the same elements in some order.
//
// It is a merge sort, to and fro between the range and the spare memory (Knuth, "The Art of
// Computer Programming", volume 3, 5.2.4). Merges of trivially copyable elements proceed from both
// ends, without a branch for each element, and skip blocks that need no merging (Peters,
// "Glidesort", FOSDEM 2023). While a worker is idle, the rest of a merge is halved; a binary search
// finds where (Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path", IPDPSW 2012). A parallel
// quicksort needs no memory, but it is not stable, and begins with a serial partition. The
// experiment parallel-algorithms compares both. If there are few different values, or if the order
// is one that a processor's branch prediction learns, std::sort() on one thread takes no longer.

#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "fathom/base/atomic.h"
#include "fathom/rt/cancel.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"

namespace fathom::rt {

namespace detail {

// Memory for n elements, none of which exist at the beginning or at the end.
template <class T>
class SpareMemory {
 public:
  explicit SpareMemory(std::size_t n) : size_(n), elements_(std::allocator<T>().allocate(n)) {}
  SpareMemory(const SpareMemory&) = delete;
  SpareMemory& operator=(const SpareMemory&) = delete;
  ~SpareMemory() { std::allocator<T>().deallocate(elements_, size_); }
  T* elements() const noexcept { return elements_; }

 private:
  const std::size_t size_;
  T* const elements_;
};

template <class T>
inline constexpr bool kMovesFreely =
    std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_assignable_v<T>;

// A pointer to an element.
template <class T>
struct PointerTo {
  T* element;
};

// Whether an element may be lost if the comparison contradicts itself.
template <class T>
inline constexpr bool kMayBeLost = std::is_trivially_copyable_v<T>;
template <class T>
inline constexpr bool kMayBeLost<PointerTo<T>> = false;

// A merge sort of n elements. Each element is either in the range or in the spare memory, where it
// exists only as long. No exception passes through the forks: after one, and after a cancellation,
// elements are still moved, but no longer compared. A cursor is a pointer if the range is
// contiguous.
template <class Cursor, class Before>
class MergeSort {
  using T = std::iter_value_t<Cursor>;
  static_assert(kMovesFreely<T>);

 public:
  MergeSort(Executor& executor, Cursor range, T* spare, Before& before, const TokenCheck& token)
      : executor_(executor), range_(range), spare_(spare), before_(before), token_(token) {}

  void run(std::size_t n) {
    sort<Place::range>(0, n);
    if (error_) std::rethrow_exception(std::move(error_));
  }

 private:
  enum class Place : bool { range, spare };
  template <Place place>
  static constexpr Place kOther = place == Place::range ? Place::spare : Place::range;
  template <Place place>
  using CursorIn = std::conditional_t<place == Place::range, Cursor, T*>;

  static constexpr std::size_t kInsertion = 16;     // at most so many are sorted by insertion
  static constexpr std::size_t kSequential = 2048;  // at most so many are left to one thread
  static constexpr std::size_t kBlock = 128;        // elements between two checks for idle workers
  static constexpr int kAhead = 8;                  // how far ahead contents are asked for

  // What is left of a merge from the other place to this one.
  template <Place to>
  struct Merge {
    using From = CursorIn<kOther<to>>;

    std::size_t lefts() const noexcept { return static_cast<std::size_t>(left_end - left); }
    std::size_t rights() const noexcept { return static_cast<std::size_t>(right_end - right); }
    std::size_t size() const noexcept { return static_cast<std::size_t>(out_end - out); }

    From left, left_end;
    From right, right_end;
    CursorIn<to> out, out_end;
  };

  // Sorts [begin, end) of the range; the result is at the same indices of this place.
  template <Place to>
  void sort(std::size_t begin, std::size_t end) noexcept {
    const bool stops = stopped();
    if (stops || end - begin <= kInsertion) {
      for (std::size_t i = begin; !stops && i != end; ++i) fetch(*at<Place::range>(i));
      if (!stops) or_stop([&] { insert_each(at<Place::range>(begin), at<Place::range>(end)); });
      if constexpr (to == Place::spare) {
        put_all<to>(at<Place::range>(begin), at<Place::range>(end), spare_ + begin);
      }
      return;
    }
    constexpr Place from = kOther<to>;
    const std::size_t middle = begin + (end - begin) / 2;
    const auto sort_left = [&] { sort<from>(begin, middle); };
    const auto sort_right = [&] { sort<from>(middle, end); };
    if (end - begin <= kSequential) {
      sort_left();
      sort_right();
    } else {
      fork_join(executor_, sort_left, sort_right);
    }
    merge<to>({at<from>(begin), at<from>(middle), at<from>(middle), at<from>(end), at<to>(begin),
               at<to>(end)});
  }

  // The element is compared soon: asks for its contents if they are elsewhere, as those of a
  // string.
  static void fetch([[maybe_unused]] const T& element) noexcept {
    if constexpr (std::ranges::contiguous_range<const T&>) {
      if constexpr (noexcept(std::ranges::data(element))) {
        __builtin_prefetch(std::ranges::data(element));
      }
    }
  }

  // Compares an element with all others before it moves, so that nothing is lost if that throws.
  void insert_each(Cursor first, Cursor last) {
    for (Cursor next = first + 1; next < last; ++next) {
      Cursor to = next;
      while (to != first && before_(*next, *(to - 1))) --to;
      if (to == next) continue;
      T element = std::move(*next);
      std::move_backward(to, next, next + 1);
      *to = std::move(element);
    }
  }

  template <Place to>
  void merge(Merge<to> rest) noexcept {
    or_stop([&] {
      while (rest.lefts() != 0 && rest.rights() != 0 && !stopped()) {
        if (!before_(*rest.right, *(rest.left_end - 1))) return;  // they are in order
        if (rest.size() > kSequential && executor_.wants_split()) return merge_halves(rest);
        // A few elements that are moved one by one: two comparisons more would seldom save any.
        const bool is_small = !kMayBeLost<T> && rest.size() <= 2 * kBlock;
        if (is_small || !skip_block(rest)) merge_block(rest);
      }
    });
    const auto out = put_all<to>(rest.left, rest.left_end, rest.out);
    put_all<to>(rest.right, rest.right_end, out);
  }

  template <Place to>
  void merge_halves(Merge<to>& rest) {
    Merge<to> first = rest;
    Merge<to> second = split_off(first);
    rest.left = rest.left_end;
    rest.right = rest.right_end;
    fork_join(
        executor_, [&] { merge<to>(first); }, [&] { merge<to>(second); });
  }

  // Moves a block of one input if all of it precedes the other input. Returns whether it did.
  template <Place to>
  bool skip_block(Merge<to>& rest) {
    const auto left = next(rest.left, std::min(rest.lefts(), kBlock));
    const auto right = next(rest.right, std::min(rest.rights(), kBlock));
    if (!before_(*rest.right, *(left - 1))) {
      rest.out = put_all<to>(std::exchange(rest.left, left), left, rest.out);
    } else if (before_(*(right - 1), *rest.left)) {
      rest.out = put_all<to>(std::exchange(rest.right, right), right, rest.out);
    } else {
      return false;
    }
    return true;
  }

  // Moves a block of elements.
  template <Place to>
  void merge_block(Merge<to>& rest) {
    auto [left, left_end, right, right_end, out, out_end] = rest;  // in registers
    try {
      if constexpr (kMayBeLost<T>) {
        // From both ends, since either end may compare elements that the other one has moved.
        // Neither input can run out meanwhile: from either end this moves at most as many elements
        // as the shorter input has.
        const std::size_t steps = std::min({rest.lefts(), rest.rights(), kBlock});
        for (std::size_t step = 0; step != steps; ++step) {
          const bool right_first = before_(*right, *left);
          put<to>(right_first ? right : left, out);
          right += right_first;
          left += !right_first;
          ++out;
          const bool left_last = before_(*(right_end - 1), *(left_end - 1));
          put<to>((left_last ? left_end : right_end) - 1, out_end - 1);
          left_end -= left_last;
          right_end -= !left_last;
          --out_end;
        }
      } else {
        // With a branch, so that the processor begins the next comparison, which probably waits for
        // memory, before it knows the result of this one.
        for (std::size_t step = 0; step != kBlock; ++step) {
          if (before_(*right, *left)) {
            if (right_end - right > kAhead) fetch(*next(right, kAhead));
            put<to>(right++, out++);
            if (right == right_end) break;
          } else {
            if (left_end - left > kAhead) fetch(*next(left, kAhead));
            put<to>(left++, out++);
            if (left == left_end) break;
          }
        }
      }
    } catch (...) {
      rest = {left, left_end, right, right_end, out, out_end};
      throw;
    }
    rest = {left, left_end, right, right_end, out, out_end};
    take_from_one(rest);
  }

  // If the comparison contradicts itself, both ends may take the same element, and another one is
  // left over. Ends the merge then, by as many elements as there is room for.
  template <Place to>
  static void take_from_one(Merge<to>& rest) {
    if (rest.left > rest.left_end) {
      rest.left_end = rest.left;
      rest.right_end = next(rest.right, rest.size());
    } else if (rest.right > rest.right_end) {
      rest.right_end = rest.right;
      rest.left_end = next(rest.left, rest.size());
    }
  }

  // Splits off the second half of the output.
  template <Place to>
  Merge<to> split_off(Merge<to>& rest) {
    const std::size_t half = rest.size() / 2;
    // How many of the first half come from the left: at least, and at most.
    std::size_t least = half - std::min(half, rest.rights());
    std::size_t most = std::min(half, rest.lefts());
    while (least < most) {
      const std::size_t lefts = least + (most - least) / 2;
      if (before_(*next(rest.right, half - lefts - 1), *next(rest.left, lefts))) {
        most = lefts;
      } else {
        least = lefts + 1;
      }
    }
    const Merge<to> second = {next(rest.left, least),         rest.left_end,
                              next(rest.right, half - least), rest.right_end,
                              next(rest.out, half),           rest.out_end};
    rest.left_end = second.left;
    rest.right_end = second.right;
    rest.out_end = second.out;
    return second;
  }

  template <class It>
  static It next(It first, std::size_t by) noexcept {
    return first + static_cast<std::iter_difference_t<It>>(by);
  }
  template <Place place>
  auto at(std::size_t i) const noexcept {
    if constexpr (place == Place::range) {
      return next(range_, i);
    } else {
      return spare_ + i;
    }
  }
  // Moves an element from the other place to this one.
  template <Place to, class From, class To>
  static void put(From from, To out) noexcept {
    if constexpr (to == Place::range) {
      *out = std::move(*from);
      std::destroy_at(from);
    } else {
      std::construct_at(out, std::move(*from));
    }
  }

  template <Place to, class From, class To>
  static To put_all(From first, From last, To out) noexcept {
    if constexpr (std::is_trivially_copyable_v<T>) return std::copy(first, last, out);
    for (; first != last; ++first, ++out) put<to>(first, out);
    return out;
  }

  bool stopped() const noexcept {
    return stopped_.load(base::memory_order_relaxed) || token_.is_cancelled();
  }

  template <class F>
  void or_stop(const F& compare) noexcept {
    try {
      compare();
    } catch (...) {
      stopped_.store(true, base::memory_order_relaxed);
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  Executor& executor_;
  const Cursor range_;
  T* const spare_;
  Before& before_;
  const TokenCheck& token_;
  base::atomic<bool> stopped_{false};  // a hint
  std::mutex mutex_;
  std::exception_ptr error_;  // guarded by mutex_
};

// Sorts the range if it is in order or in strictly descending order. Returns whether there is
// nothing left to do, because it did or was cancelled.
template <class Iterator, class Before>
bool sort_one_run(Iterator first, Iterator last, Before& before, const TokenCheck& token) {
  constexpr std::iter_difference_t<Iterator> kBlock = 1024;  // between two checks of the token
  if (last - first < 2 || token.is_cancelled()) return true;
  Iterator next = first + 1;
  const bool descends = before(*next, *first);
  ++next;
  while (next != last) {
    const Iterator end = next + std::min(last - next, kBlock);
    while (next != end && static_cast<bool>(before(*next, *(next - 1))) == descends) ++next;
    if (token.is_cancelled()) return true;
    if (next != end) return false;
  }
  if (descends) std::reverse(first, last);
  return true;
}

template <class Iterator, class Before>
void sort_by_pointers(Executor& executor, Iterator first, Iterator last, Before& before,
                      const TokenCheck& token) {
  using T = std::iter_value_t<Iterator>;
  using Pointer = PointerTo<T>;
  std::vector<Pointer> order;
  order.reserve(static_cast<std::size_t>(last - first));
  for (Iterator i = first; i != last; ++i) order.push_back({std::addressof(*i)});
  std::vector<T> sorted;
  sorted.reserve(order.size());
  const SpareMemory<Pointer> spare(order.size());
  const auto pointee_before = [&](const Pointer& a, const Pointer& b) {
    return before(*a.element, *b.element);
  };
  MergeSort(executor, order.data(), spare.elements(), pointee_before, token).run(order.size());
  for (const Pointer& next : order) sorted.push_back(std::move(*next.element));
  std::move(sorted.begin(), sorted.end(), first);
}

}  // namespace detail

// Sorts [first, last) so that no element is before the one that precedes it.
// `before(a, b)` must be a strict weak ordering.
template <std::random_access_iterator Iterator, class Before = std::less<>>
requires std::sortable<Iterator, Before>
void parallel_sort(Executor& executor, Iterator first, Iterator last, Before before = {},
                   const CancelToken& token = {}) {
  using T = std::iter_value_t<Iterator>;
  const detail::TokenCheck check(token);
  if (detail::sort_one_run(first, last, before, check)) return;
  if constexpr (!detail::kMovesFreely<T>) {
    detail::sort_by_pointers(executor, first, last, before, check);
  } else {
    const auto n = static_cast<std::size_t>(last - first);
    const detail::SpareMemory<T> spare(n);
    if constexpr (std::contiguous_iterator<Iterator>) {
      detail::MergeSort(executor, std::to_address(first), spare.elements(), before, check).run(n);
    } else {
      detail::MergeSort(executor, first, spare.elements(), before, check).run(n);
    }
  }
}

}  // namespace fathom::rt
