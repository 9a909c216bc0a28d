// Recorder: lives of threads, from samples and records.

#include "threads/recorder.h"

#include <algorithm>
#include <utility>

#include "threads/thread_figures.h"

namespace fathom::diag {

namespace {

// The system tells beginnings in such steps.
constexpr std::chrono::milliseconds kStartedStep{10};

// Replaces the values that the other has: those of a thread that ended during the reading are kept.
void replace_known(ThreadFigures& figures, const ThreadFigures& read) {
  for_each_figure(figures, read, [](auto& value, const auto& newer) {
    if (newer) value = newer;
  });
}

// Makes no value smaller than the other's.
void raise(ThreadFigures& figures, const ThreadFigures& least) {
  for_each_figure(figures, least, [](auto& value, const auto& other) {
    if (other && (!value || *value < *other)) value = other;
  });
}

template <class T, class U>
void add_to(std::optional<T>& value, const U& added) {
  value = value.value_or(T{}) + added;
}

}  // namespace

Recorder::Recorder(Options options) : options_(std::move(options)), proc_(options_.proc) {
  recording_.has_records = options_.has_records;
  recording_.lists_children = !options_.children || proc_.lists_children();
}

Recorder::Life* Recorder::find(long thread) {
  const auto found = alive_.find(thread);
  return found == alive_.end() ? nullptr : &lives_[found->second];
}

Recorder::Life& Recorder::begin(long process, long thread, Time at) {
  latest_[thread] = alive_[thread] = lives_.size();
  Life& life = lives_.emplace_back();
  life.thread.process = process;
  life.thread.id = thread;
  life.thread.began = life.thread.until = std::max(at, Time(0));
  return life;
}

void Recorder::end(Life& life, Time at) {
  if (life.runs) pauses(life, SwitchRecord(), at);
  life.thread.ended = true;
  life.thread.until = at;
  keep_sample(life, at);
  alive_.erase(life.thread.id);
}

// ---- Samples

void Recorder::sample(Time now) {
  ++recording_.rounds;
  any_running_ = false;
  std::set<long> processes;
  std::vector<long> rest(roots_.begin(), roots_.end());
  while (!rest.empty()) {
    const long process = rest.back();
    rest.pop_back();
    if (!processes.insert(process).second) continue;
    for (const long thread : proc_.threads(process)) {
      observe(process, thread, now);
      if (!options_.children) continue;
      const std::vector<long> children = proc_.children(process, thread);
      rest.insert(rest.end(), children.begin(), children.end());
    }
    if (options_.attached) observe_process(process);
  }
  if (!options_.has_records) end_those_not_seen();
  if (options_.keep_samples) keep_samples(now);
}

void Recorder::sample_last(long process, Time now) {
  observe(process, process, now);
}

void Recorder::observe(long process, long thread, Time now) {
  const Time read_at = options_.clock ? options_.clock() : now;
  const ThreadUsage usage = proc_.usage(process, thread);
  if (!usage.started) return;  // it has ended meanwhile
  Life* const life = life_of(process, usage, now);
  if (life == nullptr) return;
  life->round = recording_.rounds;
  life->read_at = read_at;
  life->thread.name = usage.name;
  replace_known(life->read, usage);
  if (usage.processor) life->since.processor = Time(0);
  if (usage.voluntary_switches) life->since.voluntary = 0;
  if (usage.involuntary_switches) life->since.involuntary = 0;
  if (usage.migrations) life->since.migrations = 0;
  any_running_ = any_running_ || !usage.ended;
  if (life->thread.ended && !usage.ended) {
    // Only its records have ended: it has executed a program with other privileges.
    life->thread.ended = false;
    alive_[thread] = latest_[thread];
  }
  if (life->thread.ended) {
    keep_sample(*life, now);
  } else if (usage.ended && !options_.has_records) {
    end(*life, now);  // otherwise, its records follow
  } else {
    life->thread.until = now;
  }
}

// Whether the figures are those of the life, which may have ended: the main thread of a process is
// still listed until its parent has waited for it.
bool Recorder::is_of(const Life& life, const ThreadUsage& usage) const {
  if (life.thread.started) return life.thread.started == usage.started;
  if (!life.exact) return true;
  const Time between = *usage.started - options_.boot - life.thread.began;
  return std::max(between, -between) <= 2 * kStartedStep;
}

// The life to which the figures belong; begins one if the thread was not known. Null if a record
// that explains the thread is still to come.
Recorder::Life* Recorder::life_of(long process, const ThreadUsage& usage, Time now) {
  const auto known = latest_.find(usage.id);
  Life* life = known == latest_.end() ? nullptr : &lives_[known->second];
  if (life != nullptr && !is_of(*life, usage)) {
    if (!life->thread.ended && options_.has_records) return nullptr;
    if (!life->thread.ended) end(*life, life->thread.until);  // its id was used again
    life = nullptr;
  }
  const Time began = std::clamp(*usage.started - options_.boot, Time(0), now);
  if (life == nullptr) {
    life = &begin(process, usage.id, began);
    if (options_.attached && recording_.rounds == 1) life->base = usage;
  }
  life->thread.started = usage.started;
  if (!life->exact) life->thread.began = std::min(life->thread.began, began);
  return life;
}

void Recorder::observe_process(long process) {
  const ThreadUsage usage = proc_.usage_of_process(process);
  if (!usage.started) return;
  Process& whole = wholes_[process];
  if (recording_.rounds == 1) whole.base = usage;
  whole.read = usage;
}

void Recorder::end_those_not_seen() {
  for (auto next = alive_.begin(); next != alive_.end();) {
    Life& life = lives_[next->second];
    ++next;  // end() removes this one
    if (life.round != recording_.rounds) end(life, life.thread.until);
  }
}

void Recorder::keep_samples(Time now) {
  if (recording_.rounds % keep_every_ != 0) return;
  recording_.times.push_back(now);
  for (const auto& [id, index] : alive_) keep_sample(lives_[index], now);
  if (samples_ > options_.most_samples) thin();
}

void Recorder::keep_sample(Life& life, Time now) {
  if (!options_.keep_samples) return;
  std::vector<ThreadSample>& samples = life.thread.samples;
  const ThreadFigures latest = figures(life, now);
  if (!samples.empty() && samples.back().figures == latest) return;
  samples.push_back({now, latest});
  ++samples_;
}

// Drops every second round. A sample of a dropped one becomes one of the next, unless that has its
// own: samples without a change were not kept.
void Recorder::thin() {
  keep_every_ *= 2;
  std::map<Time, Time> moved;  // from a dropped round to the next
  std::vector<Time> kept;
  const std::vector<Time>& times = recording_.times;
  for (std::size_t i = 0; i + 1 < times.size(); i += 2) {
    moved[times[i]] = times[i + 1];
    kept.push_back(times[i + 1]);
  }
  if (times.size() % 2 != 0) kept.push_back(times.back());
  samples_ = 0;
  for (Life& life : lives_) {
    std::vector<ThreadSample> samples;
    for (const ThreadSample& sample : life.thread.samples) {
      const auto later = moved.find(sample.at);
      const Time at = later == moved.end() ? sample.at : later->second;
      if (!samples.empty() && samples.back().at >= at) samples.pop_back();
      samples.push_back({at, sample.figures});
    }
    samples_ += samples.size();
    life.thread.samples = std::move(samples);
  }
  recording_.times = std::move(kept);
}

// ---- Records

void Recorder::apply(const SwitchRecord& record, std::uint64_t begin) {
  const Time at(static_cast<std::int64_t>(record.time > begin ? record.time - begin : 0));
  Life* const life = find(record.thread);
  switch (record.kind) {
    case SwitchRecord::Kind::begins:
      thread_begins(record, at);
      break;
    case SwitchRecord::Kind::named:
      thread_is_named(record, at);
      break;
    case SwitchRecord::Kind::ends:
      if (life != nullptr) end(*life, at);
      break;
    case SwitchRecord::Kind::runs:
      if (life == nullptr) break;
      life->runs = false;  // it paused before, even if the record of that was lost
      runs(*life, record, at);
      break;
    case SwitchRecord::Kind::pauses:
      if (life != nullptr) pauses(*life, record, at);
      break;
    case SwitchRecord::Kind::lost:
      forget_states(record.cpu);
      break;
  }
}

// Records of this CPU were lost: a thread that ran there may have paused since, and a preempted one
// may have run there.
void Recorder::forget_states(unsigned cpu) {
  for (const auto& [id, index] : alive_) {
    Life& life = lives_[index];
    if (life.cpu == cpu) life.runs = false;
    life.preempted_at.reset();
  }
}

void Recorder::thread_begins(const SwitchRecord& record, Time at) {
  if (!options_.children && roots_.count(record.process) == 0) return;
  const Life* const parent = find(record.parent);
  const std::string name = parent == nullptr ? "" : parent->thread.name;
  Life* life = find(record.thread);
  if (life != nullptr && life->exact) {
    end(*life, at);  // the record of its end was lost
    life = nullptr;
  }
  if (life == nullptr) {
    life = &begin(record.process, record.thread, at);
    life->thread.name = name;
  }
  life->recorded = life->exact = true;
  life->thread.began = at;
}

void Recorder::thread_is_named(const SwitchRecord& record, Time at) {
  Life* life = find(record.thread);
  if (life == nullptr) {
    // That of the command, which began before the records.
    if (roots_.count(record.process) == 0) return;
    life = &begin(record.process, record.thread, at);
  }
  life->recorded = true;
  life->thread.name = record.name;
  if (record.executes) runs(*life, record, at);
}

void Recorder::runs(Life& life, const SwitchRecord& record, Time at) {
  if (life.preempted_at) add_span(life, {*life.preempted_at, at, record.cpu, false});
  life.preempted_at.reset();
  if (life.cpu && *life.cpu != record.cpu && at > life.read_at) ++life.since.migrations;
  life.cpu = record.cpu;
  if (!life.runs) life.runs_since = at;
  life.runs = true;
}

void Recorder::pauses(Life& life, const SwitchRecord& record, Time at) {
  life.thread.until = at;
  if (life.runs) {
    life.since.processor += std::max(at - std::max(life.runs_since, life.read_at), Time(0));
    add_span(life, {life.runs_since, at, life.cpu.value_or(0), true});
  }
  life.runs = false;
  if (record.kind != SwitchRecord::Kind::pauses) return;  // it ends
  life.preempted_at = record.preempted ? std::optional(at) : std::nullopt;
  if (at > life.read_at) ++(record.preempted ? life.since.involuntary : life.since.voluntary);
}

void Recorder::add_span(Life& life, const ThreadSpan& span) {
  // A record that precedes the span's beginning was late, or the thread's end was lost.
  if (!options_.keep_spans || span.end < span.begin) return;
  if (spans_ == options_.most_spans) {
    ++recording_.lost_spans;
  } else {
    life.thread.spans.push_back(span);
    ++spans_;
  }
}

// ---- Results

ThreadFigures Recorder::figures(const Life& life, Time now) {
  ThreadFigures figures = life.read;
  if (life.recorded) {
    const Time begin = std::max(life.runs_since, life.read_at);
    const Time running = life.runs ? std::max(now - begin, Time(0)) : Time(0);
    add_to(figures.processor, life.since.processor + running);
    add_to(figures.voluntary_switches, life.since.voluntary);
    add_to(figures.involuntary_switches, life.since.involuntary);
    add_to(figures.migrations, life.since.migrations);
  }
  // A thread that existed before the recording had not done less when it began.
  subtract_known(figures, life.base);
  return figures;
}

ThreadRecording Recorder::finish(Time now, const std::optional<ThreadFigures>& reaped) {
  // With records, these are threads whose ends were among the lost ones.
  if (recording_.lists_children) end_those_not_seen();
  ThreadRecording recording = std::move(recording_);
  recording.elapsed = now;
  std::set<long> running;
  for (const auto& [id, index] : alive_) {
    running.insert(lives_[index].thread.process);
    lives_[index].thread.until = now;
  }
  recording.still_running = running.size();
  for (Life& life : lives_) {
    static_cast<ThreadFigures&>(life.thread) = figures(life, now);
    recording.threads.push_back(std::move(life.thread));
  }
  std::sort(recording.threads.begin(), recording.threads.end(),
            [](const RecordedThread& a, const RecordedThread& b) {
              return std::pair(a.began, a.id) < std::pair(b.began, b.id);
            });
  add_totals(recording, reaped);
  return recording;
}

void Recorder::add_totals(ThreadRecording& recording,
                          const std::optional<ThreadFigures>& reaped) const {
  ThreadFigures seen;
  std::set<long> running;
  for (const RecordedThread& thread : recording.threads) {
    seen += thread;
    if (!thread.ended) running.insert(thread.process);
  }
  if (reaped) {
    // Processes that still run are not part of what was reaped.
    recording.total = *reaped;
    for (const RecordedThread& thread : recording.threads) {
      if (running.count(thread.process) != 0) recording.total += thread;
    }
  } else {
    for (const auto& [id, whole] : wholes_) {
      ThreadFigures since = whole.read;
      subtract_known(since, whole.base);
      recording.total += since;
    }
  }
  raise(recording.total, seen);
  recording.unseen = recording.total;
  recording.unseen -= seen;
  // The total of these is only the sum of what was seen.
  const auto clear = [](auto& value) { value.reset(); };
  clear(recording.unseen.run_delay);
  clear(recording.unseen.disk_wait);
  clear(recording.unseen.migrations);
  if (reaped) return;
  clear(recording.unseen.voluntary_switches);
  clear(recording.unseen.involuntary_switches);
}

}  // namespace fathom::diag
