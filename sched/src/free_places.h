// FreePlaces: the places of tasks that are free, in several lists.
//
// A thread that runs tasks of a channel returns their places to the list of that channel, and one
// that creates tasks takes places from there first. So threads that work for different channels
// seldom change the same word. Several channels may share a list.
//
// All lists together count: places are taken from others if a list has too few, or from several if
// all have.
//
// Lock-free, except that calls which take places from several lists may take them from each other,
// return them and retry, as long as their steps alternate so.
//
//   FreePlaces places(words, 4, next, Contended::pause);
//   std::uint32_t first = places.pop_chain(channel, 16);      // kNoIndex if there are fewer
//   places.list(channel).push(first, last);

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "index_stack.h"
#include "two_stacks.h"

namespace fathom::sched {

class FreePlaces {
 public:
  static constexpr unsigned kMostLists = 8;
  // The number of lists for so many channels.
  static constexpr unsigned lists_for(unsigned channels) noexcept {
    return std::bit_floor(std::min(channels, kMostLists));
  }

  // The words of the lists are behind each other. The number of lists is a power of two.
  FreePlaces(const StackWords& words, unsigned lists, IndexStack::Link* next,
             Contended contended) noexcept
      : words_(words), mask_(lists - 1), next_(next), contended_(contended) {}

  // That of a channel.
  [[nodiscard]] TwoStacks list(unsigned channel) const noexcept {
    return {words_.group(channel & mask_), next_, contended_};
  }

  // Any thread. Takes `count` (1 or more), all or none, and returns the first, which next[] links
  // to the others; kNoIndex if there were fewer at some moment of the call, not counting those that
  // a call at the same time takes, even if it then returns them because it finds too few.
  [[gnu::always_inline]] std::uint32_t pop_chain(unsigned channel, std::uint32_t count) noexcept {
    const Chain all = list(channel).pop_chain(count);
    return all.count != 0 ? all.first : pop_chain_elsewhere(channel, count);
  }

 private:
  std::uint32_t pop_chain_elsewhere(unsigned channel, std::uint32_t count) noexcept {
    for (;;) {
      for (unsigned i = 0; i <= mask_; ++i) {
        const Chain all = list(channel + i).pop_chain_of_either(count);
        if (all.count != 0) return all.first;
      }
      if (!had(count)) return kNoIndex;
      const std::uint32_t first = gather(channel, count);
      if (first != kNoIndex) return first;
    }
  }

  // Each list is two stacks.
  [[nodiscard]] unsigned stacks() const noexcept { return 2 * (mask_ + 1); }
  [[nodiscard]] IndexStack stack(unsigned number) const noexcept {
    return list(number / 2).stack(number % 2);
  }

  // Whether all stacks together had so many at some moment of the call.
  [[nodiscard]] bool had(std::uint32_t count) const noexcept {
    for (;;) {
      std::array<IndexStack::Look, std::size_t{2} * kMostLists> looks;
      std::uint64_t sum = 0;
      for (unsigned i = 0; i < stacks(); ++i) {
        looks.at(i) = stack(i).look(count);
        sum += looks.at(i).count;
      }
      // Did a place move from a later stack to an earlier one between two looks?
      bool still = true;
      for (unsigned i = 0; i + 1 < stacks(); ++i) still = still && stack(i).is_still(looks.at(i));
      if (still) return sum >= count;
    }
  }

  // Takes from several, and returns what it took if it finds too few.
  std::uint32_t gather(unsigned channel, std::uint32_t count) noexcept {
    Chain all;
    for (unsigned i = 0; i < stacks(); ++i) {
      const Chain more = list(channel + i / 2).take(i % 2, 1, count - all.count);
      if (more.count == 0) continue;
      if (all.count != 0) next_[all.last].store(more.first, base::memory_order_relaxed);
      if (all.count == 0) all.first = more.first;
      all.last = more.last;
      all.count += more.count;
      if (all.count == count) return all.first;
    }
    if (all.count != 0) list(channel).push(all.first, all.last);
    return kNoIndex;
  }

  const StackWords words_;
  const unsigned mask_;
  IndexStack::Link* const next_;
  const Contended contended_;
};

}  // namespace fathom::sched
