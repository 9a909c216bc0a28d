// TimelineObserver: shows on the timeline what the workers of an executor do.
//
// Each worker has a track: its tasks and sleeps are spans, its steals instants, with an arrow from
// what the victim was doing to the task that was stolen. What wakes others, or submits tasks from
// outside, is an instant of the thread that does it. Phases and figures are spans and counters.
// Where no timeline runs, each call costs a load and a branch.
//
//   diag::TimelineObserver observer;
//   rt::Executor executor({.observer = &observer});
//
// An executor after another may have the same observer; at the same time arrows would begin at the
// wrong one's workers.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "fathom/base/atomic.h"
#include "fathom/rt/observer.h"

namespace fathom::diag {

class TimelineObserver final : public rt::Observer {
 public:
  void thread_starts(std::string_view name, unsigned worker) const noexcept override;
  void thread_ends() const noexcept override;
  Moment task_begins() const noexcept override;
  void task_ends(Moment began) const noexcept override;
  void stolen(unsigned victim, std::size_t tasks) const noexcept override;
  Moment park_begins() const noexcept override;
  void park_ends(Moment began) const noexcept override;
  void wakes() const noexcept override;
  void submitted() const noexcept override;
  Moment phase_begins(const char* name) const noexcept override;
  void phase_ends(const char* name, Moment began) const noexcept override;
  void counts(const char* name, std::uint64_t value) const noexcept override;

 private:
  // Of workers with higher numbers there are no arrows.
  static constexpr std::size_t kWorkers = 256;

  void show_own_track() const noexcept;

  // Each worker's track, and above it the timeline (Recording::State) that it is of; 0: not known.
  // A hint: who steals before the victim has had anything to record draws no arrow.
  mutable std::array<base::atomic<std::uint64_t>, kWorkers> tracks_{};
};

}  // namespace fathom::diag
