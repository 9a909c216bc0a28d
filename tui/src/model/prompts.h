// Prompts: the layers in which the user types a text.

#pragma once

#include "grid/key.h"
#include "model/effect.h"
#include "model/state.h"

namespace fathom::tui {

void begin_filter(State& state);
[[nodiscard]] Effect press_filter(State& state, const Key& key);
// Long lists do not follow each letter of a filter at once, so that the letter appears without
// delay: call this when State::filter_waits and there is no key to press.
void finish_filter(State& state);
// When other rows have taken the place of the list: they follow a filter that is being typed, and
// Escape goes back to them.
void filter_again(State& state);
// Whether the key changes the filter.
[[nodiscard]] bool changes_prompt(const State& state, const Key& key);

void begin_where(State& state);
[[nodiscard]] Effect press_where(State& state, const Key& key);

// Selects the rows of the list by the condition; an empty text selects all. Throws fs::WhereError.
void choose_by(State& state, const std::string& text);

void begin_write(State& state);
[[nodiscard]] Effect press_write(State& state, const Key& key);
// Writes a plan if the name of the file ends in .plan, and otherwise the paths.
[[nodiscard]] Effect write_to(const State& state, const std::string& file);

}  // namespace fathom::tui
