// StealEngine: work stealing with locks; an idle worker takes half of another's work.

#include "engine/steal.h"

#include <new>

#include "engine/team.h"

namespace fathom::fs {

StealEngine::StealEngine(unsigned threads, const rt::Observer* observer)
    : threads_(threads), observer_(observer) {
  for (unsigned i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>());
}

void StealEngine::run(const std::vector<Work*>& first, std::chrono::milliseconds interval,
                      const Tick& tick) {
  for (std::size_t i = 0; i < first.size(); ++i) {
    workers_[i % workers_.size()]->works.push_back(first[i]);
  }
  unfinished_.store(first.size(), base::memory_order_relaxed);
  Team team(threads_, observer_, [this](unsigned worker) { work(worker); });
  threads_ = team.size();
  team.wait(interval, tick);
}

void StealEngine::spawn(Work& work, unsigned worker) {
  {
    Worker& own = *workers_[worker];
    const std::lock_guard lock(own.mutex);
    own.works.push_back(&work);
    // Counted before a thief can take and finish it; the mutex ensures this.
    unfinished_.fetch_add(1, base::memory_order_relaxed);
  }
  // seq_cst on both sides [S2]: either this load sees the idle worker, or that worker, which has
  // already announced itself, finds the work in its last check.
  base::fence(base::memory_order_seq_cst);
  if (idle_.load(base::memory_order_relaxed) == 0) return;
  {
    const std::lock_guard lock(idle_mutex_);
    ++spawned_;
  }
  changed_.notify_one();
}

std::optional<std::size_t> StealEngine::queued() {
  std::size_t works = 0;
  for (const auto& worker : workers_) {
    const std::lock_guard lock(worker->mutex);
    works += worker->works.size();
  }
  return works;
}

void StealEngine::work(unsigned worker) {
  while (Work* work = take(worker)) {
    run_observed(*work, worker, observer_);
    finish_one();
  }
}

void StealEngine::finish_one() {
  if (unfinished_.fetch_sub(1, base::memory_order_acq_rel) != 1) return;  // [S1]
  const std::lock_guard lock(idle_mutex_);
  changed_.notify_all();
}

// Null if there will be no more work.
Work* StealEngine::take(unsigned worker) {
  if (Work* own = take_own(worker)) return own;
  if (Work* stolen = steal(worker)) return stolen;
  idle_.fetch_add(1, base::memory_order_relaxed);
  Work* found = nullptr;
  for (;;) {
    std::size_t seen = 0;
    {
      const std::lock_guard lock(idle_mutex_);
      seen = spawned_;
    }
    base::fence(base::memory_order_seq_cst);  // [S2]
    found = steal(worker);
    if (found != nullptr) break;
    std::unique_lock lock(idle_mutex_);
    const auto over = [this] { return unfinished_.load(base::memory_order_acquire) == 0; };  // [S1]
    wait_observed(changed_, lock, observer_, [&] { return spawned_ != seen || over(); });
    if (over()) break;
  }
  idle_.fetch_sub(1, base::memory_order_relaxed);
  return found;
}

Work* StealEngine::take_own(unsigned worker) {
  Worker& own = *workers_[worker];
  const std::lock_guard lock(own.mutex);
  if (own.works.empty()) return nullptr;
  Work* work = own.works.back();
  own.works.pop_back();
  return work;
}

Work* StealEngine::steal(unsigned thief) {
  for (std::size_t step = 1; step < workers_.size(); ++step) {
    const auto victim = static_cast<unsigned>((thief + step) % workers_.size());
    if (Work* work = steal_half(victim, thief)) return work;
  }
  return nullptr;
}

// Returns the victim's oldest work item; the rest of its older half moves to the thief.
Work* StealEngine::steal_half(unsigned from, unsigned to) {
  Worker& victim = *workers_[from];
  Worker& thief = *workers_[to];
  // Locks both, so that work in transit is always visible to other workers.
  const std::scoped_lock locks(victim.mutex, thief.mutex);
  if (victim.works.empty()) return nullptr;
  const auto first = victim.works.begin();
  Work* work = *first;
  auto taken = first + 1;
  const auto half = first + static_cast<std::ptrdiff_t>((victim.works.size() + 1) / 2);
  try {
    thief.works.insert(thief.works.end(), taken, half);
    taken = half;
  } catch (const std::bad_alloc&) {
    // The returned item needs no space.
  }
  if (observer_ != nullptr) observer_->stolen(from, static_cast<std::size_t>(taken - first));
  victim.works.erase(first, taken);
  return work;
}

}  // namespace fathom::fs
