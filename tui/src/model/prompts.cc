// Prompts: the filter, the condition, and the file to write to.

#include "model/prompts.h"

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "fathom/fs/where.h"
#include "model/place.h"
#include "model/typing.h"

namespace fathom::tui {

namespace {

using Kind = Key::Kind;

// A text that begins with a slash is looked for in the whole tree.
void apply_filter(State& state) {
  if (!state.prompt.starts_with('/')) {
    if (state.view == View::found && state.view_before != View::found) {
      open_view(state, state.view_before);
    }
    return narrow(state, state.prompt);
  }
  const std::string text = state.prompt.substr(1);
  if (text.empty()) return;
  const Query query{.kind = Query::Kind::name, .text = text, .words = text};
  const bool narrower = state.found != nullptr && state.view == View::found &&
                        state.found->query.kind == Query::Kind::name &&
                        text.find_first_of("*?[") == std::string::npos &&
                        state.found->query.text.find_first_of("*?[") == std::string::npos &&
                        text.find(state.found->query.text) != std::string::npos;
  open_found(state,
             std::make_shared<const Found>(narrower ? find_among(*state.facts, *state.found, query)
                                                    : find_all(*state.facts, query)));
}

void give_filter_up(State& state) {
  state.filter_waits = false;
  state.layer = Layer::none;
  if (state.view != state.view_before) open_view(state, state.view_before);
  narrow(state, state.text_before);
}

// Whether filtering may take longer than a person notices.
bool is_long(const State& state) {
  constexpr std::size_t kLong = 100'000;
  const bool whole = state.prompt.starts_with('/');
  const fs::Counts counts = state.facts->below(whole ? fs::kNoDir : state.place);
  const FindingList* const list = findings_on_screen(state);
  if (!whole && list != nullptr && list->findings() != nullptr) {
    return list->findings()->items.size() > kLong;
  }
  return (whole || state.view == View::tree ? counts.entries() : list_size(state)) > kLong;
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(' ') == std::string::npos;
}

// The entries of a scan do not know what the rules say.
std::shared_ptr<const Condition> condition_of(const std::string& text) {
  const auto refusal = [](fs::WhereField field) -> std::string_view {
    const bool of_rules = field == fs::WhereField::rule || field == fs::WhereField::cls;
    return of_rules ? "belongs to `fathom clean`; see the view Clean" : "";
  };
  return std::make_shared<const Condition>(Condition{text, fs::Where::parse(text, refusal)});
}

void search_by(State& state, const std::string& text) {
  const Query query{.kind = Query::Kind::condition, .condition = condition_of(text), .words = text};
  open_found(state, std::make_shared<const Found>(find_all(*state.facts, query)));
}

// A condition that begins with a colon selects from the whole tree.
void apply_where(State& state) {
  const bool whole = state.prompt.starts_with(':');
  const std::string text = state.prompt.substr(whole ? 1 : 0);
  try {
    if (whole && !is_blank(text)) {
      search_by(state, text);
    } else {
      choose_by(state, text);
    }
    state.layer = Layer::none;
  } catch (const fs::WhereError& error) {
    state.where_error = error.what();
    state.where_column = error.column() - 1 + (whole ? 1 : 0);
  }
}

// Whether the prompt is the condition of the list still.
bool is_unchanged(const State& state) {
  const auto& known = state.listing.condition();
  return known != nullptr && state.prompt == known->text;
}

}  // namespace

// ---- The filter

void begin_filter(State& state) {
  state.layer = Layer::filter;
  state.text_before = filter_text(state);
  state.view_before = state.view;
  state.prompt = state.text_before;
}

bool changes_prompt(const State& state, const Key& key) {
  if (state.layer != Layer::filter) return false;
  return key.kind == Kind::text || key.kind == Kind::backspace;
}

void finish_filter(State& state) {
  state.filter_waits = false;
  apply_filter(state);
  settle(state);
}

void filter_again(State& state) {
  if (state.layer != Layer::filter) return;
  std::string text = std::move(state.prompt);
  begin_filter(state);
  state.prompt = std::move(text);
  finish_filter(state);
}

Effect press_filter(State& state, const Key& key) {
  if (key.kind == Kind::escape || is_control(key, "c") ||
      (key.kind == Kind::backspace && state.prompt.empty())) {
    give_filter_up(state);
  } else if (key.kind == Kind::enter) {
    state.layer = Layer::none;
  } else if (edit(state.prompt, key)) {
    state.filter_waits = true;
    if (!is_long(state)) finish_filter(state);
  } else if (const auto to = key.kind == Kind::text ? std::nullopt
                                                    : moved(key, state.cursor().at,
                                                            list_size(state), list_rows(state))) {
    move_to(state, *to);
  }
  return {};
}

// ---- The condition

void begin_where(State& state) {
  if (!lists_entries(state.view)) {
    state.message = "conditions select from lists of entries, such as 1 Tree";
    return;
  }
  state.layer = Layer::where;
  state.where_error.clear();
  const auto& known = state.listing.condition();
  state.prompt = known == nullptr ? "" : known->text;
}

void choose_by(State& state, const std::string& text) {
  choose(state, is_blank(text) ? nullptr : condition_of(text));
}

Effect press_where(State& state, const Key& key) {
  const bool was_empty = state.prompt.empty();
  if (key.kind == Kind::escape || is_control(key, "c") ||
      (key.kind == Kind::backspace && was_empty)) {
    state.layer = Layer::none;
  } else if (key.kind == Kind::enter) {
    apply_where(state);
  } else if (is_text(key, ":") && is_unchanged(state)) {
    state.prompt = ":";  // "::" begins a new condition, whatever the prompt began with
  } else if (edit(state.prompt, key)) {
    state.where_error.clear();
  }
  return {};
}

// ---- Writing a file

void begin_write(State& state) {
  if (state.plan.empty() && state.marks.empty()) {
    state.message = "nothing is marked and the plan is empty";
    return;
  }
  state.layer = Layer::write;
  state.prompt = state.settings.can_plan && !state.plan.empty() ? "fathom.plan" : "fathom-paths";
}

Effect write_to(const State& state, const std::string& file) {
  const bool plan = state.settings.can_plan && file.ends_with(".plan");
  return {plan ? Effect::Kind::write_plan : Effect::Kind::write, file};
}

Effect press_write(State& state, const Key& key) {
  if (key.kind == Kind::escape || is_control(key, "c")) {
    state.layer = Layer::none;
  } else if (key.kind == Kind::enter) {
    state.layer = Layer::none;
    if (!state.prompt.empty()) return write_to(state, state.prompt);
  } else {
    edit(state.prompt, key);
  }
  return {};
}

}  // namespace fathom::tui
