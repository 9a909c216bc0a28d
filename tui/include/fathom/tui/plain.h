// browse_plain: the same as browse() in lines of text: for screen readers, and for programs.
//
// It asks for commands, such as "ls", "cd 3" or "plan 2", and answers each with lines; nothing
// moves a cursor, and nothing appears by itself. It needs no terminal.
//
//   tui::PlainStreams streams{read_line, write, signal, forget_signal};
//   const tui::BrowseEnd end = tui::browse_plain(std::move(options), streams);

#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "fathom/tui/browse.h"

namespace fathom::tui {

struct PlainStreams {
  // Without its end; nothing: there are no more, or a signal has come.
  std::function<std::optional<std::string>()> read_line;
  std::function<void(std::string_view text)> write;  // at once

  // Forgets the lines that a person has typed or pasted and nobody has read; those of a script
  // stay.
  std::function<void()> forget_lines;

  // The signal that is to end a scan or a search, if one runs, and then the browser; 0: none.
  std::function<int()> signal;
  // Called when a scan or a search has ended because of it. May forget it: the browser goes on.
  std::function<void()> forget_signal;
};

// Ends with the input, too, and when a signal comes; then, as after `quit`, nothing that was
// planned is applied. Throws base::Error if the scan cannot begin.
[[nodiscard]] BrowseEnd browse_plain(BrowseOptions options, const PlainStreams& streams);

}  // namespace fathom::tui
