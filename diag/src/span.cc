// Spans: recording events in the ring of the calling thread.

#include "fathom/diag/span.h"

#include "record.h"

namespace fathom::diag {

namespace {

void record_span(Event::Kind kind, const char* name, Ticks began, std::uint32_t count) noexcept {
  Event event;
  event.begin = began;
  event.name = name;
  event.count = count;
  event.kind = kind;
  record(event);
}

}  // namespace

void record_span(const char* name, Ticks began) noexcept {
  record_span(Event::Kind::span, name, began, 0);
}

void record_span(const char* name, Ticks began, std::uint32_t count) noexcept {
  record_span(Event::Kind::counted_span, name, began, count);
}

void record_instant(const char* name) noexcept {
  Event event;
  event.name = name;
  event.kind = Event::Kind::instant;
  record(event);
}

void record_counter(const char* name, std::uint64_t value) noexcept {
  Event event;
  event.value = value;
  event.name = name;
  event.kind = Event::Kind::counter;
  record(event);
}

void name_thread(std::string_view name) noexcept {
  ThreadLogs::name_own(name);
}

}  // namespace fathom::diag
