// Executor: tasks without allocation, run by threads that steal from each other.

#include <cstdint>
#include <deque>
#include <iostream>

#include "fathom/base/atomic.h"
#include "fathom/rt.h"

class Square final : public fathom::rt::Task {
 public:
  explicit Square(fathom::base::atomic<std::uint64_t>& sum) : Task(&run), sum_(sum) {}
  std::uint64_t number = 0;

 private:
  static void run(Task& task) noexcept {
    const Square& self = static_cast<Square&>(task);
    self.sum_ += self.number * self.number;
  }
  fathom::base::atomic<std::uint64_t>& sum_;
};

int main() {
  fathom::base::atomic<std::uint64_t> sum{0};
  std::deque<Square> tasks;  // a submitted task must not move
  {
    fathom::rt::Executor executor;  // as many threads as this process may use
    for (std::uint64_t i = 1; i <= 100; ++i) {
      tasks.emplace_back(sum).number = i;
      executor.submit(&tasks.back());
    }
  }  // waits for all of them
  std::cout << "the sum of the first 100 squares is " << sum << '\n';
  return sum == 338'350 ? 0 : 1;
}
