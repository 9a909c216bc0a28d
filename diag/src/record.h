// record(): records an event of the calling thread at the current time.

#pragma once

#include "fathom/diag/recording.h"
#include "timeline/event.h"
#include "timeline/thread_log.h"

namespace fathom::diag {

// `put(log)` puts it into the log of the calling thread, and returns what the log returned.
template <class Put>
void record(Event& event, Put put) noexcept {
  const Recording::State state = Recording::now();
  if (state == 0) return;
  ThreadLog* const log = ThreadLogs::own(state);
  if (log == nullptr) return ThreadLogs::all().count_lost();
  event.end = Recording::ticks(state);
  if (put(*log)) ThreadLogs::all().wake_reader();
}

inline void record(Event& event) noexcept {
  record(event, [&](ThreadLog& log) { return log.record(event); });
}

}  // namespace fathom::diag
