// Update: what comes from outside: new results, and the size of the screen.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/state.h"

namespace fathom::tui {

// The state before anything is known.
[[nodiscard]] State initial_state(Settings settings, std::shared_ptr<const Facts> facts,
                                  fs::Measure measure);

// The same scan at a later moment, or its end; with its extras, if somebody wanted them.
void take_facts(State& state, std::shared_ptr<const Facts> facts,
                std::shared_ptr<const Extras> extras = nullptr);

// A scan of which a directory was scanned again: new numbers by old ones, kNoNode for what is gone.
struct Renumbering {
  std::vector<fs::NodeId> nodes;
  std::vector<fs::DirId> directories;
};
void take_renewed(State& state, std::shared_ptr<const Facts> facts, const Renumbering& numbers);

// A search begins, tells what it has done so far, ends, or ends with an error.
void begin_search(State& state, Search search);
void take_search_progress(State& state, Search search, std::string progress);
void take_findings(State& state, Search search, std::shared_ptr<const Findings> findings);
void fail_search(State& state, Search search, std::string why);
// How the user begins a search again.
[[nodiscard]] std::string_view begins_search_again(const State& state);

void take_extras(State& state, std::shared_ptr<const Extras> extras);
void fail_extras(State& state, std::string why);
void take_size(State& state, unsigned width, unsigned height);

}  // namespace fathom::tui
