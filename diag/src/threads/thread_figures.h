// ThreadFigures: functions of each pair of values.

#pragma once

#include "fathom/diag/thread_usage.h"

namespace fathom::diag {

// Calls function(value, other value) for each value of the two.
template <class Figures, class Function>
void for_each_figure(Figures& figures, const ThreadFigures& other, Function function) {
  function(figures.processor, other.processor);
  function(figures.user, other.user);
  function(figures.system, other.system);
  function(figures.run_delay, other.run_delay);
  function(figures.disk_wait, other.disk_wait);
  function(figures.voluntary_switches, other.voluntary_switches);
  function(figures.involuntary_switches, other.involuntary_switches);
  function(figures.migrations, other.migrations);
  function(figures.minor_faults, other.minor_faults);
  function(figures.major_faults, other.major_faults);
}

// Subtracts the values that the other has; operator-= makes the others unknown.
inline void subtract_known(ThreadFigures& figures, const ThreadFigures& before) {
  for_each_figure(figures, before, [](auto& value, const auto& taken) {
    if (value && taken) *value = *value < *taken ? *value - *value : *value - *taken;
  });
}

}  // namespace fathom::diag
