// TaskGroup: waits for tasks that belong together, and passes on the first exception.

#include <algorithm>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "fathom/rt.h"

int main() {
  fathom::rt::Executor executor;
  std::vector<int> numbers(100'000);
  std::iota(numbers.rbegin(), numbers.rend(), 0);

  const auto middle = numbers.begin() + 50'000;
  fathom::rt::TaskGroup halves(executor);
  halves.run([&] { std::sort(numbers.begin(), middle); });
  halves.run([&] { std::sort(middle, numbers.end()); });
  halves.wait();
  std::inplace_merge(numbers.begin(), middle, numbers.end());

  fathom::rt::TaskGroup failing(executor);
  failing.run([] { throw std::runtime_error("this one failed"); });
  try {
    failing.wait();
  } catch (const std::runtime_error& error) {
    std::cout << "sorted, and then: " << error.what() << '\n';
    return std::is_sorted(numbers.begin(), numbers.end()) ? 0 : 1;
  }
  return 1;
}
