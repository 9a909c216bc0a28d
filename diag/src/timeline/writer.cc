// Timeline::Writer: emptying rings, the byte budget, and counting what is lost.

#include "timeline/writer.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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
  ThreadLogs::all().begin(options_.ring_events);
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
  read_all();
  if (is_last) finish();
}

void Timeline::Writer::tell_figures() noexcept try {
  if (options_.figures) options_.figures();
} catch (...) {
  if (!error_) error_ = std::current_exception();
}

void Timeline::Writer::read_all() {
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
    read(*one.log, one.events);
    if (!one.left) continue;
    forget(one.log->track());
    ThreadLogs::all().free(*one.log);
  }
  hand_over();
}

void Timeline::Writer::read(ThreadLog& log, std::size_t waiting) {
  Track& track = tracks_[log.track()];
  show(log, track);
  while (waiting > 0) {
    const std::size_t count =
        log.read(std::min(waiting, kBatch), [&](const Event& event) { write(log, track, event); });
    if (count == 0) break;
    waiting -= count;
    if (json_.text().size() >= kBlock) hand_over();
  }
  track.lost = log.lost() + track.left_out;
  tell_lost(log, track);
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

void Timeline::Writer::write(const ThreadLog& log, Track& track, const Event& event) {
  const bool is_span = event.kind == Event::Kind::span || event.kind == Event::Kind::counted_span;
  if (clock_.is_before(is_span ? event.begin : event.end)) return;
  const std::size_t before = json_.text().size();
  if (!full_ && !error_) {
    write(log, event);
    full_ = !fits();
  }
  if (full_ || error_) {
    json_.text().resize(before);
    ++track.left_out;
  } else {
    ++events_;
  }
}

void Timeline::Writer::write(const ThreadLog& log, const Event& event) {
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
  json_.end(events_, lost_);
  hand_over();
}

bool Timeline::Writer::fits() const noexcept {
  const std::uint64_t reserve = kForTheEnd + kForThread * reserves_;
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
