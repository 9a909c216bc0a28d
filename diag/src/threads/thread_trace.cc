// write_trace: a recording in Chrome's trace format, by the conventions of the timeline.

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/diag/thread_recording.h"
#include "threads/thread_figures.h"
#include "timeline/trace_json.h"

namespace fathom::diag {

namespace {

using std::chrono::nanoseconds;

// The approximate size of a block passed to the sink.
constexpr std::size_t kTraceBlock = std::size_t{1} << 16U;
constexpr std::uint64_t kForTraceEnd = 96;

TraceJson::Moment moment(nanoseconds time) {
  return {static_cast<std::uint64_t>(std::max(time, nanoseconds(0)).count())};
}

// A share of the time in percent, or a number per second, rounded.
std::uint64_t percent(nanoseconds part, nanoseconds whole) {
  return static_cast<std::uint64_t>((part.count() * 100 + whole.count() / 2) / whole.count());
}
std::uint64_t per_second(std::uint64_t count, nanoseconds whole) {
  const double seconds = std::chrono::duration<double>(whole).count();
  return static_cast<std::uint64_t>(static_cast<double>(count) / seconds + 0.5);
}

// A counter of all threads of a family.
struct Counter {
  const char* title;
  // In the unit of the title; nothing if unknown.
  std::optional<std::uint64_t> (*value)(const ThreadFigures& change, nanoseconds time);
};

template <auto kField>
std::optional<std::uint64_t> share_of(const ThreadFigures& change, nanoseconds time) {
  const auto& value = change.*kField;
  return value ? std::optional(percent(*value, time)) : std::nullopt;
}

template <auto kField>
std::optional<std::uint64_t> rate_of(const ThreadFigures& change, nanoseconds time) {
  const auto& value = change.*kField;
  return value ? std::optional(per_second(*value, time)) : std::nullopt;
}

constexpr Counter kCounters[] = {
    {"processor, % of one", share_of<&ThreadFigures::processor>},
    {"kept waiting, %", share_of<&ThreadFigures::run_delay>},
    {"waits per s", rate_of<&ThreadFigures::voluntary_switches>},
    {"preempted per s", rate_of<&ThreadFigures::involuntary_switches>},
    {"migrations per s", rate_of<&ThreadFigures::migrations>},
};

class ThreadTrace {
 public:
  ThreadTrace(const ThreadRecording& recording, long process, const Timeline::Sink& sink,
              std::uint64_t most_bytes)
      : recording_(recording), process_(process), sink_(sink), most_bytes_(most_bytes) {}

  Timeline::Summary write() {
    summary_.lost = recording_.lost_records + recording_.lost_spans;
    name_processes();
    for (std::size_t i = 0; i < recording_.threads.size(); ++i) {
      write_thread(recording_.threads[i], static_cast<std::uint32_t>(i + 1));
    }
    json_.select(process_);
    write_counters();
    json_.end(summary_.events, summary_.lost);
    hand_over();
    return summary_;
  }

 private:
  // The name of a process is that of its main thread.
  void name_processes() {
    std::map<long, std::string_view> names{{process_, ""}};
    for (const RecordedThread& thread : recording_.threads) {
      names.try_emplace(thread.process, "");
      if (thread.id == thread.process) names[thread.process] = thread.name;
    }
    json_.begin(process_, names[process_]);
    for (const auto& named : names) {
      if (named.first != process_) add([&] { json_.process(named.first, named.second); });
    }
  }

  void write_thread(const RecordedThread& thread, std::uint32_t track) {
    json_.select(thread.process);
    const bool named = add([&] { json_.thread(track, thread.name, thread.id); });
    event(named, [&] {
      json_.span(track, "alive", moment(thread.began),
                 moment(std::max(thread.began, thread.until)));
    });
    for (const ThreadSpan& span : thread.spans) {
      event(named, [&] {
        const char* const name = span.runs ? "runs" : "preempted";
        json_.span(track, name, moment(span.begin), moment(span.end), span.cpu, "cpu");
      });
    }
  }

  void write_counters() {
    std::map<std::string_view, std::vector<const RecordedThread*>> families;
    for (const RecordedThread& thread : recording_.threads) {
      if (!thread.samples.empty()) families[family_of(thread.name)].push_back(&thread);
    }
    for (const auto& [family, threads] : families) {
      const std::string& first = threads.front()->name;
      const bool same = std::all_of(threads.begin(), threads.end(),
                                    [&](const auto* thread) { return thread->name == first; });
      write_counters(same ? first : std::string(family) + '*', threads);
    }
  }

  void write_counters(const std::string& name, const std::vector<const RecordedThread*>& threads) {
    std::vector<const char*> titles;
    for (const Counter& counter : kCounters) {
      titles.push_back(titles_.insert(name + ": " + counter.title).first->c_str());
    }
    ThreadFigures before;
    nanoseconds since{0};
    for (const nanoseconds time : recording_.times) {
      ThreadFigures sum;
      for (const RecordedThread* const thread : threads) sum += thread->figures_at(time);
      ThreadFigures change = sum;
      subtract_known(change, before);  // what was not known had just begun
      if (time > since) {
        for (std::size_t i = 0; i < titles.size(); ++i) {
          const auto value = kCounters[i].value(change, time - since);
          if (value) event(true, [&] { json_.counter(titles[i], moment(since), *value); });
        }
      }
      before = sum;
      since = time;
    }
  }

  // Writes what the function appends, if it fits. Returns whether it did.
  template <class Function>
  bool add(Function function) {
    if (full_) return false;
    const std::size_t before = json_.text().size();
    function();
    full_ = summary_.bytes + json_.text().size() + kForTraceEnd > most_bytes_;
    if (full_) {
      json_.text().resize(before);
    } else if (json_.text().size() > kTraceBlock) {
      hand_over();
    }
    return !full_;
  }

  template <class Function>
  void event(bool has_track, Function function) {
    ++(has_track && add(function) ? summary_.events : summary_.lost);
  }

  void hand_over() {
    sink_(json_.text());
    summary_.bytes += json_.text().size();
    json_.text().clear();
  }

  const ThreadRecording& recording_;
  const long process_;
  const Timeline::Sink& sink_;
  const std::uint64_t most_bytes_;
  TraceJson json_;
  Timeline::Summary summary_;
  std::set<std::string> titles_;  // of counters; TraceJson keeps pointers to them
  bool full_ = false;
};

}  // namespace

Timeline::Summary write_trace(const ThreadRecording& recording, long process,
                              const Timeline::Sink& sink, std::uint64_t most_bytes) {
  return ThreadTrace(recording, process, sink, most_bytes).write();
}

}  // namespace fathom::diag
