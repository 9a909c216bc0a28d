// Marking: changes of the two baskets.

#include "model/marking.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/text/number.h"
#include "model/place.h"
#include "model/sums.h"

namespace fathom::tui {

namespace {

using GroupKind = FindingGroup::Kind;

// Why entries of the group can neither be marked nor planned; empty: they can.
std::string_view why_fixed(GroupKind kind) {
  if (kind == GroupKind::tool) return "only its own tool removes this; info shows the command";
  if (kind == GroupKind::skipped) return "this may not be touched; info says why";
  return "";
}

// Why there is no entry to mark at that place of the list.
std::string_view why_none(const State& state, std::size_t index) {
  if (index >= list_size(state)) return "there is nothing to mark";
  const FindingList* const list = findings_on_screen(state);
  if (list == nullptr) return "this was not scanned, so it cannot be marked";
  if (list->group(index).kind == GroupKind::changes) return "this is gone";
  return why_fixed(list->group(index).kind);
}

std::optional<fs::Chosen> entry_at(const State& state, std::size_t index) {
  const auto row = row_at(state, index);
  if (!row || row->node == fs::kNoNode) return std::nullopt;
  const FindingList* const list = findings_on_screen(state);
  if (list != nullptr && !why_fixed(list->group(index).kind).empty()) return std::nullopt;
  return fs::Chosen{row->node, row->directory};
}

// The entry at that place of the list, or all of the group whose heading is there.
std::vector<fs::Chosen> entries_at(const State& state, std::size_t index) {
  std::vector<fs::Chosen> entries;
  if (const auto entry = entry_at(state, index)) entries.push_back(*entry);
  const FindingList* const list = findings_on_screen(state);
  if (list == nullptr || index >= list->size() || list->item(index) != nullptr) return entries;
  const FindingGroup& group = list->group(index);
  if (!why_fixed(group.kind).empty()) return entries;
  // One of equal files stays.
  const std::size_t first = group.kind == GroupKind::equal ? group.begin + 1 : group.begin;
  for (std::size_t i = first; i < group.end; ++i) {
    const Finding& item = list->shown().items[i];
    entries.push_back({item.node, item.directory});
  }
  return entries;
}

// All entries of the list that can be marked.
std::vector<fs::Chosen> markable(const State& state) {
  if (lists_entries(state.view)) return state.listing.entries();
  std::vector<fs::Chosen> entries;
  for (std::size_t i = 0; i < list_size(state); ++i) {
    if (const auto entry = entry_at(state, i)) entries.push_back(*entry);
  }
  return entries;
}

void mark_or_not(State& state, const std::vector<fs::Chosen>& entries) {
  const bool all_in = std::all_of(entries.begin(), entries.end(), [&](const fs::Chosen& entry) {
    return state.marks.has(entry.node);
  });
  if (all_in) return state.marks.remove(entries);
  for (const fs::Chosen& entry : entries) state.marks.add(entry);
}

// Whether deleting the plan and the entries would delete the file of the node, itself or with a
// directory above it.
class DeletedFiles {
 public:
  DeletedFiles(const State& state, const std::vector<fs::Chosen>& more)
      : tree_(state.facts->tree()), all_(state.plan) {
    for (const fs::Chosen& entry : more) all_.add(entry);
    const auto entries = all_.entries();
    has_directories_ = std::any_of(entries.begin(), entries.end(), [](const fs::Chosen& entry) {
      return entry.directory != fs::kNoDir;
    });
  }

  [[nodiscard]] bool has(fs::NodeId node) const {
    if (all_.has(node)) return true;
    if (!has_directories_) return false;
    for (fs::DirId at = tree_.parent(node); at != fs::kNoDir; at = tree_.parent_of(at)) {
      if (all_.has(tree_.node(at))) return true;
    }
    return false;
  }

 private:
  const fs::Tree& tree_;
  Basket all_;
  bool has_directories_ = false;
};

// The known groups of equal files that would be gone completely.
std::size_t lost_groups(const State& state, const std::vector<fs::Chosen>& more) {
  const auto& findings = state.search(Search::duplicates).findings();
  if (findings == nullptr) return 0;
  const DeletedFiles deleted(state, more);
  std::size_t lost = 0;
  for (const FindingGroup& group : findings->groups) {
    std::size_t i = group.begin;
    while (i < group.end && deleted.has(findings->items[i].node)) ++i;
    if (i == group.end) ++lost;
  }
  return lost;
}

// Says so if the last copies of something would come into the plan. Returns whether it did.
bool tell_last_copies(State& state, const std::vector<fs::Chosen>& more) {
  const std::size_t lost = lost_groups(state, more) - lost_groups(state, {});
  if (lost == 0) return false;
  state.told_last_copies = more;
  state.message = lost == 1 ? "this is the last copy outside the plan: once more plans it as well"
                            : "all copies of " + text::grouped(lost) +
                                  " contents would be in the plan: once more plans them";
  return true;
}

void put_into_plan(State& state, const std::vector<fs::Chosen>& entries, MoveTo to) {
  for (const fs::Chosen& entry : entries) {
    state.plan.add(entry);
    if (to == MoveTo::trash) {
      state.trash.insert(entry.node);
    } else {
      state.trash.erase(entry.node);
    }
  }
}

void take_out_of_plan(State& state, const std::vector<fs::Chosen>& entries) {
  state.plan.remove(entries);
  for (const fs::Chosen& entry : entries) {
    state.trash.erase(entry.node);
    state.why_left.erase(entry.node);
  }
}

bool is_below(const fs::Tree& tree, fs::NodeId node, fs::DirId directory) {
  if (directory == fs::kNoDir) return true;
  fs::DirId at = tree.parent(node);
  while (at != fs::kNoDir && at != directory) at = tree.parent_of(at);
  return at == directory;
}

// Says why there is nothing to mark.
bool can_mark(State& state) {
  if (has_entries(state.view)) return true;
  state.message = "open a row to mark the entries that it sums up";
  return false;
}

void mark_between(State& state, std::size_t first, std::size_t last) {
  // The rows between are not in order yet, only those on the screen are.
  if (lists_entries(state.view)) state.listing.show(first, last + 1);
  for (std::size_t i = first; i <= last; ++i) {
    if (const auto entry = entry_at(state, i)) state.marks.add(*entry);
  }
}

// What can be marked of these rows. Says why if one of them cannot.
std::vector<fs::Chosen> entries_of(State& state, std::span<const std::size_t> rows) {
  std::vector<fs::Chosen> all;
  for (const std::size_t row : rows) {
    if (lists_entries(state.view)) state.listing.show(row, row + 1);
    const std::vector<fs::Chosen> entries = entries_at(state, row);
    if (entries.empty()) state.message = why_none(state, row);
    all.insert(all.end(), entries.begin(), entries.end());
  }
  return all;
}

void plan_these_or_not(State& state, const std::vector<fs::Chosen>& chosen, MoveTo to) {
  const bool all_in = std::all_of(chosen.begin(), chosen.end(), [&](const fs::Chosen& entry) {
    return state.plan.has(entry.node) &&
           (state.trash.count(entry.node) > 0) == (to == MoveTo::trash);
  });
  const bool told = state.told_last_copies == chosen;
  if (!all_in && !told && tell_last_copies(state, chosen)) return;
  state.told_last_copies.clear();
  if (all_in) {
    take_out_of_plan(state, chosen);
  } else {
    put_into_plan(state, chosen, to);
  }
  state.message = (all_in ? "took " : "put ") + text::counted(chosen.size(), "item", "items") +
                  (all_in                ? " out of the plan"
                   : to == MoveTo::trash ? " into the plan, for the trash of the desktop"
                                         : " into the plan; nothing is changed on disk");
  refresh_sums(state);
}

void finish_range(State& state) {
  const std::size_t other = *state.anchor;
  state.anchor.reset();
  const std::size_t at = state.cursor().at;
  mark_between(state, std::min(other, at), std::max(other, at));
  refresh_sums(state);
}

}  // namespace

void mark_and_move_down(State& state) {
  if (!can_mark(state)) return;
  if (state.anchor) return finish_range(state);
  const std::vector<fs::Chosen> entries = entries_at(state, state.cursor().at);
  if (entries.empty()) state.message = why_none(state, state.cursor().at);
  mark_or_not(state, entries);
  move_to(state, state.cursor().at + 1);
  refresh_sums(state);
}

void mark_range(State& state) {
  if (!can_mark(state)) return;
  if (state.anchor) return finish_range(state);
  if (list_size(state) == 0) return;
  state.anchor = state.cursor().at;
  state.message = "range: move to its other end, then V or Space marks it; Esc gives it up";
}

void invert_marks(State& state) {
  if (!can_mark(state)) return;
  state.anchor.reset();
  state.marks.invert(markable(state));
  refresh_sums(state);
}

void clear_marks(State& state) {
  state.marks.clear();
  refresh_sums(state);
}

void mark_safe(State& state) {
  const FindingList& list = state.search(Search::clean);
  const auto& findings = list.findings();
  if (!list.why.empty()) {
    state.message = list.why;
    return;
  }
  if (findings == nullptr) {
    state.marks_safe_later = !state.settings.saved;
    state.message = state.settings.saved ? "a saved scan may be of another machine: no rules"
                                         : "asking the rules; what is safe is marked then";
    return;
  }
  const bool here = state.view == View::tree;
  const FindingRows& rows = state.view == View::clean ? list.shown() : *findings;
  std::size_t marked = 0;
  for (const FindingGroup& group : rows.groups) {
    if (group.kind != GroupKind::safe) continue;
    for (std::size_t i = group.begin; i < group.end; ++i) {
      const Finding& item = rows.items[i];
      if (here && !is_below(state.facts->tree(), item.node, state.place)) continue;
      state.marks.add({item.node, item.directory});
      ++marked;
    }
  }
  state.message = marked == 0 ? "the rules call nothing here safe"
                              : "marked " + text::counted(marked, "safe item", "safe items");
  refresh_sums(state);
}

void plan_or_not(State& state, MoveTo to) {
  if (!can_mark(state)) return;
  if (state.anchor) finish_range(state);
  if (!state.marks.empty()) return plan_marks_or_not(state, to);
  const std::size_t row = state.cursor().at;
  plan_rows_or_not(state, {&row, 1}, to);
}

void plan_rows_or_not(State& state, std::span<const std::size_t> rows, MoveTo to) {
  if (!can_mark(state)) return;
  const std::vector<fs::Chosen> chosen = entries_of(state, rows);
  if (chosen.empty()) return;
  const std::string refused = std::exchange(state.message, "");
  plan_these_or_not(state, chosen, to);
  if (!refused.empty()) state.message += "; not all of them: " + refused;
}

void mark_rows_or_not(State& state, std::span<const std::size_t> rows) {
  if (!can_mark(state)) return;
  mark_or_not(state, entries_of(state, rows));
  refresh_sums(state);
}

void plan_marks_or_not(State& state, MoveTo to) {
  const auto marks = state.marks.entries();
  const std::vector<fs::Chosen> chosen(marks.begin(), marks.end());
  if (chosen.empty()) {
    state.message = "nothing is marked";
    return;
  }
  plan_these_or_not(state, chosen, to);
  if (state.told_last_copies.empty()) clear_marks(state);
}

void take_out(State& state) {
  if (state.plan.empty()) return;
  const fs::Chosen entry = state.plan.entries()[state.plan_cursor.at];
  take_out_of_plan(state, {entry});
  refresh_sums(state);
}

}  // namespace fathom::tui
