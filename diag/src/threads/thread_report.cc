// ThreadReport: remembering ended threads, computing the rest, and text.

#include "fathom/diag/thread_report.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <mutex>
#include <set>
#include <utility>

#include "fathom/base/clock.h"
#include "mind_forks.h"
#include "text_table.h"
#include "threads/thread_facts.h"

namespace fathom::diag {

namespace {

constexpr std::size_t kMostEnded = 10'000;

// Never destroyed: threads may outlive the static objects.
struct Ended {
  std::mutex mutex;
  std::vector<ThreadUsage> threads;  // guarded by the mutex

  static Ended& all() {
    static Ended* const ended = [] {
      mind_forks<Ended>();
      // Registered later than the lock's handlers: a child's handlers run in the order of
      // registration.
      static_cast<void>(::pthread_atfork(nullptr, nullptr, [] { all().threads.clear(); }));
      return new Ended;
    }();
    return *ended;
  }
  std::vector<ThreadUsage> copy() {
    const std::lock_guard lock(mutex);
    return threads;
  }
  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }
};

struct AtEnd {
  AtEnd() = default;
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd() {
    try {
      ThreadUsage usage = usage_of_this_thread();
      usage.ended = true;
      Ended& ended = Ended::all();
      const std::lock_guard lock(ended.mutex);
      if (ended.threads.size() < kMostEnded) ended.threads.push_back(std::move(usage));
    } catch (const std::exception&) {
      // Without memory, it counts as one of those that ended unseen.
    }
  }
};

// Removes threads whose final usage is already recorded: they are about to end.
void leave_out(std::vector<ThreadUsage>& running, const std::vector<ThreadUsage>& ended) {
  using Thread = std::pair<long, std::optional<std::chrono::nanoseconds>>;
  std::set<Thread> known;
  for (const ThreadUsage& thread : ended) known.emplace(thread.id, thread.started);
  std::erase_if(running, [&](const ThreadUsage& thread) {
    return known.count({thread.id, thread.started}) != 0;
  });
}

// The usage of the process minus that of the threads.
ThreadUsage rest(ThreadUsage process, const std::vector<ThreadUsage>& threads) {
  for (const ThreadUsage& thread : threads) process -= thread;
  process.ended = true;
  return process;
}

std::string text_of(const std::optional<std::chrono::nanoseconds>& duration) {
  return duration ? base::format_duration(*duration) : "unknown";
}
std::string text_of(const std::optional<std::uint64_t>& count) {
  return count ? grouped(*count) : "unknown";
}

TextTable::Row row_of(std::string name, const ThreadUsage& thread) {
  return {std::move(name),
          text_of(thread.processor),
          text_of(thread.user),
          text_of(thread.system),
          text_of(thread.run_delay),
          text_of(thread.voluntary_switches),
          text_of(thread.involuntary_switches),
          text_of(thread.minor_faults),
          text_of(thread.major_faults)};
}

// Whether any thread is left: every thread has used CPU time, but figures read one after the other
// may differ by some microseconds.
bool is_somebody(const ThreadUsage& rest) {
  return rest.processor.value_or(std::chrono::nanoseconds(0)) > std::chrono::milliseconds(1);
}

}  // namespace

void remember_this_thread() noexcept {
  static thread_local const AtEnd at_end;
  static_cast<void>(at_end);
}

ThreadReport thread_report() {
  ThreadReport report;
  report.threads = usage_of_running_threads();
  // After the running threads: a thread that ends in between is listed twice, but none is missing.
  std::vector<ThreadUsage> ended = Ended::all().copy();
  leave_out(report.threads, ended);
  std::move(ended.begin(), ended.end(), std::back_inserter(report.threads));
  report.process = usage_of_process();
  report.ended_unseen = rest(report.process, report.threads);
  return report;
}

std::string ThreadReport::text() const {
  TextTable table({"thread", "processor", "user", "system", "kept waiting", "waits", "preempted",
                   "faults", "from disk"});
  for (const ThreadUsage& thread : threads) {
    table.add(row_of(thread.name + (thread.ended ? " (ended)" : ""), thread));
  }
  if (is_somebody(ended_unseen)) table.add(row_of("others, ended", ended_unseen));
  table.add(row_of("all", process));
  return table.text();
}

}  // namespace fathom::diag
