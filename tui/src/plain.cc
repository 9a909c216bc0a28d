// browse_plain: commands as a table of functions that do what keys do.

#include "fathom/tui/plain.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "fathom/fs/owner_names.h"
#include "fathom/text/label.h"
#include "fathom/text/number.h"
#include "first_state.h"
#include "model/applying.h"
#include "model/marking.h"
#include "model/opening.h"
#include "model/place.h"
#include "model/plan_keys.h"
#include "model/press.h"
#include "model/prompts.h"
#include "model/sums.h"
#include "model/update.h"
#include "os/path_file.h"
#include "screen/info_panel.h"
#include "screen/questions.h"
#include "screen/row_text.h"
#include "session.h"
#include "write_list.h"

namespace fathom::tui {

namespace {

constexpr std::size_t kPage = 20;

constexpr std::string_view kPlainHelp =
    "ls            the first rows of the list; ls 21: those from 21 on; more: the next ones\n"
    "cd 3          open row 3; up: the directory above; view NAME: tree, largest, types, ages,\n"
    "              owners, clean, grew or dups; the view that is shown: clean, grew and dups\n"
    "              search again\n"
    "info 3        everything about row 3\n"
    "find TEXT     names with this text, in the whole tree\n"
    "filter TEXT   rows of this list with this text; filter: all rows\n"
    "where EXPR    rows that a condition selects: size > 1G and age > 90d; where: all rows\n"
    "mark 3 5-9    mark these rows, or take their marks back; mark: what is marked\n"
    "mark safe     what the rules of fathom clean call safe, here and below; mark none: no marks\n"
    "plan 3 5-9    put these rows into the plan, or take them out; plan marks: what is marked;\n"
    "              plan: what is in it\n"
    "trash 3 5-9   the same, for the trash of the desktop instead of the quarantine; trash marks\n"
    "drop 2        take item 2 of the plan out\n"
    "write FILE    write the plan, or else the marks, to a new file: NAME.plan for fathom apply;\n"
    "              another file contains the paths, each with a NUL after it\n"
    "apply         move what is in the plan to the quarantine or the trash, after a question\n"
    "delete        delete what is in the plan for good, after a question that the word delete\n"
    "              answers; undo cannot undo it\n"
    "undo          move back what was applied last, after a question; again: what was applied\n"
    "              before that\n"
    "quit          the end; asks if something is marked or in the plan\n";

// Nothing if the text is something else.
std::optional<std::size_t> number_of(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

// Nothing rings when a signal comes.
constexpr std::chrono::milliseconds kLookForSignals{100};

// Waits for the session, which wakes it, but never long.
class Bell {
 public:
  void ring() {
    {
      const std::lock_guard lock(mutex_);
      rung_ = true;
    }
    changed_.notify_all();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kLookForSignals, [&] { return rung_; });
    rung_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool rung_ = false;
};

class PlainBrowser {
 public:
  PlainBrowser(BrowseOptions options, const PlainStreams& streams)
      : options_(std::move(options)), streams_(streams), state_(first_state(options_)) {
    state_.settings.plain = true;
    take_size(state_, kMostWidth, kPage + kFrameRows);
    fs::ScanOptions scan = options_.scan;
    session_ = std::make_unique<Session>(std::move(scan), fs::system_owner_names(),
                                         options_.find_growth, [this] { bell_.ring(); });
    if (state_.settings.saved) return;
    state_.progress.running = true;
    session_->scan();
  }

  BrowseEnd run() {
    if (state_.progress.running) say("scanning");
    wait();
    list(0);
    say("help lists the commands");
    while (!ended_ && streams_.signal() == 0) {
      streams_.write("> ");
      const auto line = streams_.read_line();
      if (!line) break;
      carry_out(*line);
    }
    BrowseEnd end;
    end.signal = streams_.signal();
    if (end.signal != 0) say("");  // after the prompt
    end.complete = state_.facts->scan().complete() || state_.settings.saved;
    return end;
  }

 private:
  void say(const std::string& text) { streams_.write(text + '\n'); }

  void tell() {
    if (!state_.message.empty()) {
      say(text::safe(std::exchange(state_.message, ""), state_.settings.unicode));
    }
  }

  // ---- Waiting

  void begin_searches() {
    const auto search = wanted_search(state_);
    if (!search) return;
    say("searching");
    begin_search(state_, *search);
    session_->search(*search, state_.facts, state_.how.measure);
  }

  // Shows what was moved.
  void scan_again() {
    const fs::DirId directory = take_outdated(state_);
    if (directory == fs::kNoDir || !options_.can_rescan) return;
    state_.progress = {.running = true};
    session_->rescan(state_.facts, directory, state_.facts->path(directory));
  }

  // Asks for extras once; if they cannot be made, a message says so.
  [[nodiscard]] bool waits_for_extras() {
    if (!lacks_extras(state_)) return false;
    if (asked_facts_ == state_.facts && asked_measure_ == state_.how.measure) return true;
    asked_facts_ = state_.facts;
    asked_measure_ = state_.how.measure;
    session_->make_extras(state_.facts, state_.how.measure);
    return true;
  }

  // Until everything is there that the state shows. A signal ends scans and searches early.
  void wait() {
    bool ended_early = false;
    while (true) {
      scan_again();
      begin_searches();
      const bool searching = std::any_of(state_.searches.begin(), state_.searches.end(),
                                         [](const FindingList& one) { return one.running; });
      if (!waits_for_extras() && !searching && !state_.progress.running) break;
      bell_.wait();
      if (streams_.signal() != 0 && (searching || state_.progress.running)) {
        session_->cancel();
        session_->cancel_searches();
        ended_early = true;
      }
      for (const Session::Result& result : session_->take_results()) result(state_);
    }
    if (ended_early) streams_.forget_signal();
    if (state_.sums_wait) finish_sums(state_);
    tell();
  }

  // ---- Commands

  void carry_out(const std::string& line) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string word = line.substr(begin, end - begin);
    const std::size_t rest = std::min(line.find_first_not_of(' ', end), line.size());
    const std::string argument = line.substr(rest);
    using Command = void (PlainBrowser::*)(const std::string& argument);
    static constexpr std::pair<std::string_view, Command> kCommands[] = {
        {"ls", &PlainBrowser::ls},       {"more", &PlainBrowser::more},
        {"cd", &PlainBrowser::cd},       {"up", &PlainBrowser::up},
        {"info", &PlainBrowser::info},   {"find", &PlainBrowser::find},
        {"where", &PlainBrowser::where}, {"filter", &PlainBrowser::filter},
        {"view", &PlainBrowser::view},   {"mark", &PlainBrowser::mark},
        {"plan", &PlainBrowser::plan},   {"trash", &PlainBrowser::trash},
        {"drop", &PlainBrowser::drop},   {"write", &PlainBrowser::write},
        {"apply", &PlainBrowser::apply}, {"delete", &PlainBrowser::remove},
        {"undo", &PlainBrowser::undo},   {"help", &PlainBrowser::help},
        {"quit", &PlainBrowser::quit},
    };
    if (word.empty()) return;
    if (word != "plan" && word != "trash") state_.told_last_copies.clear();
    for (const auto& [name, command] : kCommands) {
      if (name == word) return (this->*command)(argument);
    }
    say("there is no command " + text::escaped(word, state_.settings.unicode) +
        "; help lists them");
  }

  // The row that the text names, from 0. Says so if there is none.
  [[nodiscard]] std::optional<std::size_t> row_of(const std::string& text) {
    const auto number = number_of(text);
    if (number && *number > 0 && *number <= list_size(state_)) return *number - 1;
    say(list_size(state_) == 0
            ? "the list is empty"
            : "name a row by its number, from 1 to " + text::grouped(list_size(state_)));
    return std::nullopt;
  }

  // Those of "3 5-9". Says so if one of them is not there; then, there are none.
  [[nodiscard]] std::vector<std::size_t> rows_of(const std::string& text) {
    std::vector<std::size_t> rows;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      const std::size_t dash = word.find('-');
      const auto first = row_of(word.substr(0, dash));
      const auto last = dash == std::string::npos || !first ? first : row_of(word.substr(dash + 1));
      if (!first || !last) return {};
      if (*last < *first) {
        say("the range " + word + " ends before it begins");
        return {};
      }
      for (std::size_t row = *first; row <= *last; ++row) rows.push_back(row);
    }
    return rows;
  }

  [[nodiscard]] bool select(const std::string& text) {
    const auto row = row_of(text);
    if (!row) return false;
    move_to(state_, *row);
    settle(state_);
    return true;
  }

  void list(std::size_t first) {
    const std::size_t size = list_size(state_);
    say(place_text(state_));
    const std::size_t last = std::min(size, first + kPage);
    if (lists_entries(state_.view)) state_.listing.show(first, last);
    for (std::size_t i = first; i < last; ++i) {
      say(text::right(std::to_string(i + 1), 5) + "  " + row_text(state_, i));
    }
    if (size == 0) say("nothing is here" + why_empty());
    if (last < size) {
      say("more: " + text::counted(size - last, "more row", "more rows"));
    }
    next_ = last;
  }

  [[nodiscard]] std::string why_empty() const {
    const FindingList* const list = findings_on_screen(state_);
    if (state_.view == View::tree && state_.place != fs::kNoDir) {
      const std::string error = state_.facts->error_of(state_.facts->tree().node(state_.place));
      if (!error.empty()) return ": it cannot be read: " + error;
    }
    if (list == nullptr || list->why.empty()) return "";
    return ": " + text::safe(list->why, state_.settings.unicode);
  }

  void ls(const std::string& argument) {
    if (argument.empty()) return list(0);
    if (select(argument)) list(state_.cursor().at);
  }

  void more(const std::string&) { list(next_ < list_size(state_) ? next_ : 0); }

  void cd(const std::string& argument) {
    if (argument == "..") return up("");
    if (!select(argument)) return;
    open_row(state_);
    if (std::exchange(state_.layer, Layer::none) == Layer::info) {
      return say("this is not a directory; info tells more about it");
    }
    arrive();
  }

  void up(const std::string&) {
    go_up(state_);
    arrive();
  }

  void arrive() {
    settle(state_);
    tell();
    wait();
    list(0);
  }

  void info(const std::string& argument) {
    if (!select(argument)) return;
    state_.layer = Layer::info;
    wait();
    state_.layer = Layer::none;
    for (const auto& [title, text] : info_lines(state_)) {
      say(title.empty() ? text : std::string(title) + ": " + text);
    }
  }

  void find(const std::string& argument) {
    if (argument.empty()) return say("find TEXT: name a part of a name, or a pattern");
    open_found(state_, std::make_shared<const Found>(find_all(
                           *state_.facts,
                           {.kind = Query::Kind::name, .text = argument, .words = argument})));
    arrive();
  }

  void where(const std::string& argument) {
    if (!lists_entries(state_.view)) return say("conditions select from lists of entries");
    try {
      choose_by(state_, argument);
      arrive();
    } catch (const fs::WhereError& error) {
      say(error.what());
    }
  }

  void view(const std::string& argument) {
    constexpr std::string_view kNames[] = {"tree",   "largest", "types", "ages",
                                           "owners", "clean",   "grew",  "dups"};
    const auto* const name = std::find(std::begin(kNames), std::end(kNames), argument);
    if (name == std::end(kNames)) {
      return say("view NAME: tree, largest, types, ages, owners, clean, grew or dups");
    }
    const auto wanted = static_cast<View>(name - std::begin(kNames));
    const auto search = search_of(wanted);
    if (search && wanted == state_.view) state_.search(*search).clear();
    open_view(state_, wanted);
    arrive();
  }

  void filter(const std::string& argument) {
    narrow(state_, argument);
    arrive();
  }

  // ---- Marks and the plan

  void mark(const std::string& argument) {
    if (argument == "safe") {
      mark_safe(state_);
    } else if (argument == "none") {
      clear_marks(state_);
    } else if (!argument.empty()) {
      const std::vector<std::size_t> rows = rows_of(argument);
      if (rows.empty()) return;
      mark_rows_or_not(state_, rows);
    }
    tell();
    wait();
    if (argument.empty()) {
      for (const fs::Chosen& entry : state_.marks.entries()) say(entry_text(state_, entry));
    }
    say(marks_text(state_));
  }

  void plan(const std::string& argument) {
    if (!argument.empty()) return plan_for(argument, MoveTo::quarantine);
    wait();
    std::size_t number = 0;
    for (const fs::Chosen& entry : state_.plan.entries()) {
      say(text::right(std::to_string(++number), 5) + "  " + entry_text(state_, entry) +
          why_left(entry.node));
    }
    say(plan_text(state_));
  }

  void trash(const std::string& argument) {
    if (argument.empty()) return say("trash 3, or trash marks: name rows, or what is marked");
    plan_for(argument, MoveTo::trash);
  }

  void plan_for(const std::string& argument, MoveTo to) {
    if (argument == "marks") {
      plan_marks_or_not(state_, to);
    } else {
      const std::vector<std::size_t> rows = rows_of(argument);
      if (rows.empty()) return;
      plan_rows_or_not(state_, rows, to);
    }
    tell();
    wait();
    say(plan_text(state_));
  }

  void drop(const std::string& argument) {
    const auto number = number_of(argument);
    if (!number || *number == 0 || *number > state_.plan.size()) {
      return say(state_.plan.empty() ? "the plan is empty"
                                     : "name an item of the plan by its number, from 1 to " +
                                           text::grouped(state_.plan.size()));
    }
    state_.plan_cursor.at = *number - 1;
    take_out(state_);
    wait();
    say(plan_text(state_));
  }

  void write(const std::string& argument) {
    if (argument.empty()) return say("write FILE: name a new file");
    if (state_.plan.empty() && state_.marks.empty()) {
      return say("nothing is marked and the plan is empty");
    }
    std::string said;
    if (write_to(state_, argument).kind == Effect::Kind::write_plan) {
      const WriteReport done =
          options_.write_plan(chosen_in(state_, basket_to_write(state_)), argument);
      said = written_text(done, whole_path(argument));
      take_written(state_, done);
    } else {
      said = write_list(state_, argument);
    }
    say(text::safe(said, state_.settings.unicode));
  }

  [[nodiscard]] std::string why_left(fs::NodeId node) const {
    const auto why = state_.why_left.find(node);
    if (why == state_.why_left.end()) return "";
    return "; left out: " + text::safe(why->second, state_.settings.unicode);
  }

  [[nodiscard]] bool agrees(std::string_view word = "yes") {
    streams_.write("type " + std::string(word) + " to do it: ");
    const auto answer = streams_.read_line();
    if (answer && *answer == word) return true;
    say("nothing was done");
    return false;
  }

  // All but the keys, and what is empty.
  void ask(const std::vector<std::string>& question) {
    for (std::size_t i = 0; i + 1 < question.size(); ++i) {
      if (!question[i].empty()) say(question[i]);
    }
  }

  [[nodiscard]] bool can_apply() {
    if (!state_.settings.can_apply) return say("plans cannot be applied here"), false;
    wait();
    if (state_.plan.empty()) return say("the plan is empty"), false;
    return true;
  }

  void apply(const std::string&) {
    if (!can_apply()) return;
    ask(apply_question(state_, "undo"));
    if (agrees()) carry_out_plan(chosen_in(state_, state_.plan));
  }

  void remove(const std::string& argument) {
    if (!argument.empty()) return say("delete names no rows: it deletes what is in the plan");
    if (!can_apply()) return;
    const std::string_view why_not = why_not_deletable(state_);
    if (!why_not.empty()) return say(std::string(why_not));
    ask(remove_question(state_, "undo"));
    streams_.forget_lines();  // those of before do not answer
    if (agrees(kWordToDelete)) carry_out_plan(chosen_to_delete(state_));
  }

  void carry_out_plan(const std::vector<act::Chosen>& chosen) {
    const ApplyReport done = options_.apply(chosen);
    const std::string said = applied_text(state_, done, "undo", "plan");
    say(text::safe(said, state_.settings.unicode));
    take_applied(state_, done);
    show_changes();
  }

  void undo(const std::string&) {
    if (state_.undoable == Undoable::nothing) return say(std::string(why_not_undoable(state_)));
    ask(undo_question(state_));
    if (!agrees()) return;
    const UndoReport done = options_.undo();
    take_undone(state_, done);
    say(undone_text(done, "undo"));
    show_changes();
  }

  void show_changes() {
    if (state_.outdated.empty() || !options_.can_rescan || streams_.signal() != 0) return;
    wait();
    list(0);
  }

  // ---- Else

  void help(const std::string&) { streams_.write(kPlainHelp); }
  void quit(const std::string&) {
    if (!state_.marks.empty()) {
      say(text::counted(state_.marks.size(), "mark is", "marks are") + " lost");
    }
    if (!state_.plan.empty()) {
      say("the plan has " + text::counted(state_.planned_items, "item", "items") + " and is lost");
    }
    ended_ = (state_.plan.empty() && state_.marks.empty()) || agrees();
  }

  BrowseOptions options_;
  const PlainStreams& streams_;
  State state_;
  Bell bell_;
  std::size_t next_ = 0;                      // the row that `more` begins with
  std::shared_ptr<const Facts> asked_facts_;  // for which extras were asked for
  fs::Measure asked_measure_ = fs::Measure::disk;
  bool ended_ = false;
  std::unique_ptr<Session> session_;  // last: it rings the bell
};

}  // namespace

BrowseEnd browse_plain(BrowseOptions options, const PlainStreams& streams) {
  return PlainBrowser(std::move(options), streams).run();
}

}  // namespace fathom::tui
