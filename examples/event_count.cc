// EventCount: sleeping until lock-free data changes.

#include <iostream>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/rt.h"

int main() {
  fathom::base::atomic<int> answer{0};
  fathom::rt::EventCount answered;
  std::thread thinker([&] {
    answer = 42;            // first change the data,
    answered.notify_all();  // then notify
  });
  while (answer == 0) {
    const auto key = answered.prepare_wait();  // first register,
    if (answer == 0) {                         // then check again
      answered.commit_wait(key);               // sleeps
    } else {
      answered.cancel_wait(key);
    }
  }
  thinker.join();
  std::cout << "the answer is " << answer << '\n';
  return answer == 42 ? 0 : 1;
}
