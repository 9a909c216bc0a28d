#include "fathom/fs/scan.h"

#include <algorithm>
#include <system_error>

#include "engine/engine.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/rt/concurrency.h"
#include "fathom/rt/ticker.h"
#include "os.h"
#include "walk/walk.h"

namespace fathom::fs {

namespace {

using std::chrono::milliseconds;

// How many threads wait for a slow disk at most. Measured: docs/decisions/0002-thread-rule.md.
constexpr unsigned kMostThreads = 32;
// How often the thread that waits looks around at least.
constexpr milliseconds kLookInterval{10};

// How threads and directories share the descriptors that the process may open.
struct Descriptors {
  std::size_t held;  // by directories whose own are still to be opened
  unsigned threads;  // that may need some at a time

  static Descriptors plan(unsigned threads) {
    constexpr std::size_t kPerThread = 3;  // one being listed, two while one is reopened
    constexpr std::size_t kOthers = 8;     // for what the process opens meanwhile
    const std::size_t free = os::free_descriptors();
    const std::size_t usable = free > 2 * kOthers ? free - kOthers : free / 2;
    const auto most = static_cast<unsigned>(std::max<std::size_t>(usable / (kPerThread + 1), 1));
    const unsigned allowed = std::min(threads, most);
    const std::size_t needed = kPerThread * allowed;
    return {.held = usable > needed ? usable - needed : 0, .threads = allowed};
  }
};

// Adds threads while those at work mostly wait: a disk serves many requests at a time, a page cache
// has no use for more threads than cores. That the processor is idle is no sign of that: others may
// have it.
class ThreadGovernor {
 public:
  ThreadGovernor(WorkEngine& engine, unsigned threads, unsigned limit)
      : engine_(engine), cores_(threads), threads_(threads), limit_(limit) {}

  void tick() {
    if (threads_ >= limit_) return;
    const double wall = watch_.seconds();
    if (wall - last_wall_ < kInterval) return;
    const double runnable = os::runnable_seconds();
    const double cores = (runnable - last_runnable_) / (wall - last_wall_);
    if (cores >= 0 && cores < kBusy * static_cast<double>(cores_)) {
      threads_ = std::min(4 * threads_, limit_);
      engine_.grow(threads_);
    }
    last_runnable_ = runnable;
    last_wall_ = wall;
  }

 private:
  static constexpr double kBusy = 0.7;
  static constexpr double kInterval =
      0.05;  // seconds; a thread in the queue is accounted for when it leaves it

  WorkEngine& engine_;
  const unsigned cores_;
  unsigned threads_;
  const unsigned limit_;
  const base::Stopwatch watch_;
  double last_runnable_ = os::runnable_seconds();
  double last_wall_ = 0;
};

// Calls the user's function when its time has come.
class ProgressTicker {
 public:
  ProgressTicker(const ScanOptions& options, milliseconds interval, Walk& walk)
      : options_(options), walk_(walk), ticker_(interval) {}

  void tick() {
    if (!options_.progress || !ticker_.tick()) return;
    const double seconds = watch_.seconds();
    const std::chrono::duration<double> now(seconds);
    Progress progress = walk_.progress(std::chrono::duration_cast<std::chrono::nanoseconds>(now));
    progress.seconds = seconds;
    options_.progress(progress);
  }

 private:
  const ScanOptions& options_;
  Walk& walk_;
  const base::Stopwatch watch_;  // before the ticker: what is told is never before it was due
  rt::ClockTicker ticker_;
};

}  // namespace

std::string message_of(const ScanError& error) {
  return error.code == 0 ? "not recorded" : std::generic_category().message(error.code);
}

Scan scan(const ScanOptions& options) {
  if (options.roots.empty()) throw base::Error("nothing to scan: name at least one path");
  const base::Stopwatch watch;
  // Threads that wait for their turn are no sign of a slow disk.
  const bool adapts = options.threads == 0 && options.engine == Engine::lockfree &&
                      options.max_operations_per_second == 0;
  unsigned threads = options.threads == 0 ? rt::default_concurrency() : options.threads;
  if (options.engine == Engine::serial) threads = 1;
  const Descriptors plan = Descriptors::plan(adapts ? std::max(threads, kMostThreads) : threads);
  threads = std::min(threads, plan.threads);

  const auto engine = make_engine(options.engine, threads, plan.threads);
  Walk walk(options, *engine, plan.threads, plan.held);
  ThreadGovernor governor(*engine, threads, adapts ? plan.threads : threads);
  const milliseconds interval = std::max(options.progress_interval, milliseconds(1));
  ProgressTicker ticker(options, interval, walk);
  const auto expire = [&] { options.cancel.expire(base::monotonic_now()); };
  expire();  // what is over already finds nothing
  walk.run(std::min(interval, kLookInterval), [&] {
    expire();
    governor.tick();
    ticker.tick();
  });

  Scan result;
  walk.finish(result);
  result.roots = options.roots;
  result.engine = options.engine;
  result.threads = engine->threads();
  result.cancelled = options.cancel.cancelled();
  result.seconds = watch.seconds();
  return result;
}

}  // namespace fathom::fs
