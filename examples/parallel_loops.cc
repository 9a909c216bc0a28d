// Parallel loops and algorithms: parallel_for(), parallel_reduce(), parallel_sort() and a scan, to
// group a million orders by customer.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <vector>

#include "fathom/rt.h"

namespace rt = fathom::rt;

struct Order {
  std::uint32_t customer;
  std::uint32_t cents;
};

int main() {
  rt::Executor executor;
  constexpr std::uint32_t kCustomers = 1000;
  std::vector<Order> orders(1'000'000);

  // Indices one by one: each call writes an element of its own.
  rt::parallel_for(executor, std::size_t{0}, orders.size(), [&](std::size_t i) {
    const auto mixed = static_cast<std::uint32_t>(i * 2'654'435'761U);
    orders[i] = {mixed % kCustomers, (mixed >> 8U) % 10'000};
  });

  // The customers in order, and the orders of each in the order in which they came: it is stable.
  rt::parallel_sort(executor, orders.begin(), orders.end(),
                    [](const Order& a, const Order& b) { return a.customer < b.customer; });

  // How many orders each customer has, by one thread, and where they begin.
  std::vector<std::size_t> counts(kCustomers);
  for (const Order& order : orders) ++counts[order.customer];
  std::vector<std::size_t> begins(kCustomers);
  const std::size_t all =
      rt::parallel_exclusive_scan(executor, counts.begin(), counts.end(), begins.begin(), 0);

  // The largest sum of a customer. Each call handles a range of customers and continues from the
  // result so far.
  const std::uint64_t most = rt::parallel_reduce(
      executor, std::uint32_t{0}, kCustomers, std::uint64_t{0},
      [&](std::uint32_t customer, std::uint64_t so_far) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < counts[customer]; ++i) {
          const Order& order = orders[begins[customer] + i];
          if (order.customer != customer) return ~std::uint64_t{0};
          sum += order.cents;
        }
        return std::max(so_far, sum);
      },
      [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });

  std::cout << all << " orders, at most " << most / 100 << " from one customer\n";
  return all == orders.size() && most != ~std::uint64_t{0} ? 0 : 1;
}
