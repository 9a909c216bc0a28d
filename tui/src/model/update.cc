// Update: replaces results.

#include "model/update.h"

#include <utility>
#include <vector>

#include "model/marking.h"
#include "model/place.h"
#include "model/prompts.h"
#include "model/sums.h"

namespace fathom::tui {

namespace {

bool is_known(const Facts& facts) {
  return facts.top() != fs::kNoDir || facts.in(fs::kNoDir).size() > 0;
}

Basket renumbered(const Basket& basket, const Renumbering& numbers) {
  Basket now;
  for (const auto& [node, directory] : basket.entries()) {
    const fs::NodeId to = numbers.nodes[node];
    if (to == fs::kNoNode) continue;
    now.add({to, directory == fs::kNoDir ? fs::kNoDir : numbers.directories[directory]});
  }
  return now;
}

// The closest directory that still exists; kNoDir if there is none.
fs::DirId renumbered(fs::DirId directory, const fs::Tree& before, const Renumbering& numbers) {
  while (directory != fs::kNoDir && numbers.directories[directory] == fs::kNoDir) {
    directory = before.parent_of(directory);
  }
  return directory == fs::kNoDir ? directory : numbers.directories[directory];
}

void renumber_findings(State& state, const Renumbering& numbers) {
  for (FindingList& list : state.searches) {
    const auto before = list.findings();
    if (before == nullptr) {
      if (!list.running) list.clear();  // the reason may have been the scan of before
    } else if (&list == &state.search(Search::growth)) {
      list.clear();  // it compares the scan of before; it is made again when somebody looks
    } else {
      list.set(std::make_shared<const Findings>(
          renumbered(*before, state.facts, numbers.nodes, numbers.directories)));
    }
  }
}

// The answer would be about another plan than the question.
void close_question(State& state) {
  if (state.layer != Layer::apply && state.layer != Layer::remove) return;
  state.layer = Layer::plan;
  state.prompt.clear();
  state.message = "a scan has ended and may have changed the plan: press A again";
}

}  // namespace

State initial_state(Settings settings, std::shared_ptr<const Facts> facts, fs::Measure measure) {
  State state;
  state.settings = std::move(settings);
  state.facts = std::move(facts);
  state.how.measure = measure;
  open_directory(state, state.facts->top());
  settle(state);
  return state;
}

void take_facts(State& state, std::shared_ptr<const Facts> facts,
                std::shared_ptr<const Extras> extras) {
  const bool first = !is_known(*state.facts);
  for (FindingList& list : state.searches) {
    if (list.findings() != nullptr) list.clear();
  }
  // The list refers to the old results until it is made again.
  const auto facts_before = std::exchange(state.facts, std::move(facts));
  const auto extras_before = state.extras;
  state.extras_failed = false;
  if (extras != nullptr) state.extras = std::move(extras);
  if (first) state.place = state.facts->top();
  if (state.view != View::found) {
    state.found.reset();
    renew_list(state);
  } else {
    // What is found now has what was found before, and more.
    const auto found_before = state.found;
    state.found = std::make_shared<const Found>(find_all(*state.facts, state.found->query));
    renew_list(state);
  }
  // Sums of before are still lower bounds.
  if (state.extras != nullptr && state.extras->facts == state.facts) refresh_sums(state);
  if (state.layer == Layer::remove) close_question(state);
  settle(state);
}

void take_renewed(State& state, std::shared_ptr<const Facts> facts, const Renumbering& numbers) {
  const auto row = row_at(state, state.cursor().at);
  const fs::NodeId selected =
      row && row->node != fs::kNoNode ? numbers.nodes[row->node] : fs::kNoNode;
  const fs::DirId place = renumbered(state.place, state.facts->tree(), numbers);
  std::set<fs::DirId> outdated;
  for (const fs::DirId directory : state.outdated) {
    outdated.insert(renumbered(directory, state.facts->tree(), numbers));
  }
  outdated.erase(fs::kNoDir);
  state.outdated = std::move(outdated);
  state.marks = renumbered(state.marks, numbers);
  state.plan = renumbered(state.plan, numbers);
  state.left_out = renumbered(state.left_out, numbers);
  std::unordered_set<fs::NodeId> trash;
  for (const fs::NodeId node : state.trash) {
    if (numbers.nodes[node] != fs::kNoNode) trash.insert(numbers.nodes[node]);
  }
  state.trash = std::move(trash);
  state.told_last_copies.clear();
  std::unordered_map<fs::NodeId, std::string> why_left;
  for (auto& [node, why] : state.why_left) {
    if (numbers.nodes[node] != fs::kNoNode) why_left.emplace(numbers.nodes[node], std::move(why));
  }
  state.why_left = std::move(why_left);
  state.remembered.clear();
  state.listing = {};
  state.found.reset();
  state.extras.reset();
  state.extras_failed = false;
  const auto before = std::exchange(state.facts, std::move(facts));
  renumber_findings(state, numbers);
  const Cursor cursor = state.cursors.front();
  const View view = state.view;
  state.view = View::tree;
  const bool stays = search_of(view).has_value();
  open_directory(state, place, stays ? fs::kNoNode : selected);
  if (stays || selected == fs::kNoNode) state.cursor() = cursor;
  if (stays) open_view(state, view);
  filter_again(state);
  refresh_sums(state);
  close_question(state);
  settle(state);
}

void begin_search(State& state, Search search) {
  state.search(search).clear();
  state.search(search).running = true;
}

void take_search_progress(State& state, Search search, std::string progress) {
  if (state.search(search).running) state.search(search).progress = std::move(progress);
}

void take_findings(State& state, Search search, std::shared_ptr<const Findings> findings) {
  FindingList& list = state.search(search);
  // Those of a scan of before are made again when somebody looks.
  if (findings->facts != state.facts) return list.clear();
  const bool complete = findings->complete;
  list.set(std::move(findings));
  if (search_of(state.view) == search) state.anchor.reset();
  if (!complete) {
    state.message = "the search was ended early: there may be more; ";
    state.message += begins_search_again(state);
  }
  if (search == Search::clean && std::exchange(state.marks_safe_later, false)) mark_safe(state);
  settle(state);
}

std::string_view begins_search_again(const State& state) {
  return state.settings.plain ? "view NAME begins it again" : "r begins it again";
}

void fail_search(State& state, Search search, std::string why) {
  state.search(search).clear();
  if (search == Search::clean && std::exchange(state.marks_safe_later, false)) state.message = why;
  state.search(search).why = std::move(why);
  settle(state);
}

void take_extras(State& state, std::shared_ptr<const Extras> extras) {
  const auto before = std::exchange(state.extras, std::move(extras));
  if (state.view == View::largest || !has_entries(state.view)) renew_list(state);
  refresh_sums(state);
  settle(state);
}

void fail_extras(State& state, std::string why) {
  state.extras_failed = true;
  state.message = std::move(why);
}

void take_size(State& state, unsigned width, unsigned height) {
  state.width = width;
  state.height = height;
  settle(state);
}

}  // namespace fathom::tui
