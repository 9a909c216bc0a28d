// KeyDecoder: turns the bytes of a terminal into keys.
//
// A single escape byte is a key only if nothing follows it: the caller waits kEscapeWait and then
// calls flush(). Pasted text arrives as keys as well, between paste_begin and paste_end if the
// terminal marks it.

#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "grid/key.h"

namespace fathom::tui {

inline constexpr std::chrono::milliseconds kEscapeWait{25};

class KeyDecoder {
 public:
  // The keys that are complete.
  [[nodiscard]] std::vector<Key> feed(std::string_view bytes);

  // Whether an unfinished sequence waits for more bytes.
  [[nodiscard]] bool waits() const { return !rest_.empty(); }

  // Nothing more came: what waits is a key by itself.
  [[nodiscard]] std::vector<Key> flush();

 private:
  std::string rest_;
};

}  // namespace fathom::tui
