// ApplyText: prints the acts of a run as text.

#include "dups/apply_text.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kWordColumns = 16;

std::string_view done_word(fs::DupAction action) {
  static constexpr std::string_view kDone[] = {"hardlinked", "reflinked", "removed", "quarantined"};
  return kDone[static_cast<std::size_t>(action)];
}

// "hardlinked", "would hardlink".
std::string word_of(fs::DupAction action, fs::Outcome outcome) {
  static constexpr std::string_view kWould[] = {"would hardlink", "would reflink", "would remove",
                                                "would move"};
  if (outcome == fs::Outcome::done) return std::string(done_word(action));
  if (outcome == fs::Outcome::would_be_done) {
    return std::string(kWould[static_cast<std::size_t>(action)]);
  }
  if (outcome == fs::Outcome::promoted_to_kept) return "kept";
  return std::string(to_string(outcome));
}

}  // namespace

ApplyText::ApplyText(Output& output, base::Units units, bool unicode)
    : output_(output), units_(units), unicode_(unicode) {}

void ApplyText::line(std::string_view word, std::string_view path, std::string_view note) {
  begun_ = true;
  std::string text(word);
  text.append(kWordColumns - std::min(kWordColumns - 1, text.size()), ' ');
  text += escaped(path, unicode_);
  if (!note.empty()) {
    text += ": ";
    text += escaped(note, unicode_);
  }
  output_.write(text + '\n');
}

void ApplyText::act(const fs::DupPlan& plan, const fs::Act& act) {
  const bool acted = act.outcome == fs::Outcome::done || act.outcome == fs::Outcome::would_be_done;
  std::string note = act.why;
  if (acted && plan.action != fs::DupAction::quarantine) {
    note = act.freed > 0 ? base::format_bytes(act.freed, units_)
                         : std::string("frees nothing: it has other names or shared blocks");
  }
  line(word_of(plan.action, act.outcome), act.path, note);
  done_ = done_word(plan.action);
}

void ApplyText::undone(const fs::Undone& undone) {
  const bool would = undone.outcome == fs::Outcome::would_be_done;
  const bool done = undone.outcome == fs::Outcome::done;
  const std::string word = would  ? "would move back"
                           : done ? "moved back"
                                  : std::string(to_string(undone.outcome));
  line(word, undone.path, undone.why);
  done_ = "moved back";
}

void ApplyText::sum(const fs::Applied& applied, bool executed) {
  std::string text = executed ? "" : "Dry run: ";
  text += counted(applied.done, "file", "files") + (executed ? " " : " would be ");
  text += done_;
  if (applied.freed > 0) text += ", " + base::format_bytes(applied.freed, units_) + " freed";
  const auto append = [&text](std::uint64_t count, std::string_view what) {
    if (count > 0) text += ", " + grouped(count) + ' ' + std::string(what);
  };
  append(applied.done_before, "already done");
  append(applied.already_shared, "already shared");
  append(applied.promoted_to_kept, "also kept");
  append(applied.refused, "refused");
  append(applied.failed, "failed");
  if (applied.cancelled) text += ", interrupted";
  if (!executed) text += ". Add --execute to do it.";
  output_.write(text + '\n');
}

}  // namespace fathom::cli
