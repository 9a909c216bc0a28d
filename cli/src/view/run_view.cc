// RunView: as text and as JSON.

#include "view/run_view.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "fathom/act/run_json.h"
#include "run/open_files.h"
#include "term/label.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kOutcomeColumns = 18;

struct ActionText {
  std::string_view verb;
  std::string_view done;
};

ActionText text_of(act::Action action) {
  switch (action) {
    case act::Action::remove:
      return {"delete", "deleted"};
    case act::Action::quarantine:
      return {"quarantine", "quarantined"};
    case act::Action::trash:
      return {"trash", "trashed"};
  }
  return {};
}

class RunText : public RunView {
 public:
  RunText(Output& output, RunStyle style) : output_(output), style_(std::move(style)) {}

  void item(const act::ItemResult& item) override {
    std::string word(to_string(item.outcome));
    std::string note = item.why;
    const ActionText action = text_of(item.item->action);
    const bool is_done = item.outcome == act::Outcome::done;
    if (is_done || item.outcome == act::Outcome::would_be_done) {
      word = is_done ? std::string(action.done) : "would " + std::string(action.verb);
      const std::uint64_t bytes = item.item->action == act::Action::remove ? item.freed : item.held;
      if (note.empty()) note = about(bytes, item.open);
      if (!item.moved_to.empty()) moved_ = true;
    }
    line(word, item.path, note);
  }

  void undone(const act::UndoneItem& item) override {
    std::string word(to_string(item.outcome));
    if (item.outcome == act::Outcome::done) word = "moved back";
    if (item.outcome == act::Outcome::would_be_done) word = "would move back";
    line(word, item.path, item.why);
  }

  void sum(const act::Plan& plan, const act::PlanApplied& applied) override {
    if (!begun_ && !applied.cancelled) {
      output_.write("Nothing to do.\n");
      return;
    }
    std::string text = style_.executes ? "" : "Dry run: ";
    text += counted(applied.done, "item", "items") + (style_.executes ? " done" : " can be done");
    text += others(applied);
    if (applied.freed > 0 || applied.held == 0) {
      text += style_.executes ? "; freed " : "; this frees ";
      text += applied.freed > 0 ? size(applied.freed) : "nothing";
      const bool is_whole = plan.totals && !plan.shortened && applied.done_before == 0;
      const std::uint64_t freed_later = applied.freed + bytes_of(applied.open);
      if (style_.executes && is_whole && size(plan.totals->freed) != size(freed_later)) {
        text += " (the plan promised " + size(plan.totals->freed) + ")";
      }
    }
    if (applied.held > 0) {
      text += "; emptying the quarantine or trash then frees " + size(applied.held);
    }
    output_.write(text + ".\n");
    for (const std::string& sentence : about_open(applied.open, style_.units)) {
      output_.write(sentence + ".\n");
    }
    for (const act::FreeSpace& space : applied.space) tell(space);
    if (!style_.executes && applied.done > 0) output_.write("Add --execute to do it.\n");
    if (style_.executes && moved_) {
      output_.write("To move things back: fathom undo " + shell_word(style_.journal) +
                    " --execute\n");
    }
  }

  void sum(const act::RunUndone& undone) override {
    if (begun_ || undone.cancelled) {
      std::string text = style_.executes ? "" : "Dry run: ";
      text += counted(undone.done, "item", "items");
      text += style_.executes ? " moved back" : " can be moved back";
      output_.write(text + others(undone) + ".\n");
    } else {
      output_.write("Nothing to move back.\n");
    }
    if (undone.removed_for_good > 0) {
      output_.write(counted(undone.removed_for_good, "item was", "items were") +
                    " deleted, which cannot be undone.\n");
    }
    if (!style_.executes && undone.done > 0) output_.write("Add --execute to do it.\n");
  }

 private:
  [[nodiscard]] std::string about(std::uint64_t bytes, std::uint64_t open) const {
    if (bytes == 0 && open == 0) return "frees nothing: it has other names, or takes no space";
    std::string text = bytes > 0 ? size(bytes) : "";
    if (bytes > 0 && open > 0) text += ", and ";
    if (open > 0) text += size(open) + " when open files are closed";
    return text;
  }

  // What df shows, which may differ because of open files, snapshots and other programs.
  void tell(const act::FreeSpace& space) {
    const bool grew = space.after >= space.before;
    const std::uint64_t change = grew ? space.after - space.before : space.before - space.after;
    output_.write("The filesystem of " + escaped(space.root, style_.unicode) + " has " +
                  size(space.after) + " free, " + size(change) +
                  (grew ? " more than before.\n" : " less than before.\n"));
  }

  void line(std::string_view word, std::string_view path, std::string_view note) {
    begun_ = true;
    std::string text(word);
    text.append(kOutcomeColumns - std::min(kOutcomeColumns - 1, text.size()), ' ');
    text += escaped(path, style_.unicode);
    if (!note.empty()) text += ": " + text::safe(note, style_.unicode);
    output_.write(text + '\n');
  }

  static std::string others(const act::Applied& applied) {
    std::string text;
    const auto append = [&](std::uint64_t count, std::string_view what) {
      if (count > 0) text += ", " + grouped(count) + ' ' + std::string(what);
    };
    append(applied.done_before, "done before");
    append(applied.refused, "refused");
    append(applied.failed, "failed");
    if (applied.cancelled) text += ", interrupted";
    return text;
  }

  [[nodiscard]] std::string size(std::uint64_t bytes) const {
    return base::format_bytes(bytes, style_.units);
  }

  Output& output_;
  const RunStyle style_;
  bool moved_ = false;
};

class RunJson : public RunView {
 public:
  RunJson(Output& output, bool dry_run) : sink_(output.sink()), json_(sink_, dry_run) {}

  void item(const act::ItemResult& item) override {
    begun_ = true;
    json_.item(item);
  }
  void undone(const act::UndoneItem& item) override {
    begun_ = true;
    json_.undone(item);
  }
  void sum(const act::Plan&, const act::PlanApplied& applied) override {
    begun_ = true;
    json_.finish(applied);
  }
  void sum(const act::RunUndone& undone) override {
    begun_ = true;
    json_.finish(undone);
  }

 private:
  const fs::Sink sink_;
  act::RunJson json_;
};

}  // namespace

std::unique_ptr<RunView> run_text(Output& output, RunStyle style) {
  return std::make_unique<RunText>(output, std::move(style));
}

std::unique_ptr<RunView> run_json(Output& output, const RunStyle& style) {
  return std::make_unique<RunJson>(output, !style.executes);
}

}  // namespace fathom::cli
