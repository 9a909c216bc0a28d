// Table: a ring on the model checker, the items that went in, and the items that came out; and a
// scenario of any ring.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/checker.h"
#include "model/data.h"

namespace fathom::model {

using Item = Data<unsigned>;
using Items = std::vector<unsigned>;

// Threads are fibers, of which one runs at a time, so plain vectors suffice for data that no ring
// orders.
template <class Ring>
struct Table {
  template <class... Options>
  Table(std::size_t capacity, std::uint64_t start, Options... options)
      : ring(capacity, start, options...) {}
  void keep(const std::optional<Item>& item) {
    if (item) out.push_back(*item);
  }
  void push(unsigned item) {
    if (ring.push(item)) in.push_back(item);
  }
  void try_push(unsigned item) {
    if (ring.try_push(Item(item))) in.push_back(item);
  }
  // Takes what is left; returns whether each item that went in came out once.
  bool all_out() {
    while (const auto item = ring.try_pop()) keep(item);
    std::sort(in.begin(), in.end());
    std::sort(out.begin(), out.end());
    return in == out && ring.size_hint() == 0;
  }

  Ring ring;
  Items in;
  Items out;
};

// A thread that sees that the ring is closed sees what was pushed before.
template <class Ring>
Scenario pushed_before_closing() {
  const auto table = std::make_shared<Table<Ring>>(2, 0);
  const auto lost = std::make_shared<bool>(false);
  Scenario scenario;
  scenario.threads.emplace_back([table] {
    table->try_push(0);
    table->ring.close();
  });
  scenario.threads.emplace_back([table, lost] {
    if (!table->ring.closed()) return;
    const auto item = table->ring.try_pop();
    *lost = !item;
    table->keep(item);
  });
  scenario.check = [table, lost] { return !*lost && table->all_out(); };
  return scenario;
}

}  // namespace fathom::model
