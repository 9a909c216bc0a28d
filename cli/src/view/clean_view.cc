// CleanView.

#include "view/clean_view.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/act/clean_report.h"
#include "fathom/base/bytes.h"
#include "fathom/base/saturating.h"
#include "term/label.h"
#include "term/number.h"
#include "term/wrapped.h"
#include "view/one_table.h"
#include "view/scan_messages.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kItemsShown = 10;

// The largest items first.
act::Choice by_size(const act::Choice& choice) {
  act::Choice sorted = choice;
  std::stable_sort(sorted.items.begin(), sorted.items.end(),
                   [](const act::Candidate* a, const act::Candidate* b) {
                     return a->disk_bytes > b->disk_bytes;
                   });
  return sorted;
}

class CleanView {
 public:
  CleanView(const fs::Scan& scan, const act::Candidates& found, const act::Choice& wanted,
            const act::Choice& choice, std::uint64_t need, bool hints, const View& view,
            fs::Blocks& text)
      : scan_(scan),
        found_(found),
        wanted_(wanted),
        choice_(choice),
        need_(need),
        hints_(hints),
        view_(view),
        text_(text) {}

  void write() {
    if (!choice_.items.empty()) {
      const std::vector<act::RuleSum> sums = act::sums_by_rule(choice_);
      View all = view_;
      all.top = sums.size();
      write_one_table(act::rule_sums_table(sums), all, "json", text_);
      text_.put('\n');
      write_items();
    }
    for (const std::string& note : notes()) write_note(note);
  }

 private:
  void write_items() {
    const act::Choice sorted = by_size(choice_);
    View view = view_;
    if (view.top == 0) view.top = kItemsShown;
    write_one_table(act::items_table(sorted), view, "json", text_);
    text_.put('\n');
  }

  void write_note(std::string_view note) {
    const bool fits = view_.terminal.person && !view_.plain;
    text_.put(wrapped(text::safe(note, view_.terminal.unicode), 0,
                      fits ? view_.terminal.width : Wrapped::kEndless));
    text_.put('\n');
  }

  [[nodiscard]] std::string bytes(std::uint64_t amount) const {
    return base::format_bytes(amount, view_.units);
  }

  // What removing the items of a class frees, and how many there are; without what only its tool
  // removes.
  struct ClassSum {
    std::uint64_t items = 0;
    std::uint64_t frees = 0;
  };
  [[nodiscard]] static ClassSum sum_of(const act::Choice& choice, act::RuleClass cls) {
    ClassSum sum;
    for (const act::Candidate* const one : choice.items) {
      if (one->cls != cls) continue;
      ++sum.items;
      sum.frees = base::saturating_add(sum.frees, one->frees);
    }
    return sum;
  }

  [[nodiscard]] std::string result_note() const {
    if (choice_.items.empty()) {
      const std::uint64_t checked = wanted_.items.size();
      return checked == 0 ? "Nothing to clean up was found." : "Nothing is listed.";
    }
    std::string note;
    for (const auto cls : {act::RuleClass::safe, act::RuleClass::probably, act::RuleClass::yours}) {
      const ClassSum sum = sum_of(choice_, cls);
      if (sum.items == 0) continue;
      note += (note.empty() ? "" : ", ") + std::string(to_string(cls)) + ": " +
              counted(sum.items, "item", "items") + ", frees " + bytes(sum.frees);
    }
    return note.empty() ? "Only the tools that own these items remove them." : note + '.';
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> notes = {result_note()};
    if (need_ != 0 && !choice_.enough) {
      notes.push_back("That is less than the " + bytes(need_) + " of --need.");
    }
    const ClassSum yours = sum_of(wanted_, act::RuleClass::yours);
    const ClassSum shown = sum_of(choice_, act::RuleClass::yours);
    if (need_ == 0 && shown.items == 0 && yours.items != 0) {
      notes.push_back("Not listed, because " + std::string(yours.items == 1 ? "it" : "they") +
                      " may be somebody's work: " + counted(yours.items, "item", "items") + ", " +
                      bytes(yours.frees) + "; --class yours lists " +
                      (yours.items == 1 ? "it." : "them."));
    }
    if (!found_.skipped.empty()) {
      notes.push_back("Skipped " + counted(found_.skipped.size(), "item", "items") +
                      " that a process has open or that must never be touched; --format json "
                      "lists them, --why explains one.");
    }
    if (found_.unseen_processes != 0) {
      notes.push_back("The open files of " +
                      counted(found_.unseen_processes, "process", "processes") +
                      " of other users could not be checked.");
    }
    for (const std::string& command : commands()) notes.push_back(command);
    for (std::string& sentence : excluded_notes(scan_)) notes.push_back(std::move(sentence));
    if (hints_ && !choice_.items.empty()) {
      notes.emplace_back("--plan FILE writes a plan that removes them; --why PATH explains one.");
    }
    return notes;
  }

  // "apt: apt-get clean", for each rule whose items are left to a tool.
  [[nodiscard]] std::vector<std::string> commands() const {
    std::vector<std::string> lines;
    for (const act::RuleSum& sum : act::sums_by_rule(choice_)) {
      if (sum.rule->command.empty()) continue;
      lines.push_back("To clean " + sum.rule->title + ": " + escaped(sum.rule->command));
    }
    return lines;
  }

  const fs::Scan& scan_;
  const act::Candidates& found_;
  const act::Choice& wanted_;
  const act::Choice& choice_;
  const std::uint64_t need_;
  const bool hints_;
  const View& view_;
  fs::Blocks& text_;
};

// ---- Explanations

class ExplanationView {
 public:
  ExplanationView(const act::Explanation& explanation, const View& view, fs::Blocks& text)
      : explanation_(explanation), view_(view), text_(text) {}

  void write() {
    const std::string path = escaped(explanation_.path, view_.terminal.unicode);
    if (!explanation_.part_of.empty()) {
      line(path + " is part of " + escaped(explanation_.part_of, view_.terminal.unicode) +
           ", which is listed");
      return;
    }
    if (explanation_.verdicts.empty()) {
      line("No rule applies to " + path + '.');
      return;
    }
    for (const act::RuleVerdict& verdict : explanation_.verdicts) {
      line(path + ": " + result_of(verdict) + ", by the rule " + verdict.rule->id + " (" +
           verdict.rule->title + ')');
      write_conditions(verdict);
    }
  }

 private:
  static std::string result_of(const act::RuleVerdict& verdict) {
    if (!verdict.chosen) return "not listed";
    if (!verdict.skipped.empty()) return "skipped";
    return std::string(to_string(verdict.cls));
  }

  void write_conditions(const act::RuleVerdict& verdict) {
    for (const act::CheckedCondition& one : verdict.conditions) {
      line((one.held ? "  yes  " : "  no   ") + escaped(one.sentence, view_.terminal.unicode));
    }
    for (const std::string& demotion : verdict.demotions) {
      line("  less safe than " + std::string(to_string(verdict.rule->cls)) + ": " +
           escaped(demotion, view_.terminal.unicode));
    }
    if (!verdict.skipped.empty()) {
      line("  skipped: it " + escaped(verdict.skipped, view_.terminal.unicode));
    }
    if (!verdict.chosen) return;
    if (!verdict.rule->rebuild.empty()) line("  made again by: " + verdict.rule->rebuild);
    if (!verdict.rule->command.empty()) line("  removed by: " + verdict.rule->command);
  }

  // Titles and commands of rules may contain anything.
  void line(std::string_view unsafe) {
    const std::string sentence = text::safe(unsafe, view_.terminal.unicode);
    const bool fits = view_.terminal.person && !view_.plain;
    const std::size_t margin = std::min(sentence.find_first_not_of(' '), sentence.size());
    const std::string_view shown = sentence;
    text_.put(shown.substr(0, margin));
    // The marks yes and no have a column of their own.
    const bool marked = sentence.starts_with("  yes  ") || sentence.starts_with("  no   ");
    const std::size_t column = marked ? 7 : margin;
    text_.put(shown.substr(margin, column - margin));
    text_.put(wrapped(shown.substr(column), static_cast<unsigned>(column),
                      fits ? view_.terminal.width : Wrapped::kEndless));
    text_.put('\n');
  }

  const act::Explanation& explanation_;
  const View& view_;
  fs::Blocks& text_;
};

}  // namespace

void write_clean_view(const fs::Scan& scan, const act::Candidates& found, const act::Choice& wanted,
                      const act::Choice& choice, std::uint64_t need, bool hints, const View& view,
                      fs::Blocks& text) {
  CleanView(scan, found, wanted, choice, need, hints, view, text).write();
}

void write_explanation(const act::Explanation& explanation, const View& view, fs::Blocks& text) {
  ExplanationView(explanation, view, text).write();
}

}  // namespace fathom::cli
