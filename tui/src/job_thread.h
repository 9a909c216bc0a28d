// JobThread: a thread that does jobs one after the other, in the order in which they were begun.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace fathom::tui {

class JobThread {
 public:
  JobThread();
  // Forgets the jobs that have not begun, and waits for the one that has.
  ~JobThread();
  JobThread(const JobThread&) = delete;
  JobThread& operator=(const JobThread&) = delete;

  // The job must not throw.
  void begin(std::function<void()> job);

 private:
  void run();

  std::mutex mutex_;  // guards the next three
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace fathom::tui
