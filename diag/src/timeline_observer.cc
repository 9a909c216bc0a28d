#include "fathom/diag/timeline_observer.h"

#include <algorithm>
#include <limits>
#include <string>

#include "fathom/diag/span.h"
#include "record.h"

namespace fathom::diag {

namespace {

constexpr const char* kTask = "task";
constexpr const char* kPark = "park";

}  // namespace

void TimelineObserver::thread_starts(std::string_view name, unsigned worker) const noexcept {
  try {
    name_thread(std::string(name) + '/' + std::to_string(worker));
  } catch (const std::bad_alloc&) {
    // It keeps the name that the system knows.
  }
  const Recording::State state = Recording::now();
  if (state == 0 || worker >= kWorkers) return;
  const ThreadLog* const log = ThreadLogs::own(state);
  tracks_[worker].store(log == nullptr ? 0 : log->track(), base::memory_order_relaxed);
}

rt::Observer::Moment TimelineObserver::task_begins() const noexcept {
  return begin_span();
}

void TimelineObserver::task_ends(Moment began) const noexcept {
  end_span(kTask, began);
}

void TimelineObserver::stolen(unsigned victim, std::size_t tasks) const noexcept {
  if (Recording::now() == 0) return;
  Event event;
  event.value = victim < kWorkers ? tracks_[victim].load(base::memory_order_relaxed) : 0;
  event.name = "steal";
  event.count = static_cast<std::uint32_t>(
      std::min<std::size_t>(tasks, std::numeric_limits<std::uint32_t>::max()));
  event.kind = Event::Kind::steal;
  record(event);
}

rt::Observer::Moment TimelineObserver::park_begins() const noexcept {
  return begin_span();
}

void TimelineObserver::park_ends(Moment began) const noexcept {
  end_span(kPark, began);
}

void TimelineObserver::wakes() const noexcept {
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
