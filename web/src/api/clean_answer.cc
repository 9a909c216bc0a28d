// clean_answer: sums by class, and one page of the items.

#include "api/clean_answer.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "api/directory_queries.h"
#include "api/entry_json.h"
#include "fathom/base/saturating.h"
#include "fathom/fs/json_writer.h"
#include "fathom/fs/utf8.h"

namespace fathom::web {

namespace {

using act::RuleClass;

constexpr std::array kClasses = {RuleClass::safe, RuleClass::probably, RuleClass::yours,
                                 RuleClass::tool};

struct CleanQuestion {
  std::string path;
  std::optional<RuleClass> cls;
  Span span;
};

CleanQuestion clean_question(Parameters& given) {
  CleanQuestion asked;
  asked.path = given.bytes("path");
  asked.cls = given.choice<RuleClass>("class", {{"safe", RuleClass::safe},
                                                {"probably", RuleClass::probably},
                                                {"yours", RuleClass::yours},
                                                {"tool", RuleClass::tool}});
  asked.span = span_of(given);
  return asked;
}

std::string_view to_string(CleanState::Phase phase) {
  switch (phase) {
    case CleanState::Phase::none:
      return "none";
    case CleanState::Phase::running:
      return "running";
    case CleanState::Phase::done:
      return "done";
    case CleanState::Phase::interrupted:
      return "interrupted";
    case CleanState::Phase::failed:
      return "failed";
  }
  return "";
}

using Items = std::vector<const act::Candidate*>;

// Those at or below the place.
Items items_in(const CleanState& state, Place place) {
  Items items;
  for (const act::Candidate& one : state.found->candidates.items) {
    if (is_within(*state.snapshot, one.node, place)) items.push_back(&one);
  }
  return items;
}

void write_classes(fs::JsonWriter& json, const Items& items) {
  json.begin_array("classes");
  for (const RuleClass cls : kClasses) {
    std::uint64_t count = 0;
    std::uint64_t used = 0;
    std::uint64_t freed = 0;
    for (const act::Candidate* const one : items) {
      if (one->cls != cls) continue;
      ++count;
      used = base::saturating_add(used, one->disk_bytes);
      freed = base::saturating_add(freed, one->frees);
    }
    if (count == 0) continue;
    json.begin_object();
    json.string("class", to_string(cls));
    json.number("items", count);
    json.number("used_bytes", used);
    json.number("freed_bytes", freed);
    json.end_object();
  }
  json.end_array();
}

void write_text(fs::JsonWriter& json, std::string_view name, const std::string& text) {
  if (text.empty()) {
    json.null(name);
  } else {
    json.string(name, fs::to_utf8(text));
  }
}

void write_item(fs::JsonWriter& json, const Snapshot& snapshot, const act::Candidate& one) {
  const Place place{one.node, one.directory};
  json.begin_object();
  json.bytes("path", snapshot.path(place));
  write_kind(json, snapshot, place);
  json.string("rule", fs::to_utf8(one.rule->id));
  json.string("class", to_string(one.cls));
  json.string("why", fs::to_utf8(one.rule->title));
  json.bytes_of_each("evidence", one.evidence);
  json.bytes_of_each("demotions", one.demotions);
  write_text(json, "rebuild", one.rebuild);
  write_text(json, "command", one.command);
  json.number("entries", one.entries);
  json.number("used_bytes", one.disk_bytes);
  json.number("freed_bytes", one.frees);
  json.time("newest", one.newest);
  json.end_object();
}

// The safest class first, then what frees most, then by path, as they come.
void sort(Items& items) {
  std::stable_sort(items.begin(), items.end(), [](const auto* a, const auto* b) {
    return std::tuple(a->cls, b->frees) < std::tuple(b->cls, a->frees);
  });
}

void write_items(fs::JsonWriter& json, const CleanState& state, const CleanQuestion& asked,
                 Items items) {
  if (asked.cls) std::erase_if(items, [&](const auto* one) { return one->cls != *asked.cls; });
  sort(items);
  const std::size_t first = std::min<std::size_t>(asked.span.offset, items.size());
  const std::size_t count = std::min<std::size_t>(asked.span.limit, items.size() - first);
  json.number("total", items.size());
  json.number("offset", asked.span.offset);
  json.begin_array("rows");
  for (std::size_t i = first; i < first + count && json.wanted(); ++i) {
    write_item(json, *state.snapshot, *items[i]);
  }
  json.end_array();
}

}  // namespace

Answer clean_answer(const CleanState& state, Parameters& given) {
  CleanQuestion asked = clean_question(given);
  if (const auto& error = given.error()) return bad_request(*error);
  Items items;
  if (state.phase == CleanState::Phase::done) {
    const std::optional<Place> place = state.snapshot->find(asked.path);
    if (!place) return not_found(asked.path);
    asked.path = state.snapshot->path(*place);
    items = items_in(state, *place);
  }
  fs::JsonWriter json(kEnoughJson);
  json.begin_object();
  json.number("generation", state.generation);
  json.string("state", to_string(state.phase));
  json.string("message", fs::to_utf8(state.message));
  json.bytes("path", asked.path);
  write_classes(json, items);
  write_items(json, state, asked, std::move(items));
  json.end_object();
  return {.body = std::move(json).take()};
}

}  // namespace fathom::web
