// Spans, instants and counters: what a program says of itself on the timeline that runs, if any.
//
// Where none runs, each costs a load and a branch. Where one does, it costs reading the clock and
// writing one event of 32 bytes into a ring of the thread's own. Nothing here throws or waits; an
// event for which there is no room is counted as lost.
//
// Names are string literals: an event holds the pointer, and the name is read later, by the
// timeline's thread. So a module that records (a plug-in, say) must stay loaded until the timeline
// has stopped, or its literals are gone when they are read.
//
//   void settle(Tree& tree) {
//     FATHOM_SPAN("settle");                      // from here to the end of the block
//     diag::counter("entries", tree.size());
//     if (tree.empty()) diag::instant("empty");
//   }

#pragma once

#include <cstdint>
#include <string_view>

#include "fathom/diag/recording.h"

namespace fathom::diag {

// The next two are what all below is made of; 0 where no timeline runs.
[[nodiscard]] inline Ticks begin_span() noexcept {
  const Recording::State state = Recording::now();
  return state == 0 ? 0 : Recording::ticks(state);
}
// A span that began then and ends now. One that began before the timeline did is left out.
void record_span(const char* name, Ticks began) noexcept;
// The same with a number beside it.
void record_span(const char* name, Ticks began, std::uint32_t count) noexcept;

void record_instant(const char* name) noexcept;
void record_counter(const char* name, std::uint64_t value) noexcept;

inline void end_span(const char* name, Ticks began) noexcept {
  if (began != 0) record_span(name, began);
}

// Something that happens now, on this thread.
inline void instant(const char* name) noexcept {
  if (Recording::now() != 0) record_instant(name);
}

// A figure of the whole program, which is so much from now on.
inline void counter(const char* name, std::uint64_t value) noexcept {
  if (Recording::now() != 0) record_counter(name, value);
}

// What the calling thread is called on timelines; otherwise what the system calls it. Cut after 31
// bytes.
void name_thread(std::string_view name) noexcept;

// From construction to destruction, which are on the same thread. One that is open when the
// timeline ends is left out.
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
// What is no literal does not compile.
#define FATHOM_SPAN(name) \
  const ::fathom::diag::Span FATHOM_DIAG_JOIN(fathom_span_, __LINE__)("" name "")
