// Effect: what a key asks for that needs the system, for the loop to carry out.

#pragma once

#include <cstdint>
#include <string>

namespace fathom::tui {

struct Effect {
  enum class Kind : std::uint8_t {
    none,
    quit,
    quit_here,      // and print the directory in text
    copy,           // text to the clipboard
    shell,          // in the directory in text
    rescan,         // the directory in text, which is State::place
    write,          // the paths of the plan, or of the marks, to the file in text
    write_plan,     // a plan of the same entries, to the file in text
    apply,          // the plan: move its entries
    remove,         // delete them for good
    undo,           // what State::undoable says
    cancel,         // the scan
    cancel_search,  // that of the view
    cancel_searches,
  };

  Kind kind = Kind::none;
  std::string text;  // bytes
};

}  // namespace fathom::tui
