// Press: what a key does. A function of the state and the key; what needs the system is returned as
// an effect for the caller to carry out.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "grid/key.h"
#include "model/state.h"

namespace fathom::tui {

struct Effect {
  enum class Kind : std::uint8_t {
    none,
    quit,
    quit_here,  // and print the directory in text
    copy,       // text to the clipboard
    shell,      // in the directory in text
    rescan,     // the directory in text, which is State::place
    write,      // the paths of the plan, or of the marks, to the file in text
    apply,      // the plan
    undo,       // what was applied last
    cancel,     // the scan
  };

  Kind kind = Kind::none;
  std::string text;  // bytes
};

[[nodiscard]] Effect press(State& state, const Key& key);

// Long lists do not follow each letter of a filter at once, so that the letter appears without
// delay: call this when State::filter_waits and there is no key to press.
void finish_filter(State& state);

// After the plan was applied: it is empty now. Returns the directory that contains all that was in
// it, to be scanned again; kNoDir if there is none.
[[nodiscard]] fs::DirId forget_applied_plan(State& state);

// The entries that Effect::write means, in their order.
[[nodiscard]] std::vector<std::string> paths_to_write(const State& state);

}  // namespace fathom::tui
