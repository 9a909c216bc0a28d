// TimelineObserver: tasks, sleeps and steals as events.

#include "fathom/diag/timeline_observer.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "fathom/diag/span.h"
#include "record.h"

namespace fathom::diag {

namespace {

constexpr const char* kTask = "task";
constexpr const char* kPark = "park";
constexpr unsigned kTrackBits = 32;

// The observer of which the calling thread is a worker, and the timeline on which it has a track.
struct Worker {
  const TimelineObserver* observer = nullptr;  // only compared
  unsigned number = 0;
  Recording::State shown = 0;
};

constinit thread_local Worker own_worker;

}  // namespace

void TimelineObserver::thread_starts(std::string_view name, unsigned worker) const noexcept {
  try {
    name_thread(std::string(name) + '/' + std::to_string(worker));
  } catch (const std::bad_alloc&) {
    // It keeps the system's name.
  }
  if (worker >= kWorkers) return;
  own_worker = {.observer = this, .number = worker};
  show_own_track();
}

void TimelineObserver::thread_ends() const noexcept {
  if (own_worker.observer == this) own_worker = {};
}

// The timeline may have begun after the worker, or after another timeline on which the worker had a
// different track.
void TimelineObserver::show_own_track() const noexcept {
  const Recording::State state = Recording::now();
  Worker& own = own_worker;
  if (state == own.shown || state == 0 || own.observer != this) [[likely]]
    return;
  const ThreadLog* const log = ThreadLogs::own(state);
  const std::uint64_t track = log == nullptr ? 0 : log->track();
  tracks_[own.number].store(std::uint64_t{state} << kTrackBits | track, base::memory_order_relaxed);
  own.shown = state;
}

rt::Observer::Moment TimelineObserver::task_begins() const noexcept {
  show_own_track();
  return begin_span();
}

void TimelineObserver::task_ends(Moment began) const noexcept {
  end_span(kTask, began);
}

void TimelineObserver::stolen(unsigned victim, std::size_t tasks) const noexcept {
  const Recording::State state = Recording::now();
  if (state == 0) return;
  const std::uint64_t known =
      victim < kWorkers ? tracks_[victim].load(base::memory_order_relaxed) : 0;
  Event event;
  event.value = known >> kTrackBits == state ? static_cast<std::uint32_t>(known) : 0;
  event.name = "steal";
  event.count = static_cast<std::uint32_t>(
      std::min<std::size_t>(tasks, std::numeric_limits<std::uint32_t>::max()));
  event.kind = Event::Kind::steal;
  record(event);
}

rt::Observer::Moment TimelineObserver::park_begins() const noexcept {
  show_own_track();
  return begin_span();
}

void TimelineObserver::park_ends(Moment began) const noexcept {
  end_span(kPark, began);
}

void TimelineObserver::wakes() const noexcept {
  show_own_track();
  instant("wake");
}

void TimelineObserver::submitted() const noexcept {
  instant("submit");
}

rt::Observer::Moment TimelineObserver::phase_begins(const char* /*name*/) const noexcept {
  return begin_span();
}

void TimelineObserver::phase_ends(const char* name, Moment began) const noexcept {
  end_span(name, began);
}

void TimelineObserver::counts(const char* name, std::uint64_t value) const noexcept {
  counter(name, value);
}

}  // namespace fathom::diag
