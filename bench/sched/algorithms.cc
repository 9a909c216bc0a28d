// Parallel algorithms on Fathom's executor; and those of the C++ library on a single thread.

#include "sched/algorithms.h"

#include "fathom/rt/executor.h"
#include "fathom/rt/parallel_pipeline.h"
#include "fathom/rt/parallel_scan.h"
#include "fathom/rt/parallel_sort.h"
#include "fathom/rt/task_group.h"
#include "sched/questions.h"
#include "sched/traversal.h"

namespace fathom::bench {

namespace {

class Workers {
 public:
  template <class F>
  void enter(const F& f) {
    group_.run([&] { f(); });
    group_.wait();
  }
  template <class Iterator>
  void sort(Iterator first, Iterator last) {
    rt::parallel_sort(executor_, first, last);
  }
  template <class T, class Add>
  void scan(const std::vector<T>& in, std::vector<T>& out, const T& /*zero*/, const Add& add) {
    rt::parallel_inclusive_scan(executor_, in.begin(), in.end(), out.begin(), add);
  }
  template <class Item, class Make, class Change, class Take>
  void pipeline(std::vector<Item>& slots, const Make& make, const Change& change,
                const Take& take) {
    rt::parallel_pipeline(executor_, slots, rt::in_order(make), rt::in_parallel(change),
                          rt::in_order(take));
  }

 private:
  rt::Executor executor_{{.threads = kThreads}};
  rt::TaskGroup group_{executor_};
};

class OneThread {
 public:
  template <class F>
  void enter(const F& f) {
    f();
  }
  template <class Iterator>
  void sort(Iterator first, Iterator last) {
    std::sort(first, last);
  }
  template <class T, class Add>
  void scan(const std::vector<T>& in, std::vector<T>& out, const T& /*zero*/, const Add& add) {
    std::inclusive_scan(in.begin(), in.end(), out.begin(), add);
  }
  template <class Item, class Make, class Change, class Take>
  void pipeline(std::vector<Item>& slots, const Make& make, const Change& change,
                const Take& take) {
    while (make(slots[0])) {
      change(slots[0]);
      take(slots[0]);
    }
  }
};

class OneThreadStable : public OneThread {
 public:
  template <class Iterator>
  void sort(Iterator first, Iterator last) {
    std::stable_sort(first, last);
  }
};

}  // namespace

void add_own_algorithms() {
  add_sorts<Workers>("fathom");
  add_sorts<OneThread>("one_thread");
  add_sorts<OneThreadStable>("one_thread_stable");
  add_scans<Workers>("fathom");
  add_scans<OneThread>("one_thread");
  add_pipelines<Workers>("fathom");
  add_pipelines<OneThread>("one_thread");
}

}  // namespace fathom::bench
