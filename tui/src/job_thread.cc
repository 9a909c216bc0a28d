// JobThread: a queue.

#include "job_thread.h"

#include <utility>

#include "fathom/rt/signals_blocked.h"

namespace fathom::tui {

JobThread::JobThread() {
  const rt::SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

JobThread::~JobThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JobThread::begin(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void JobThread::run() {
  while (true) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ending_ || !jobs_.empty(); });
      if (ending_) return;
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace fathom::tui
