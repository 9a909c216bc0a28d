// Place: which list is shown, and where its cursor is.

#pragma once

#include <cstddef>
#include <memory>

#include "model/state.h"

namespace fathom::tui {

// Puts the rows on the screen in order, with the cursor on it. Call it after each change.
void settle(State& state);

// Shows the directory, with the cursor on the row of the node, if it is there; or else on the row
// where it was last.
void open_directory(State& state, fs::DirId directory, fs::NodeId select = fs::kNoNode);

// Shows another view without a filter, with the cursor where it was.
void open_view(State& state, View view);

// Shows the results of the search.
void open_found(State& state, std::shared_ptr<const Found> found);

// Makes the list again after the results have changed, with the same filter, with the cursor on the
// same entry and at the same height.
void renew_list(State& state);

// Sorts and selects rows in another way, with the cursor on the same entry.
void arrange(State& state, const Arrangement& how);

// Keeps the rows that match, with the cursor on the first.
void narrow(State& state, const std::string& text);

// Keeps the rows that the condition selects (null: all), with the cursor on the first.
void choose(State& state, std::shared_ptr<const Condition> condition);

// Drops the filter and the condition, with the cursor on the same entry.
void select_from_all(State& state);

// What bars are relative to, and the map, after State::left_out has changed.
void find_largest(State& state);
// The boxes of the map, if it is wanted.
void make_map(State& state);

void move_to(State& state, std::size_t index);

}  // namespace fathom::tui
