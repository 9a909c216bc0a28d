// Passes: work on many rows, divided among threads where that is worth it.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "fathom/rt/concurrency.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"

namespace fathom::tui {

inline constexpr std::size_t kMostParts = 16;

// Calls work(part, begin, end) for each of the parts of 0 to count. Returns the number of parts.
template <class Work>
std::size_t in_parts(std::size_t count, Work work) {
  constexpr std::size_t kWorthIt = 100'000;
  constexpr unsigned kMostThreads = 4;
  if (count < kWorthIt || rt::default_concurrency() < 2) {
    work(std::size_t{0}, std::size_t{0}, count);
    return 1;
  }
  const std::size_t parts = kMostParts;
  // The calling thread is one of them.
  const unsigned threads = std::min(kMostThreads, rt::default_concurrency()) - 1;
  rt::Executor executor({.threads = threads, .name = "fathom-rows"});
  rt::parallel_for(executor, std::size_t{0}, parts, [&](std::size_t part) {
    work(part, count * part / parts, count * (part + 1) / parts);
  });
  return parts;
}

// Makes the items from `from` on be what item_at(i) returns for i from 0 to count, without those
// that a predicate refuses, in their order, and returns their number. Each part has a predicate of
// its own, made by make_keeps(). item_at(i) may read the item at from + i.
template <class Item, class ItemAt, class MakeKeeps>
std::size_t fill_part(Item* from, std::size_t count, ItemAt item_at, MakeKeeps make_keeps) {
  std::array<std::size_t, kMostParts> begins{};
  std::array<std::size_t, kMostParts> ends{};
  const std::size_t parts =
      in_parts(count, [&](std::size_t part, std::size_t begin, std::size_t end) {
        auto keeps = make_keeps();
        std::size_t kept = begin;
        for (std::size_t i = begin; i < end; ++i) {
          const Item item = item_at(i);
          if (keeps(item)) from[kept++] = item;
        }
        begins[part] = begin;
        ends[part] = kept;
      });
  Item* target = from;
  for (std::size_t part = 0; part < parts; ++part) {
    target = std::copy(from + begins[part], from + ends[part], target);
  }
  return static_cast<std::size_t>(target - from);
}

// The same for all items. Needs no room but that of the items.
template <class Item, class ItemAt, class MakeKeeps>
void fill_with(std::vector<Item>& items, std::size_t count, ItemAt item_at, MakeKeeps make_keeps) {
  items.resize(count);
  items.resize(fill_part(items.data(), count, item_at, make_keeps));
}

}  // namespace fathom::tui
