// RowText: size, name, and what is special.

#include "screen/row_text.h"

#include <string_view>

#include "fathom/fs/kind_words.h"
#include "fathom/text/label.h"
#include "fathom/text/number.h"
#include "screen/entry_table.h"
#include "screen/finding_table.h"
#include "screen/plan_pane.h"
#include "screen/words.h"

namespace fathom::tui {

namespace {

std::string shown_name(const State& state, std::string_view name) {
  return text::escaped(name, state.settings.unicode);
}

std::string_view sign_words(char sign) {
  switch (sign) {
    case '!':
      return ", could not be read";
    case '.':
      return ", something in it could not be read";
    case 'H':
      return ", has further names";
    case '@':
      return ", a symbolic link";
    case 'e':
      return ", empty";
    default:
      return "";
  }
}

std::string state_words(const State& state, fs::NodeId node) {
  std::string words;
  if (state.marks.has(node)) words += ", marked";
  if (state.trash.count(node) > 0) return words + ", in the plan for the trash";
  if (state.plan.has(node)) words += ", in the plan";
  return words;
}

std::string listed_text(const State& state, const Listing::Row& row) {
  if (row.excluded != nullptr) {
    return shown_name(state, row.excluded->name) + ", excluded from the scan";
  }
  const fs::Tree& tree = state.facts->tree();
  const std::string name =
      state.view == View::tree ? std::string(tree.name(row.node)) : path_below_top(state, row.node);
  std::string text = bytes_text(state, bytes_of(state, row)) + "  " + shown_name(state, name);
  if (!name.ends_with('/')) text += fs::kind_mark(tree, row.node);
  if (row.directory != fs::kNoDir) {
    const std::uint64_t entries = state.facts->totals().below(row.directory).entries();
    text += ", " + text::counted(entries == 0 ? 0 : entries - 1, "entry", "entries");
  }
  text += sign_words(sign_of(state, row));
  if (const act::Candidate* const candidate = ruled(state, row.node)) {
    text += ", " + std::string(act::to_string(candidate->cls)) + ": " + candidate->rule->id;
  }
  return text + state_words(state, row.node);
}

std::string change_text(const State& state, const Change& change, const Finding& item) {
  const std::string_view words = change.kind == Change::Kind::created   ? ", new"
                                 : change.kind == Change::Kind::removed ? ", gone"
                                                                        : "";
  std::string text = text::signed_bytes(change.bytes(), state.settings.units) + "  " +
                     shown_name(state, change.path);
  text += words;
  return item.node == fs::kNoNode ? text : text + state_words(state, item.node);
}

// Which rows are left.
std::string narrowing_text(const State& state) {
  std::string text;
  const std::string& filter = filter_text(state);
  if (!filter.empty()) text += "; rows that match " + shown_name(state, filter);
  const auto& condition = state.listing.condition();
  if (!lists_entries(state.view) || condition == nullptr) return text;
  text += text.empty() ? "; rows for which " : ", and for which ";
  return text + text::safe(condition->text, state.settings.unicode);
}

std::string finding_text(const State& state, const FindingList& list, std::size_t index) {
  const Findings& findings = *list.findings();
  const FindingGroup& group = list.group(index);
  const Finding* const item = list.item(index);
  if (item == nullptr) {
    return bytes_text(state, group.bytes) + "  " + group_text(state, list.shown(), group) +
           (list.is_open(list.row(index).group) ? ", open" : ", closed");
  }
  if (group.kind == FindingGroup::Kind::changes) {
    return change_text(state, findings.changes[item->detail], *item);
  }
  return listed_text(state, {item->node, item->directory, nullptr});
}

}  // namespace

std::string place_text(const State& state) {
  constexpr std::string_view kViewNames[] = {
      "",        "largest files: ", "types: ", "ages: ", "owners: ",
      "clean: ", "grew: ",          "dups: ",  "found: "};
  const fs::DirId place = state.view == View::tree ? state.place : state.facts->top();
  const fs::Counts counts = state.facts->below(place);
  std::string text(kViewNames[static_cast<std::size_t>(state.view)]);
  text += place == fs::kNoDir ? "all roots" : shown_name(state, state.facts->path(place));
  text += ", ";
  if (state.facts->lower_bound(place)) text += "at least ";
  text += bytes_text(state, fs::bytes_of(counts, state.how.measure)) + ", " +
          text::counted(counts.entries(), "entry", "entries");
  return text + narrowing_text(state);
}

std::string row_text(const State& state, std::size_t index) {
  if (const FindingList* const list = findings_on_screen(state)) {
    return finding_text(state, *list, index);
  }
  if (const auto row = row_at(state, index)) return listed_text(state, *row);
  const auto* const report = report_of(state);
  if (report == nullptr || index >= report->size()) return "";
  const ReportRow& row = (*report)[index];
  return bytes_text(state, row.bytes) + "  " + shown_name(state, row.label) + ", " +
         text::counted(row.entries, "entry", "entries");
}

std::string entry_text(const State& state, const fs::Chosen& entry) {
  return listed_text(state, {entry.node, entry.directory, nullptr});
}

std::string plan_text(const State& state) {
  if (state.plan.empty()) return "the plan is empty";
  return "the plan: " + sums_text(state, state.plan, state.planned_items, state.planned_sums);
}

std::string marks_text(const State& state) {
  if (state.marks.empty()) return "nothing is marked";
  return "marked: " + sums_text(state, state.marks, state.marked_items, state.marked_sums);
}

}  // namespace fathom::tui
