// TimelineObserver: shows on the timeline what the workers of an executor do.
//
// Each worker has a track: its tasks and sleeps are spans, its steals are instants, with an arrow
// from the victim's span to the stolen task. Wake-ups, and submissions from outside, are instants
// of the thread that makes them. Phases and counters are spans and counters. Without a running
// timeline, each call costs a load and a branch.
//
//   diag::TimelineObserver observer;
//   rt::Executor executor({.observer = &observer});
//
// Several executors may share an observer one after the other, but not at the same time: arrows
// would begin at workers of the wrong executor.

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
  // Workers with higher indices have no arrows.
  static constexpr std::size_t kWorkers = 256;

  void show_own_track() const noexcept;

  // The track of each worker, with its timeline (Recording::State) in the upper bits; 0: unknown. A
  // hint: if a thief steals before the victim has recorded anything, there is no arrow.
  mutable std::array<base::atomic<std::uint64_t>, kWorkers> tracks_{};
};

}  // namespace fathom::diag
