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

// What the sink gets at a time, about.
constexpr std::size_t kBlock = std::size_t{1} << 16U;
// So many events give their room back at a time.
constexpr std::size_t kBatch = 1024;
// Bytes that are kept for what must still be said: the end, and of each thread what it lost. With
// the longest numbers they are 80 and 150.
constexpr std::uint64_t kForTheEnd = 96;
constexpr std::uint64_t kForThread = 160;

// Cut, so that the beginning fits into the smallest budget however each byte is written.
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
    const bool left = log->left();  // before the look at what is there
    all.push_back({log, log->waiting(), left});
  }
  // After that: what is read now came before this moment.
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

// Of a thread that has left: it needs its reserve only if it has lost something that is not told.
void Timeline::Writer::forget(std::uint32_t number) {
  const auto at = tracks_.find(number);
  const Track& track = at->second;
  if (track.shown && track.lost != track.told_lost) return;
  lost_ += track.lost;
  reserves_ -= track.shown ? 1 : 0;
  tracks_.erase(at);
}

// Where the budget is spent, a thread that comes has no track: what it records is lost.
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

// Where something was lost: between what stands before it and what comes after it.
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

// The rest of what was lost is told here, of each thread, which its reserve is for.
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
