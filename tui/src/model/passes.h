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

// Makes the items be what item_at(i) returns for i from 0 to count, without those that a predicate
// refuses, in their order. Each part has a predicate of its own, made by make_keeps(). Needs no
// room but that of the items; item_at(i) may read items[i].
template <class Item, class ItemAt, class MakeKeeps>
void fill_with(std::vector<Item>& items, std::size_t count, ItemAt item_at, MakeKeeps make_keeps) {
  items.resize(count);
  std::array<std::size_t, kMostParts> begins{};
  std::array<std::size_t, kMostParts> ends{};
  const std::size_t parts =
      in_parts(count, [&](std::size_t part, std::size_t begin, std::size_t end) {
        auto keeps = make_keeps();
        std::size_t kept = begin;
        for (std::size_t i = begin; i < end; ++i) {
          const Item item = item_at(i);
          if (keeps(item)) items[kept++] = item;
        }
        begins[part] = begin;
        ends[part] = kept;
      });
  auto target = items.begin();
  const auto at = [&](std::size_t i) { return items.begin() + static_cast<std::ptrdiff_t>(i); };
  for (std::size_t part = 0; part < parts; ++part) {
    target = std::copy(at(begins[part]), at(ends[part]), target);
  }
  items.erase(target, items.end());
}

}  // namespace fathom::tui
