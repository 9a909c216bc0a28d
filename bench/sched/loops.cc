// Parallel loops and forks on Fathom's executor; and a single thread as the floor.

#include "sched/loops.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "fathom/rt/executor.h"
#include "fathom/rt/parallel.h"
#include "fathom/rt/task_group.h"
#include "sched/crew.h"
#include "sched/questions.h"
#include "sched/requests.h"

namespace fathom::bench {

namespace {

class Workers {
 public:
  template <class F>
  void enter(const F& f) {
    group_.run([&] { f(); });
    wait();
  }
  template <class F, class G>
  void fork(const F& f, const G& g) {
    rt::fork_join(executor_, f, g);
  }
  template <class F>
  void loop(std::size_t size, const F& f) {
    rt::parallel_for(executor_, std::size_t{0}, size, f);
  }
  template <class F>
  void start(const F& f) {
    group_.run(f);
  }
  // With a deadline: otherwise this thread would run the task itself, and wake nobody.
  void wait() {
    while (!group_.wait_for(std::chrono::hours(1))) {
    }
  }
  template <class F>
  void request(const F& f) {
    group_.run(f);
  }
  void finish() { wait(); }

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
  template <class F, class G>
  void fork(const F& f, const G& g) {
    f();
    g();
  }
  template <class F>
  void loop(std::size_t size, const F& f) {
    for (std::size_t i = 0; i < size; ++i) f(i);
  }
};

// Two threads, each with a fixed half, and nothing else: the second one is always awake, and learns
// by one cache line that it has something to do, and tells by another one that it has done it. No
// loop that shares its indices costs less.
class Halves {
 public:
  template <class F>
  void enter(const F& f) {
    f();
  }
  template <class F, class G>
  void fork(const F& f, const G& g) {  // is not measured
    f();
    g();
  }
  template <class F>
  void loop(std::size_t size, const F& f) {
    crew_.run([&](unsigned number) {
      const std::size_t end = size * (number + 1) / kThreads;
      for (std::size_t i = size * number / kThreads; i != end; ++i) f(i);
    });
  }

 private:
  Crew crew_{kThreads};
};

// A thread that sleeps on a condition variable: the minimum cost of waking a thread.
class Sleeper {
 public:
  Sleeper() = default;
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;
  ~Sleeper() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  template <class F>
  void start(const F& f) {
    {
      const std::lock_guard lock(mutex_);
      work_ = f;
    }
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !work_; });
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return over_ || work_; });
      if (over_) return;
      work_();
      work_ = nullptr;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;
  bool over_ = false;
  std::thread thread_{[this] { serve(); }};
};

}  // namespace

void add_own_loops() {
  add_loops<Workers>("fathom");
  add_loops<OneThread>("one_thread");
  add_loops<Halves>("halves_floor");
  add_wake<Workers>("fathom");
  add_wake<Sleeper>("condition_variable");
  add_requests<Workers>("fathom");
}

}  // namespace fathom::bench
