// oneTBB's parallel algorithms. The calling thread is part of the arena.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task_arena.h>

#include "sched/algorithms.h"
#include "sched/questions.h"
#include "sched/traversal.h"

namespace fathom::bench {

namespace {

class Arena {
 public:
  Arena() { arena_.initialize(); }

  template <class F>
  void enter(const F& f) {
    arena_.execute(f);
  }
  template <class Iterator>
  void sort(Iterator first, Iterator last) {
    tbb::parallel_sort(first, last);
  }
  template <class T, class Add>
  void scan(const std::vector<T>& in, std::vector<T>& out, const T& zero, const Add& add) {
    tbb::parallel_scan(
        tbb::blocked_range<std::size_t>(0, in.size(), 1024), zero,
        [&](const tbb::blocked_range<std::size_t>& range, T sum, bool stores) {
          for (std::size_t i = range.begin(); i != range.end(); ++i) {
            sum = add(sum, in[i]);
            if (stores) out[i] = sum;
          }
          return sum;
        },
        add);
  }
  // With as many tokens as slots, the slot of the item that many before is free again.
  template <class Item, class Make, class Change, class Take>
  void pipeline(std::vector<Item>& slots, const Make& make, const Change& change,
                const Take& take) {
    std::size_t next = 0;
    tbb::parallel_pipeline(slots.size(),
                           tbb::make_filter<void, Item*>(tbb::filter_mode::serial_in_order,
                                                         [&](tbb::flow_control& control) {
                                                           Item* const item =
                                                               &slots[next++ % slots.size()];
                                                           if (!make(*item)) control.stop();
                                                           return item;
                                                         }) &
                               tbb::make_filter<Item*, Item*>(tbb::filter_mode::parallel,
                                                              [&](Item* item) {
                                                                change(*item);
                                                                return item;
                                                              }) &
                               tbb::make_filter<Item*, void>(tbb::filter_mode::serial_in_order,
                                                             [&](Item* item) { take(*item); }));
  }

 private:
  tbb::global_control allowed_{tbb::global_control::max_allowed_parallelism, kThreads};
  tbb::task_arena arena_{static_cast<int>(kThreads)};
};

}  // namespace

void add_tbb_algorithms() {
  add_sorts<Arena>("tbb");
  add_scans<Arena>("tbb");
  add_pipelines<Arena>("tbb");
}

}  // namespace fathom::bench
