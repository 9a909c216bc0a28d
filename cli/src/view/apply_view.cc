// ApplyView: prints the acts of a run as text.

#include "view/apply_view.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "run/action_words.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kWordColumns = 16;

// "hard-linked", "would hard-link".
std::string word_of(act::DupAction action, act::Outcome outcome) {
  if (outcome == act::Outcome::done) return std::string(words_of(action).done);
  if (outcome == act::Outcome::would_be_done) {
    return "would " + std::string(words_of(action).verb);
  }
  if (outcome == act::Outcome::promoted_to_kept) return "kept";
  return std::string(to_string(outcome));
}

}  // namespace

ApplyText::ApplyText(Output& output, base::Units units, bool unicode, bool executes, bool undoes)
    : output_(output), units_(units), unicode_(unicode), executes_(executes), undoes_(undoes) {}

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

void ApplyText::act(const act::DupPlan& plan, const act::Act& act) {
  const bool acted =
      act.outcome == act::Outcome::done || act.outcome == act::Outcome::would_be_done;
  std::string note = act.why;
  if (acted && plan.action != act::DupAction::quarantine) {
    note =
        act.freed > 0
            ? base::format_bytes(act.freed, units_)
            : std::string("frees nothing: it has other names or shared blocks, or takes no space");
  }
  line(word_of(plan.action, act.outcome), act.path, note);
  done_ = words_of(plan.action).done;
  frees_ = true;
}

void ApplyText::undone(const act::Undone& undone) {
  const bool would = undone.outcome == act::Outcome::would_be_done;
  const bool done = undone.outcome == act::Outcome::done;
  const std::string word = would  ? "would move back"
                           : done ? "moved back"
                                  : std::string(to_string(undone.outcome));
  line(word, undone.path, undone.why);
  done_ = "moved back";
}

// ", 97 KiB freed", or for a dry run: ", freeing 97 KiB".
std::string ApplyText::freed_text(const act::Applied& applied) const {
  if (!frees_ || applied.done == 0 || applied.held > 0) return "";
  const std::string size =
      applied.freed > 0 ? base::format_bytes(applied.freed, units_) : std::string("nothing");
  return executes_ ? ", " + size + " freed" : ", freeing " + size;
}

void ApplyText::sum(const act::Applied& applied) {
  if (!begun_ && !applied.cancelled) {
    output_.write(undoes_ ? "Nothing to move back.\n" : "Nothing to do.\n");
    return;
  }
  std::string text = executes_ ? "" : "Dry run: ";
  text += counted(applied.done, "file", "files") + (executes_ ? " " : " would be ");
  text += done_;
  text += freed_text(applied);
  const auto append = [&text](std::uint64_t count, std::string_view what) {
    if (count > 0) text += ", " + grouped(count) + ' ' + std::string(what);
  };
  append(applied.done_before, "already done");
  append(applied.already_shared, "already shared");
  append(applied.promoted_to_kept, "also kept");
  append(applied.refused, "refused");
  append(applied.failed, "failed");
  if (applied.cancelled) text += ", interrupted";
  if (applied.held > 0) {
    text += ". Deleting the quarantine frees " + base::format_bytes(applied.held, units_);
    if (executes_) text += '.';
  }
  if (!executes_ && applied.done > 0) text += ". Add --execute to do it.";
  output_.write(text + '\n');
}

}  // namespace fathom::cli
