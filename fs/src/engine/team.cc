// Team: starts, waits for and joins threads.

#include "engine/team.h"

#include <system_error>
#include <utility>

#include "fathom/base/crash_stack.h"
#include "fathom/base/error.h"
#include "fathom/base/thread_name.h"
#include "fathom/rt/signals_blocked.h"

namespace fathom::fs {

void run_observed(Work& work, unsigned worker, const rt::Observer* observer) noexcept {
  if (observer == nullptr) return work.run(worker);
  const rt::Observer::Moment began = observer->task_begins();
  work.run(worker);
  observer->task_ends(began);
}

Team::Team(unsigned threads, const rt::Observer* observer, std::function<void(unsigned)> function)
    : observer_(observer), function_(std::move(function)) {
  const rt::SignalsBlocked blocked;
  threads_.reserve(threads);
  for (unsigned index = 0; index < threads; ++index) {
    try {
      threads_.emplace_back([this, index] { run(index); });
    } catch (const std::system_error& error) {
      if (index > 0) return;
      throw base::Error(std::string("cannot start a thread: ") + error.what());
    }
  }
}

Team::~Team() {
  for (std::thread& thread : threads_) thread.join();
}

void Team::run(unsigned index) {
  const base::CrashStack crash_stack(base::CrashStack::IfWanted{});
  base::name_this_thread("fathom", index);
  if (observer_ != nullptr) observer_->thread_starts("fathom", index);
  function_(index);
  if (observer_ != nullptr) observer_->thread_ends();
  const std::lock_guard lock(mutex_);
  ++done_;
  all_done_.notify_one();
}

void Team::wait(std::chrono::milliseconds interval, const Tick& tick) {
  std::unique_lock lock(mutex_);
  while (!all_done_.wait_for(lock, interval, [this] { return done_ == threads_.size(); })) {
    lock.unlock();
    tick();
    lock.lock();
  }
}

}  // namespace fathom::fs
