// EventCount: sleeping until lock-free data says something else.

#include <iostream>
#include <thread>

#include "fathom/base/atomic.h"
#include "fathom/rt.h"

int main() {
  fathom::base::atomic<int> answer{0};
  fathom::rt::EventCount answered;
  std::thread thinker([&] {
    answer = 42;            // first the data,
    answered.notify_all();  // then the news
  });
  while (answer == 0) {
    const auto key = answered.prepare_wait();  // first the announcement,
    if (answer == 0) {                         // then the last look
      answered.commit_wait(key);               // sleeps
    } else {
      answered.cancel_wait(key);
    }
  }
  thinker.join();
  std::cout << "the answer is " << answer << '\n';
  return answer == 42 ? 0 : 1;
}
