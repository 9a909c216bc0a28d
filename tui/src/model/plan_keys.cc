// PlanKeys: take out, show, write, apply.

#include "model/plan_keys.h"

#include "model/marking.h"
#include "model/opening.h"
#include "model/place.h"
#include "model/prompts.h"
#include "model/typing.h"

namespace fathom::tui {

namespace {

using Kind = Key::Kind;

void ask_to_apply(State& state) {
  if (state.settings.read_only) {
    state.message = "read-only: W writes the plan to a file";
  } else if (!state.settings.can_apply) {
    state.message = "plans cannot be applied here: W writes the plan to a file";
  } else if (state.plan.empty()) {
    state.message = "the plan is empty: d in a list puts entries into it";
  } else {
    state.layer = Layer::apply;
  }
}

}  // namespace

std::string_view why_not_deletable(const State& state) {
  if (!state.settings.sees_all) {
    return "with options that select entries, a directory contains more than is shown: nothing can "
           "be deleted";
  }
  if (state.progress.running) return "a scan is running: delete when it has ended";
  return {};
}

Effect press_apply(State& state, const Key& key) {
  state.layer = Layer::plan;
  if (is_text(key, "D")) {
    state.message = why_not_deletable(state);
    if (!state.message.empty()) return {};
    state.layer = Layer::remove;
    state.prompt.clear();
    return {};
  }
  return is_text(key, "y") ? Effect{Effect::Kind::apply, ""} : Effect{};
}

Effect press_remove(State& state, const Key& key) {
  if (key.kind == Kind::enter) {
    state.layer = Layer::plan;
    if (state.prompt == kWordToDelete) return {Effect::Kind::remove, ""};
    state.message = "nothing was deleted: only the word delete agrees";
  } else if (key.kind == Kind::escape || is_control(key, "c")) {
    state.layer = Layer::plan;
  } else {
    edit(state.prompt, key);
  }
  return {};
}

Effect press_undo(State& state, const Key& key) {
  state.layer = Layer::none;
  return is_text(key, "y") ? Effect{Effect::Kind::undo, ""} : Effect{};
}

std::string_view why_not_undoable(const State& state) {
  return state.has_deleted ? "there is nothing to move back: what was deleted is gone for good"
                           : "there is nothing to move back";
}

void ask_to_undo(State& state) {
  if (state.undoable == Undoable::nothing) {
    state.message = why_not_undoable(state);
  } else {
    state.layer = Layer::undo;
  }
}

Effect press_plan(State& state, const Key& key) {
  const auto to = moved(key, state.plan_cursor.at, state.plan.size(), list_rows(state));
  if (to) {
    state.plan_cursor.at = *to;
  } else if (is_text(key, "x") || is_text(key, "d") || is_text(key, " ")) {
    take_out(state);
  } else if (is_text(key, "W")) {
    begin_write(state);
  } else if (is_text(key, "A")) {
    ask_to_apply(state);
  } else if (is_text(key, "U")) {
    ask_to_undo(state);
  } else if (key.kind == Kind::enter || key.kind == Kind::right || is_text(key, "l")) {
    show_planned(state);
  } else if (is_text(key, "i")) {
    if (!state.plan.empty()) state.layer = Layer::planned;
  } else if (is_text(key, "?")) {
    state.layer = Layer::help;
  } else if (key.kind == Kind::escape || key.kind == Kind::tab || is_text(key, "P") ||
             is_text(key, "q") || is_text(key, "h") || key.kind == Kind::left ||
             key.kind == Kind::backspace || is_control(key, "c")) {
    state.layer = Layer::none;
  }
  return {};
}

Effect press_planned(State& state, const Key& key) {
  const std::size_t rows = list_rows(state);
  if (const auto line = paged(key, state.scroll, rows)) {
    state.scroll = *line;
    return {};
  }
  state.scroll = 0;
  if (const auto to = moved(key, state.plan_cursor.at, state.plan.size(), rows)) {
    state.plan_cursor.at = *to;
  } else {
    state.layer = Layer::plan;
  }
  return {};
}

}  // namespace fathom::tui
