// One lock or two: the same list, the same threads and the same way of waiting.

#include "rt/locks.h"

#include <string>

#include "rt/suite.h"

namespace fathom::bench {

namespace {

template <class Queue>
void add_both_ways(const std::string& contender) {
  for (const unsigned threads : kLockedShapes) {
    const std::string shape = "rt/locks/" + locked_shape(threads);
    add_transfer<Polled<Queue>, ReceiptOfMany>(shape + "/polled/" + contender,
                                               locked_plan(threads));
    add_transfer<Blocking<Queue>, ReceiptOfMany>(shape + "/sleeping/" + contender,
                                                 locked_plan(threads));
  }
}

}  // namespace

void add_locks() {
  add_both_ways<OneLock>("one_lock");
  add_both_ways<OneLockStdQueue>("one_lock_std_queue");
  add_both_ways<TwoLocks>("two_locks");
}

}  // namespace fathom::bench
