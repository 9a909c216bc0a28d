// Spans: recording events in the ring of the calling thread.

#include "fathom/diag/span.h"

#include <array>
#include <cstddef>

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

void record_log(std::string_view text) noexcept {
  constexpr std::string_view kCut = "...";
  std::array<char, ThreadLog::kLongestText> room;
  if (text.size() > room.size()) {
    std::size_t end = room.size() - kCut.size();
    // Not within a character of UTF-8, which has at most three further bytes.
    for (int i = 0; i < 3 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80; ++i) --end;
    text.copy(room.data(), end);
    kCut.copy(room.data() + end, kCut.size());
    text = {room.data(), end + kCut.size()};
  }
  Event event;
  event.kind = Event::Kind::text;
  record(event, [&](ThreadLog& log) { return log.record_text(event, text); });
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
