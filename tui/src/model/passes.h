// Passes: work on many rows, divided among threads where that is worth it.

#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "fathom/rt/concurrency.h"
#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"

namespace fathom::tui {

// Calls work(begin, end), which returns a vector, for parts of 0 to count, and returns the results
// in the order of the parts.
template <class Item, class Work>
std::vector<std::vector<Item>> in_parts(std::size_t count, Work work) {
  constexpr std::size_t kWorthIt = 100'000;
  constexpr unsigned kMostThreads = 4;
  if (count < kWorthIt || rt::default_concurrency() < 2) return {work(std::size_t{0}, count)};
  const std::size_t parts = 4 * kMostThreads;
  std::vector<std::vector<Item>> results(parts);
  // The calling thread is one of them.
  const unsigned threads = std::min(kMostThreads, rt::default_concurrency()) - 1;
  rt::Executor executor({.threads = threads, .name = "fathom-rows"});
  rt::parallel_for(executor, std::size_t{0}, parts, [&](std::size_t part) {
    results[part] = work(count * part / parts, count * (part + 1) / parts);
  });
  return results;
}

// All items of the parts.
template <class Item>
std::vector<Item> joined(std::vector<std::vector<Item>> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  std::size_t size = 0;
  for (const auto& part : parts) size += part.size();
  std::vector<Item> all;
  all.reserve(size);
  for (auto& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  }
  return all;
}

}  // namespace fathom::tui
