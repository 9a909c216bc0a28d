// Timeline::Writer: emptying rings, the byte budget, and counting what is lost.

#include "timeline/writer.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/rt/signals_blocked.h"

namespace fathom::diag {

namespace {

// The approximate size of a block passed to the sink.
constexpr std::size_t kBlock = std::size_t{1} << 16U;
// The number of events read before their slots are freed.
constexpr std::size_t kBatch = 1024;
// Bytes reserved for the end of the trace, and per thread for the number of its lost events. With
// the longest numbers they need 80 and 150.
constexpr std::uint64_t kForTheEnd = 96;
// The same for the sentence about context switches, which is cut.
constexpr std::uint64_t kForSwitches = 240;
constexpr std::size_t kLongestReason = 120;
constexpr std::uint64_t kForThread = 160;

// Truncated, so that the beginning fits into the smallest budget, however its bytes are escaped.
std::string program_name() {
#ifdef __GLIBC__
  return std::string(::program_invocation_short_name).substr(0, 64);
#else
  return "program";
#endif
}

}  // namespace

Timeline::Writer::Writer(Sink sink, Options options, Recording::State state)
    : sink_(std::move(sink)), options_(std::move(options)), state_(state), clock_(state) {
  ThreadLogs::all().begin(options_.ring_events, options_.context_switches);
  json_.begin(::getpid(), program_name());
  try {
    const rt::SignalsBlocked blocked;
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    throw base::Error(std::string("cannot start a thread: ") + error.what());
  }
}

void Timeline::Writer::end() {
  ending_.store(true, base::memory_order_release);  // [T2]
  ThreadLogs::all().wake_reader();
  thread_.join();
}

void Timeline::Writer::run() {
#ifdef __linux__
  pthread_setname_np(pthread_self(), "timeline");
#endif
  bool over = false;
  while (!over) {
    ThreadLogs::all().wait(options_.interval);
    over = ending_.load(base::memory_order_acquire);  // [T2]
    try {
      turn(over);
    } catch (...) {
      if (!error_) error_ = std::current_exception();
    }
  }
  ThreadLogs::all().free_left();
}

void Timeline::Writer::turn(bool is_last) {
  tell_figures();
  if (is_last) end_recording();
  read_all(is_last);
  if (is_last) finish();
}

void Timeline::Writer::tell_figures() noexcept try {
  if (options_.figures) options_.figures();
} catch (...) {
  if (!error_) error_ = std::current_exception();
}

void Timeline::Writer::read_all(bool is_last) {
  struct Waiting {
    ThreadLog* log;
    std::size_t events;
    bool left;
  };
  std::vector<Waiting> all;
  for (ThreadLog* const log : ThreadLogs::all().of(state_)) {
    const bool left = log->left();  // read before the events
    all.push_back({log, log->waiting(), left});
  }
  // After the sizes were read: all events to read are from before this time.
  clock_.read();
  for (const Waiting& one : all) {
    Track& track = tracks_[one.log->track()];
    show(*one.log, track);
    read(*one.log, track, one.events);
    if (one.log->switches() != nullptr) read_switches(*one.log, track);
    if (one.left || is_last) end_states(*one.log, track);
    track.lost = one.log->lost() + track.left_out;
    tell_lost(*one.log, track);
    if (!one.left) continue;
    forget(one.log->track());
    ThreadLogs::all().free(*one.log);
  }
  hand_over();
}

void Timeline::Writer::read(ThreadLog& log, Track& track, std::size_t waiting) {
  while (waiting > 0) {
    const std::size_t count = log.read(
        std::min(waiting, kBatch),
        [&](const Event& event, std::string_view text) { write(log, track, event, text); });
    if (count == 0) break;
    waiting -= count;
    if (json_.text().size() >= kBlock) hand_over();
  }
}

// Forgets a thread that has left. It keeps its reserve only if it has lost events not yet reported.
void Timeline::Writer::forget(std::uint32_t number) {
  const auto at = tracks_.find(number);
  const Track& track = at->second;
  if (track.shown && track.lost != track.told_lost) return;
  lost_ += track.lost;
  reserves_ -= track.shown ? 1 : 0;
  tracks_.erase(at);
}

// If the budget is exhausted, a new thread does not get a track: its events are lost.
void Timeline::Writer::show(const ThreadLog& log, Track& track) {
  if (full_ || error_) return;
  const std::optional<std::string> name = ThreadLogs::all().take_name(log);
  if (!name) return;
  const std::size_t before = json_.text().size();
  json_.thread(log.track(), *name, log.system_id());
  if (log.switches() != nullptr) json_.states(log.track(), *name, log.system_id());
  const std::size_t reserve = track.shown ? 0 : 1;
  reserves_ += reserve;
  full_ = !fits();
  if (full_) {
    json_.text().resize(before);
    reserves_ -= reserve;
  } else {
    track.shown = true;
  }
}

void Timeline::Writer::read_switches(const ThreadLog& log, Track& track) {
  if (!track.states) track.states.emplace(log.switches()->first());
  // The thread's end is its last event, not what it does afterwards.
  const std::uint64_t end = log.left() ? log.left_at() : std::numeric_limits<std::uint64_t>::max();
  for (const Switch& now : log.switches()->read()) {
    if (now.nanoseconds > end) continue;
    if (now.kind == Switch::Kind::lost) track.left_out += now.lost;
    if (const std::optional<SwitchState> state = track.states->next(now)) write(log, track, *state);
  }
}

// Shows what the thread did last, until its end or that of the timeline.
void Timeline::Writer::end_states(const ThreadLog& log, Track& track) {
  if (!track.states) return;
  const std::uint64_t end = log.left() ? log.left_at() : Recording::monotonic();
  if (const std::optional<SwitchState> state = track.states->until(end)) write(log, track, *state);
  track.states.reset();
}

void Timeline::Writer::write(const ThreadLog& log, Track& track, const SwitchState& state) {
  const TraceJson::Moment begin{clock_.of_monotonic(state.begin)};
  const TraceJson::Moment end{clock_.of_monotonic(state.end)};
  put(track, [&] {
    switch (state.kind) {
      case Switch::Kind::in:
        json_.run(log.track(), begin, end, state.processor);
        break;
      case Switch::Kind::waits:
        json_.state(log.track(), "waits", begin, end);
        break;
      case Switch::Kind::preempted:
        json_.state(log.track(), "preempted", begin, end);
        break;
      case Switch::Kind::lost:
        break;
    }
  });
}

void Timeline::Writer::write(const ThreadLog& log, Track& track, const Event& event,
                             std::string_view text) {
  const bool is_span = event.kind == Event::Kind::span || event.kind == Event::Kind::counted_span;
  if (clock_.is_before(is_span ? event.begin : event.end)) return;
  put(track, [&] { write(log, event, text); });
}

// Appends an event, or counts it if the budget is exhausted.
template <class Append>
void Timeline::Writer::put(Track& track, Append append) {
  const std::size_t before = json_.text().size();
  if (!full_ && !error_) {
    append();
    full_ = !fits();
  }
  if (full_ || error_) {
    json_.text().resize(before);
    ++track.left_out;
  } else {
    ++events_;
  }
}

void Timeline::Writer::write(const ThreadLog& log, const Event& event, std::string_view text) {
  const TraceJson::Moment end = moment(event.end);
  switch (event.kind) {
    case Event::Kind::span:
      json_.span(log.track(), event.name, moment(event.begin), end);
      break;
    case Event::Kind::counted_span:
      json_.span(log.track(), event.name, moment(event.begin), end, event.count);
      break;
    case Event::Kind::instant:
      json_.instant(log.track(), event.name, end);
      break;
    case Event::Kind::text:
      json_.log(log.track(), text, end);
      break;
    case Event::Kind::counter:
      json_.counter(event.name, end, event.value);
      break;
    case Event::Kind::steal:
      json_.instant(log.track(), event.name, end, event.count);
      if (event.value == 0) break;
      json_.arrow(static_cast<std::uint32_t>(event.value), log.track(), event.name, end);
      break;
  }
}

// Reports losses at their place: between the events before and after them.
void Timeline::Writer::tell_lost(const ThreadLog& log, Track& track) {
  const std::uint64_t more = track.lost - track.told_lost;
  if (more == 0 || full_ || error_) return;
  const std::size_t before = json_.text().size();
  json_.instant(log.track(), "events lost", moment(Recording::ticks(state_)), more);
  full_ = !fits();
  if (full_) {
    json_.text().resize(before);
  } else {
    track.told_lost = track.lost;
  }
}

// Reports the remaining losses of each thread, for which its reserve is used.
void Timeline::Writer::finish() {
  lost_ += ThreadLogs::all().homeless();
  const TraceJson::Moment now = moment(Recording::ticks(state_));
  for (const auto& [number, track] : tracks_) {
    lost_ += track.lost;
    if (track.lost == track.told_lost || !track.shown) continue;
    json_.instant(number, "events lost", now, track.lost - track.told_lost);
  }
  json_.end(events_, lost_, told_switches());
  hand_over();
}

std::string Timeline::Writer::told_switches() const {
  if (!options_.context_switches) return "";
  const ThreadLogs::Refusals known = ThreadLogs::all().refusals();
  const std::string threads =
      std::to_string(known.threads) + (known.threads == 1 ? " thread" : " threads");
  if (known.refused == 0) return "recorded for " + threads;
  const std::string why = why_no_switches(known.last).substr(0, kLongestReason);
  if (known.refused == known.threads) return "not recorded: " + why;
  return "recorded for " + std::to_string(known.threads - known.refused) + " of " + threads + ": " +
         why;
}

bool Timeline::Writer::fits() const noexcept {
  const std::uint64_t reserve =
      kForTheEnd + (options_.context_switches ? kForSwitches : 0) + kForThread * reserves_;
  return bytes_ + json_.text().size() + reserve <= options_.most_bytes;
}

void Timeline::Writer::hand_over() {
  std::string& text = json_.text();
  if (!error_ && !text.empty()) {
    sink_(text);
    bytes_ += text.size();
  }
  text.clear();
}

}  // namespace fathom::diag
