// record(): records an event of the calling thread at the current time.

#pragma once

#include "fathom/diag/recording.h"
#include "timeline/event.h"
#include "timeline/thread_log.h"

namespace fathom::diag {

inline void record(Event& event) noexcept {
  const Recording::State state = Recording::now();
  if (state == 0) return;
  ThreadLog* const log = ThreadLogs::own(state);
  if (log == nullptr) return ThreadLogs::all().count_lost();
  event.end = Recording::ticks(state);
  if (log->record(event)) ThreadLogs::all().wake_reader();
}

}  // namespace fathom::diag
