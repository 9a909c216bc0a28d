// Marking: keys that mark entries, and that put them into the plan.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "model/state.h"

namespace fathom::tui {

// Each puts its answer, if any, into State::message.
void mark_and_move_down(State& state);
void mark_range(State& state);
void invert_marks(State& state);
void clear_marks(State& state);
// Marks what the rules of `fathom clean` call safe, here and below; if they have not been asked
// yet, as soon as they have answered.
void mark_safe(State& state);

// Where an applied plan moves an entry.
enum class MoveTo : std::uint8_t { quarantine, trash };

// Puts what is marked, or else the selected entry, into the plan; if all of it is there with the
// same destination, takes it out.
void plan_or_not(State& state, MoveTo to);
// The same for these rows of the list; and marks them, or if all are marked, unmarks them. A
// heading stands for its group.
void plan_rows_or_not(State& state, std::span<const std::size_t> rows, MoveTo to);
void mark_rows_or_not(State& state, std::span<const std::size_t> rows);
// The same for what is marked.
void plan_marks_or_not(State& state, MoveTo to);
// Takes the selected row of the plan out.
void take_out(State& state);

}  // namespace fathom::tui
