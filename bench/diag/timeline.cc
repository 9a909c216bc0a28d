// The cost of a timeline: when none runs, per event when one runs, and for a scan.
//
// diag/timeline/event/CASE/CONTENDER is the time that a thread needs to record one event; the ring
// is emptied and the trace is written concurrently, or afterwards without being timed. A span reads
// the clock twice. "clock" is only reading the clock, the floor; "mutex_vector" is the obvious
// implementation: a vector behind a mutex, with the monotonic clock.
//
// diag/timeline/scan/CONTENDER is a scan of a generated tree without a trace, and with one that is
// written concurrently or, for "at_stop", afterwards; with a small ring the writer has to run
// often; "with_switches" includes the context switches, if the system allows it. Run it with
// --benchmark_enable_random_interleaving.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "diag/questions.h"
#include "fathom/base/clock.h"
#include "fathom/diag/recording.h"
#include "fathom/diag/span.h"
#include "fathom/diag/timeline.h"
#include "fathom/diag/timeline_observer.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "fathom/rt/ticker.h"
#include "generated_tree.h"
#include "rt/suite.h"
#include "temp_folder.h"

namespace fathom::bench {

namespace {

// Less than half a ring: the writer sleeps meanwhile.
constexpr std::uint32_t kEvents = 16'000;

void record_instants() {
  for (std::uint32_t i = 0; i < kEvents; ++i) diag::instant("event");
}

void record_counters() {
  for (std::uint32_t i = 0; i < kEvents; ++i) diag::counter("figure", i);
}

void record_spans() {
  for (std::uint32_t i = 0; i < kEvents; ++i) {
    FATHOM_SPAN("span");
    benchmark::ClobberMemory();
  }
}

void measure_off(benchmark::State& state, void (*record)()) {
  for (auto unused : state) record();
  count_operations(state, kEvents);
}

// A text of 40 bytes takes three slots.
void record_logs() {
  for (std::uint32_t i = 0; i < kEvents / 4; ++i) {
    diag::log("a text of forty bytes, as in a log file.");
  }
}

template <class Work>
void time(benchmark::State& state, const Work& work) {
  const base::Stopwatch watch;
  work();
  state.SetIterationTime(watch.seconds());
}

void measure_on(benchmark::State& state, void (*record)(), std::uint32_t events) {
  for (auto unused : state) {
    std::uint64_t bytes = 0;
    diag::Timeline timeline([&](std::string_view text) { bytes += text.size(); });
    diag::counter("the ring is made", 1);
    time(state, record);
    const diag::Timeline::Summary summary = timeline.stop();
    if (summary.events != events + 1 || summary.lost != 0 || summary.bytes != bytes) {
      return fail(state, "the trace lacks events");
    }
  }
  count_operations(state, events);
}

void measure_clock(benchmark::State& state) {
  const diag::Recording::State kind = rt::TscTime::available() ? 1 : 2;
  for (auto unused : state) benchmark::DoNotOptimize(diag::Recording::ticks(kind));
  count_operations(state, 1);
}

// Chrome's trace format with the obvious data structures.
class MutexVector {
 public:
  void record(const char* name) {
    const auto now = base::monotonic_now();
    const std::lock_guard lock(mutex_);
    events_.push_back({now, name});
  }
  [[nodiscard]] std::size_t size() const { return events_.size(); }

 private:
  struct Event {
    base::MonotonicClock::time_point at;
    const char* name;
  };
  std::mutex mutex_;
  std::vector<Event> events_;  // guarded by mutex_
};

void measure_mutex_vector(benchmark::State& state) {
  for (auto unused : state) {
    MutexVector events;
    time(state, [&] {
      for (std::uint32_t i = 0; i < kEvents; ++i) events.record("event");
    });
    if (events.size() != kEvents) return fail(state, "the vector lacks events");
  }
  count_operations(state, kEvents);
}

// ---- A scan

// Created when the first scan is measured; an ordinary shape: ten files per directory.
const GeneratedTree& tree() {
  static const TempFolder folder;
  static const GeneratedTree made(folder.path() + "/tree", nested(100, 100, 10));
  return made;
}

bool scan_finds_all(const rt::Observer* observer) {
  fs::ScanOptions options;
  options.roots = {tree().path()};
  options.threads = 2;
  options.observer = observer;
  const fs::Scan found = fs::scan(options);
  return found.complete() && fs::Totals(found.tree).whole().entries() == tree().entries();
}

void measure_scan(benchmark::State& state) {
  tree();
  for (auto unused : state) {
    if (!scan_finds_all(nullptr)) return fail(state, "the scan is wrong");
  }
}

void measure_traced_scan(benchmark::State& state, const diag::Timeline::Options& options) {
  tree();
  diag::Timeline::Summary summary;
  for (auto unused : state) {
    std::vector<std::string> blocks;
    diag::Timeline timeline([&](std::string_view text) { blocks.emplace_back(text); }, options);
    const diag::TimelineObserver observer;
    if (!scan_finds_all(&observer)) return fail(state, "the scan is wrong");
    summary = timeline.stop();
    if (summary.events + summary.lost < tree().entries() / 11) {
      return fail(state, "the trace lacks events");
    }
  }
  state.counters["events"] = static_cast<double>(summary.events);
  state.counters["lost"] = static_cast<double>(summary.lost);
  state.counters["bytes"] = static_cast<double>(summary.bytes);
}

void add_scans() {
  const auto add_scan = [](const std::string& name, const diag::Timeline::Options& options) {
    add("diag/timeline/scan/" + name,
        [options](benchmark::State& state) { measure_traced_scan(state, options); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime();
  };
  add("diag/timeline/scan/untraced", measure_scan)->Unit(benchmark::kMillisecond)->UseRealTime();
  add_scan("traced", {});
  add_scan("with_switches", {.context_switches = true});
  add_scan("small_ring", {.ring_events = 1024});
  add_scan("at_stop", {.ring_events = std::size_t{1} << 20U, .interval = std::chrono::hours(1)});
}

}  // namespace

void add_timeline() {
  const std::string events = "diag/timeline/event/";
  const auto add_case = [&](const std::string& name, void (*record)()) {
    add(events + name + "/off", [record](benchmark::State& state) { measure_off(state, record); });
    add(events + name + "/on", [record](benchmark::State& state) {
      measure_on(state, record, kEvents);
    })->UseManualTime();
  };
  add_case("instant", record_instants);
  add_case("counter", record_counters);
  add_case("span", record_spans);
  add(events + "log/on", [](benchmark::State& state) {
    measure_on(state, record_logs, kEvents / 4);
  })->UseManualTime();
  add(events + "instant/clock", measure_clock);
  add(events + "instant/mutex_vector", measure_mutex_vector)->UseManualTime();
  add_scans();
}

}  // namespace fathom::bench
