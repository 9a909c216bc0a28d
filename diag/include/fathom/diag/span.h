// Spans, instants, logs and counters: events that a program records on the running timeline, if
// any.
//
// Without a timeline, each costs a load and a branch. With one, it costs reading the clock and
// writing an event of 32 bytes to a ring of the thread. No function throws or waits; an event for
// which there is no room is counted as lost.
//
// Names are string literals: an event stores the pointer, and the timeline's thread reads the name
// later. A module that records events (such as a plug-in) must therefore stay loaded until the
// timeline has stopped.
//
//   void settle(Tree& tree) {
//     FATHOM_SPAN("settle");                      // from here to the end of the block
//     diag::counter("entries", tree.size());
//     if (tree.empty()) diag::instant("empty");
//     diag::log("settled " + tree.name());        // any text, which is copied
//   }

#pragma once

#include <cstdint>
#include <string_view>

#include "fathom/diag/recording.h"

namespace fathom::diag {

// The primitives of everything below; begin_span() returns 0 if no timeline runs.
[[nodiscard]] inline Ticks begin_span() noexcept {
  const Recording::State state = Recording::now();
  return state == 0 ? 0 : Recording::ticks(state);
}
// Records a span from `began` to now. A span that began before the timeline is omitted.
void record_span(const char* name, Ticks began) noexcept;
// The same with a number.
void record_span(const char* name, Ticks began, std::uint32_t count) noexcept;

void record_instant(const char* name) noexcept;
void record_log(std::string_view text) noexcept;
void record_counter(const char* name, std::uint64_t value) noexcept;

inline void end_span(const char* name, Ticks began) noexcept {
  if (began != 0) record_span(name, began);
}

// Records an event of this thread at this time.
inline void instant(const char* name) noexcept {
  if (Recording::now() != 0) record_instant(name);
}

// Records a text of this thread at this time: an instant whose name is the text. It is copied, 32
// bytes to a slot of the ring; if it is longer than 256 bytes, it is cut between two characters and
// ends in three dots. Bytes that are not UTF-8 become U+FFFD. Making the text costs as much as
// without a timeline: if that matters, ask Recording::now() first. Not for signal handlers.
inline void log(std::string_view text) noexcept {
  if (Recording::now() != 0) record_log(text);
}

// Records the new value of a counter of the whole program.
inline void counter(const char* name, std::uint64_t value) noexcept {
  if (Recording::now() != 0) record_counter(name, value);
}

// Sets the name of the calling thread on timelines; the default is the system's name of the thread.
// Truncated to 31 bytes.
void name_thread(std::string_view name) noexcept;

// Lasts from construction to destruction, which must be on the same thread. A span that is open
// when the timeline ends is omitted.
class Span {
 public:
  explicit Span(const char* name) noexcept : name_(name), began_(begin_span()) {}
  ~Span() { end_span(name_, began_); }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  const char* const name_;
  const Ticks began_;
};

}  // namespace fathom::diag

#define FATHOM_DIAG_JOIN_AGAIN(a, b) a##b
#define FATHOM_DIAG_JOIN(a, b) FATHOM_DIAG_JOIN_AGAIN(a, b)
// Does not compile unless `name` is a literal.
#define FATHOM_SPAN(name) \
  const ::fathom::diag::Span FATHOM_DIAG_JOIN(fathom_span_, __LINE__)("" name "")
