// Questions.

#include "screen/questions.h"

#include <utility>

#include "fathom/text/number.h"
#include "screen/plan_pane.h"
#include "screen/words.h"

namespace fathom::tui {

namespace {

std::string counted_plan(const State& state) {
  std::string items = text::counted(state.planned_items, "item", "items");
  if (!state.planned_sums) return items;
  return items + ", " + text::counted(state.planned_sums->entries, "entry", "entries");
}

std::string left_text(const ApplyReport& report, const std::string& plan) {
  if (report.left.empty()) return "";
  return ". " + text::grouped(report.left.size()) +
         (report.left.size() == 1 ? " was not: " : " were not: ") + plan + " shows why";
}

std::string deleted_text(const State& state, const ApplyReport& report, const std::string& plan) {
  if (report.moved == 0 && !report.left.empty()) {
    std::string text = "Nothing was deleted completely";
    if (report.freed->now > 0)
      text += ", but " + bytes_text(state, report.freed->now) + " were freed";
    return text + "; " + plan + " shows why: " + report.left.front().why;
  }
  std::string text = "Deleted " + text::counted(report.moved, "item", "items") +
                     " for good; freed " + bytes_text(state, report.freed->now);
  if (report.freed->later > 0) {
    text += ", and " + bytes_text(state, report.freed->later) + " once programs close these files";
  }
  return text + left_text(report, plan);
}

}  // namespace

std::vector<std::string> quit_question(const State& state) {
  std::vector<std::string> lines = {"Quit?"};
  const double seconds =
      state.progress.running ? state.progress.seconds : state.facts->scan().seconds;
  if (state.progress.running) {
    lines.push_back("The scan has not ended.");
  } else if (!state.settings.saved && seconds > 3) {
    lines.push_back("The scan took " + text::duration(seconds) + ".");
  }
  if (!state.plan.empty()) {
    lines.push_back("The plan has " + text::counted(state.planned_items, "item", "items") +
                    " and is lost; W writes it.");
  }
  if (!state.marks.empty()) {
    lines.push_back(text::counted(state.marks.size(), "mark is", "marks are") + " lost.");
  }
  lines.emplace_back("y  quit     Q  quit, and print the directory");
  lines.emplace_back("any other key: stay");
  return lines;
}

std::vector<std::string> apply_question(const State& state, const std::string& undo) {
  std::string size = counted_plan(state);
  if (state.planned_sums) {
    size += ", " + bytes_text(state, state.planned_sums->exclusive.disk_bytes);
  }
  const std::string safety = "Nothing is deleted, and " + undo + " moves it back. The space is";
  const std::size_t trash = state.trashed_items;
  if (trash == state.planned_items) {
    return {"Move the plan to the trash of the desktop?", size, safety,
            "free once the trash is emptied.", "y move  D delete  any other key: no"};
  }
  std::vector<std::string> lines = {"Move the plan to the quarantine?", size, safety,
                                    "free once `fathom clean --purge` empties the quarantine.",
                                    "y move  D delete  any other key: no"};
  if (trash > 0) {
    lines.insert(lines.begin() + 2, "of it to the trash: " + text::counted(trash, "item", "items"));
  }
  return lines;
}

std::vector<std::string> remove_question(const State& state, const std::string& undo) {
  std::vector<std::string> lines = {"Delete the plan for good?", counted_plan(state)};
  if (!state.planned_sums) {
    lines.emplace_back("What this frees is not known yet.");
  } else {
    const bool more = has_lower_bounds(state, state.plan);
    lines.push_back("This frees " + std::string(more ? at_least(state) : "") +
                    bytes_text(state, state.planned_sums->exclusive.disk_bytes) + '.');
  }
  if (state.trashed_items > 0) lines.emplace_back("Nothing goes to the trash.");
  lines.push_back("This is final: " + undo + " cannot undo it.");
  lines.emplace_back("Type delete, then Enter    Esc: no");
  return lines;
}

std::vector<std::string> undo_question(const State& state) {
  std::string question = "Move back what was applied last?";
  if (state.undoable == Undoable::earlier) question = "Move back what was applied before that?";
  if (state.undoable == Undoable::refused) question = "Try again to move back what stayed?";
  return {std::move(question), state.has_deleted ? "What was deleted is gone for good." : "",
          "y  move back    any other key: no"};
}

std::string applied_text(const State& state, const ApplyReport& report, const std::string& undo,
                         const std::string& plan) {
  if (report.freed) return deleted_text(state, report, plan);
  if (report.moved == 0) {
    if (report.left.empty()) return "Nothing was moved";
    return "Nothing was moved; " + plan + " shows why: " + report.left.front().why;
  }
  std::string text = "Moved " + text::counted(report.moved, "item", "items");
  if (report.left.empty()) {
    const bool mixed = report.trashed > 0 && report.trashed < report.moved;
    if (mixed) text += ", " + text::grouped(report.trashed) + " of them to the trash";
    if (!mixed) text += report.trashed > 0 ? " to the trash" : " to the quarantine";
  }
  text += "; " + undo + (report.moved == 1 ? " moves it back" : " moves them back");
  return text + left_text(report, plan);
}

std::string undone_text(const UndoReport& report, const std::string& undo) {
  if (report.undoable == Undoable::earlier) {
    return report.sentence + "; " + undo + " moves back what was applied before";
  }
  if (report.undoable == Undoable::refused) return report.sentence + "; " + undo + " tries again";
  return report.sentence;
}

std::string written_text(const WriteReport& report, const std::string& file) {
  if (report.items == 0) return "no plan was written: " + report.left.front().why;
  std::string text = "wrote ";
  if (!report.left.empty()) text += text::grouped(report.items) + " of ";
  text += text::counted(report.items + report.left.size(), "item", "items") + " to " + file;
  if (report.left.empty()) return text;
  return text + (report.left.size() == 1 ? "; the other was left out: " : "; left out: ") +
         report.left.front().why;
}

}  // namespace fathom::tui
