// ThreadRecording: figures that are derived from others.

#include "fathom/diag/thread_recording.h"

#include <algorithm>

namespace fathom::diag {

std::optional<std::chrono::nanoseconds> RecordedThread::asleep() const {
  if (!processor || !run_delay) return std::nullopt;
  return std::max(until - began - *processor - *run_delay, std::chrono::nanoseconds(0));
}

ThreadFigures RecordedThread::figures_at(std::chrono::nanoseconds time) const {
  const auto later = std::upper_bound(
      samples.begin(), samples.end(), time,
      [](std::chrono::nanoseconds at, const ThreadSample& sample) { return at < sample.at; });
  return later == samples.begin() ? ThreadFigures() : (later - 1)->figures;
}

std::string_view family_of(std::string_view name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  return end == std::string_view::npos ? name : name.substr(0, end + 1);
}

}  // namespace fathom::diag
