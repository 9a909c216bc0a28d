// Event: an event of a thread, as stored in its ring.

#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "fathom/diag/recording.h"

namespace fathom::diag {

struct Event {
  enum class Kind : std::uint8_t {
    span,          // from begin to end
    counted_span,  // the same; count is its number
    instant,       // at end
    counter,       // at end; value
    steal,         // at end: count tasks, from the track `value`; 0: unknown
    text,          // at end; the next events are the bytes of a text of size `count`
  };

  Ticks end = 0;  // when it was recorded
  union {
    Ticks begin = 0;
    std::uint64_t value;
  };
  const char* name = nullptr;
  std::uint32_t count = 0;
  Kind kind = Kind::instant;
  std::array<char, 3> rest = {};  // copied with the others, for the bytes of a text
};
static_assert(sizeof(Event) == 32 && std::is_trivially_copyable_v<Event>);

}  // namespace fathom::diag
