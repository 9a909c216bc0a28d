// scan: runs a walk on one of the engines, and reports progress from the calling thread.

#include "fathom/fs/scan.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <tuple>

#include "engine/make_engine.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/rt/concurrency.h"
#include "fathom/rt/ticker.h"
#include "os/os.h"
#include "walk/thread_governor.h"
#include "walk/walk.h"

namespace fathom::fs {

namespace {

using std::chrono::milliseconds;

// The longest time between two checks of the waiting thread.
constexpr milliseconds kLookInterval{10};

// How threads and directories share the descriptors that the process may open.
struct Descriptors {
  std::size_t held;  // for directories whose subdirectories are still to be opened
  unsigned threads;  // that may need descriptors at the same time

  static Descriptors plan(unsigned threads, std::size_t most) {
    constexpr std::size_t kPerThread = 3;  // one being listed, two while one is reopened
    const std::size_t usable = most != 0 ? most : os::usable_descriptors();
    const std::size_t enough_for = std::max<std::size_t>(usable / (kPerThread + 1), 1);
    const auto allowed = static_cast<unsigned>(std::min<std::size_t>(threads, enough_for));
    const std::size_t needed = kPerThread * allowed;
    return {.held = usable > needed ? usable - needed : 0, .threads = allowed};
  }
};

// Fills in everything except the results of the walk.
void describe(Scan& scan, const ScanOptions& options, const WorkEngine& engine, double seconds) {
  scan.roots = options.roots;
  scan.engine = options.engine;
  scan.threads = engine.threads();
  scan.seconds = seconds;
}

// Calls the user's function when its interval has passed.
class ProgressTicker {
 public:
  ProgressTicker(const ScanOptions& options, milliseconds interval, Walk& walk,
                 const WorkEngine& engine)
      : options_(options), walk_(walk), engine_(engine), ticker_(interval) {}

  void tick() {
    if (!options_.progress || !ticker_.tick()) return;
    const double seconds = watch_.seconds();
    const std::chrono::duration<double> now(seconds);
    Progress progress = walk_.progress(std::chrono::duration_cast<std::chrono::nanoseconds>(now));
    progress.seconds = seconds;
    progress.snapshot = [this] { return snapshot(); };
    options_.progress(progress);
  }

 private:
  Scan snapshot() {
    const rt::ObservedPhase phase(options_.observer, "snapshot");
    Scan result;
    walk_.snapshot(result);
    describe(result, options_, engine_, watch_.seconds());
    result.running = true;
    return result;
  }

  const ScanOptions& options_;
  Walk& walk_;
  const WorkEngine& engine_;
  const base::Stopwatch watch_;  // before the ticker, so that no time is less than its tick
  rt::ClockTicker ticker_;
};

}  // namespace

void order_errors(std::vector<ScanError>& errors) {
  std::sort(errors.begin(), errors.end(), [](const ScanError& a, const ScanError& b) {
    return std::forward_as_tuple(a.path, a.code, std::string_view(a.operation)) <
           std::forward_as_tuple(b.path, b.code, std::string_view(b.operation));
  });
  errors.erase(std::unique(errors.begin(), errors.end(),
                           [](const ScanError& a, const ScanError& b) {
                             return a.code == b.code && a.path == b.path;
                           }),
               errors.end());
}

std::string message_of(const ScanError& error) {
  return error.code == 0 ? "not recorded" : std::generic_category().message(error.code);
}

Scan scan(const ScanOptions& options) {
  if (options.roots.empty()) throw base::Error("nothing to scan: give at least one path");
  const base::Stopwatch watch;
  // Threads that wait for their turn do not indicate a slow disk.
  const bool adapts = options.threads == 0 && options.engine >= Engine::lockfree &&
                      options.max_operations_per_second == 0;
  unsigned threads = options.threads == 0 ? rt::default_concurrency() : options.threads;
  if (options.engine == Engine::serial) threads = 1;
  const Descriptors plan = Descriptors::plan(
      adapts ? std::max(threads, ThreadGovernor::kMostThreads) : threads, options.max_descriptors);
  threads = std::min(threads, plan.threads);

  const auto engine = make_engine(options.engine, threads, plan.threads, options.observer);
  Walk walk(options, *engine, plan.threads, plan.held);
  ThreadGovernor governor([&](unsigned more) { engine->grow(more); }, threads,
                          adapts ? plan.threads : threads);
  const milliseconds interval = std::max(options.progress_interval, milliseconds(1));
  ProgressTicker ticker(options, interval, walk, *engine);
  const auto expire = [&] { options.cancel.expire(base::monotonic_now()); };
  const auto report_figures = [&] {
    if (options.observer == nullptr) return;
    options.observer->counts("entries", walk.entries());
    if (const auto queued = engine->queued()) options.observer->counts("queue", *queued);
  };
  const auto end_budget = [&] {
    if (!options.shard) return;
    const auto& most = options.shard->most_time;
    const bool over = most && std::chrono::duration<double>(watch.seconds()) >= *most;
    if (over || options.shard->hand_back.cancelled()) walk.end_budget();
  };
  expire();  // a deadline in the past stops the scan before it reads anything
  walk.run(std::min(interval, kLookInterval), [&] {
    expire();
    end_budget();
    governor.tick();
    ticker.tick();
    report_figures();
  });
  report_figures();

  Scan result;
  {
    const rt::ObservedPhase phase(options.observer, "links");
    walk.finish(result);
  }
  describe(result, options, *engine, watch.seconds());
  result.cancelled = options.cancel.cancelled();
  return result;
}

}  // namespace fathom::fs
