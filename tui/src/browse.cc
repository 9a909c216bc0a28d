// browse: the loop between the terminal, the state and the session.

#include "fathom/tui/browse.h"

#include <chrono>
#include <csignal>
#include <memory>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/fs/owner_names.h"
#include "fathom/fs/utf8.h"
#include "fathom/text/label.h"
#include "fathom/text/number.h"
#include "first_state.h"
#include "grid/frame.h"
#include "grid/key_decoder.h"
#include "model/applying.h"
#include "model/click.h"
#include "model/press.h"
#include "model/prompts.h"
#include "model/sums.h"
#include "model/update.h"
#include "os/disk.h"
#include "os/path_file.h"
#include "os/shell.h"
#include "os/terminal.h"
#include "screen/layout.h"
#include "screen/questions.h"
#include "screen/screen.h"
#include "session.h"
#include "write_list.h"

namespace fathom::tui {

namespace {

class Browser {
 public:
  explicit Browser(BrowseOptions options)
      : options_(std::move(options)),
        terminal_(options_.color, options_.mouse),
        state_(first_state(options_)) {
    follow_size();
    fs::ScanOptions scan = options_.scan;
    session_ = std::make_unique<Session>(std::move(scan), fs::system_owner_names(),
                                         options_.find_growth, [this] { terminal_.wake(); });
    if (state_.settings.saved) return;
    state_.progress.running = true;
    if (!options_.scan.roots.empty()) {
      state_.disk_percent = disk_percent(options_.scan.roots.front());
    }
    session_->scan();
  }

  BrowseEnd run() {
    while (!ended_) {
      scan_again();
      begin_searches();
      show();
      ask_for_extras();
      const Terminal::Events events = terminal_.wait(patience());
      if (state_.filter_waits && events.timed_out) {
        finish_filter(state_);
      } else if (state_.sums_wait && events.timed_out) {
        finish_sums(state_);
      } else {
        handle(events);
      }
      for (const Session::Result& result : session_->take_results()) result(state_);
    }
    terminal_.end();
    end_.complete = state_.facts->scan().complete() || state_.settings.saved;
    return std::move(end_);
  }

 private:
  void show() {
    settle_scroll(state_);
    Grid now = draw(state_);
    terminal_.write(frame(shown_, now, terminal_.capabilities()));
    shown_ = std::move(now);
  }

  // Something else was on the screen.
  void show_anew() { shown_ = {}; }

  void follow_size() {
    const Terminal::Size size = terminal_.size();
    take_size(state_, size.width, size.height);
  }

  // Nobody told about another size while other programs had the terminal.
  void return_to_screen() {
    terminal_.take();
    follow_size();
    show_anew();
  }

  void ask_for_extras() {
    session_->want_extras(wants_extras(state_), state_.how.measure);
    const bool asked = asked_facts_ == state_.facts && asked_measure_ == state_.how.measure;
    if (!lacks_extras(state_) || asked) return;
    asked_facts_ = state_.facts;
    asked_measure_ = state_.how.measure;
    session_->make_extras(state_.facts, state_.how.measure);
  }

  void begin_searches() {
    const auto search = wanted_search(state_);
    if (!search) return;
    begin_search(state_, *search);
    session_->search(*search, state_.facts, state_.how.measure);
  }

  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const {
    if (state_.filter_waits || state_.sums_wait) return std::chrono::milliseconds(0);
    if (!decoder_.waits()) return std::nullopt;
    return kEscapeWait;
  }

  void handle(const Terminal::Events& events) {
    if (events.ended_by != 0) {
      end_.signal = events.ended_by;
      ended_ = true;
      return;
    }
    if (events.suspend) suspend();
    if (events.continued) show_anew();
    if (events.resized) follow_size();
    // Nothing came for a while, so an escape is a key by itself.
    for (const Key& key : events.timed_out ? decoder_.flush() : decoder_.feed(events.bytes)) {
      if (ended_) return;
      if (key.kind == Key::Kind::paste_begin || key.kind == Key::Kind::paste_end) {
        pasting_ = key.kind == Key::Kind::paste_begin;
        if (asks_to_act() && !pasting_) return forget_keys();
      } else if (pasting_ && asks_to_act()) {
        continue;  // pasted text answers no question
      } else if (key == Key{Key::Kind::control, "z"}) {
        suspend();
      } else if (key == Key{Key::Kind::control, "l"}) {
        show_anew();
      } else if (key.kind == Key::Kind::click) {
        click(state_, target_at(state_, key.x, key.y));
      } else {
        carry_out(press(state_, key));
        // Of pasted text the end must be seen.
        if (asks_to_act() && !pasting_) return forget_keys();
      }
    }
  }

  [[nodiscard]] bool asks_to_act() const {
    return state_.layer == Layer::apply || state_.layer == Layer::remove ||
           state_.layer == Layer::undo;
  }

  // Keys that came before a question is shown do not answer it. The word that deletes has several
  // keys, and each of them must come after the one before is shown, as those that a person types.
  void forget_keys() {
    decoder_ = {};
    terminal_.forget_keys();
  }

  void suspend() {
    terminal_.suspend();
    return_to_screen();
  }

  void carry_out(const Effect& effect) {
    switch (effect.kind) {
      case Effect::Kind::none:
        break;
      case Effect::Kind::quit:
        ended_ = true;
        break;
      case Effect::Kind::quit_here:
        ended_ = true;
        end_.directory = effect.text;
        break;
      case Effect::Kind::copy:
        copy(effect.text);
        break;
      case Effect::Kind::shell:
        shell(effect.text);
        break;
      case Effect::Kind::rescan:
        rescan(effect.text);
        break;
      case Effect::Kind::write:
        state_.message = write_list(state_, effect.text);
        break;
      case Effect::Kind::write_plan:
        write_plan(effect.text);
        break;
      case Effect::Kind::apply:
        apply(chosen_in(state_, state_.plan));
        break;
      case Effect::Kind::remove:
        apply(chosen_to_delete(state_));
        break;
      case Effect::Kind::undo:
        undo();
        break;
      case Effect::Kind::cancel:
        session_->cancel();
        break;
      case Effect::Kind::cancel_search:
        if (const auto search = search_of(state_.view)) session_->cancel_search(*search);
        break;
      case Effect::Kind::cancel_searches:
        session_->cancel_searches();
        break;
    }
  }

  // OSC 52, which works through ssh as well. Nobody says whether the terminal did it.
  void copy(const std::string& path) {
    terminal_.write("\x1b]52;c;" + fs::to_base64(path) + "\x07");
    state_.message = "sent the path to the clipboard, if the terminal allows it";
  }

  void shell(const std::string& directory) {
    terminal_.release();
    terminal_.heed_keys(false);
    const unsigned level = browser_level() + 1;
    terminal_.write("\nfathom browse, level " + std::to_string(level) + ": `exit` returns to it\n");
    state_.message = run_shell(directory);
    terminal_.heed_keys(true);
    return_to_screen();
  }

  void rescan(const std::string& path) {
    if (!options_.can_rescan) {
      state_.message = "with options that select entries, start again to scan again";
      return;
    }
    state_.progress = {.running = true};
    session_->rescan(state_.facts, state_.place, path);
  }

  // Carries it out with the terminal as it was found.
  template <class Act>
  auto outside(const Act& act) {
    terminal_.release();
    auto done = act();
    return_to_screen();
    return done;
  }

  void apply(const std::vector<act::Chosen>& chosen) {
    const ApplyReport done = outside([&] { return options_.apply(chosen); });
    state_.message = applied_text(state_, done, "U", "P");
    take_applied(state_, done);
  }

  void write_plan(const std::string& file) {
    const std::vector<act::Chosen> chosen = chosen_in(state_, basket_to_write(state_));
    const WriteReport done = outside([&] { return options_.write_plan(chosen, file); });
    state_.message = written_text(done, whole_path(file));
    take_written(state_, done);
  }

  void undo() {
    const UndoReport done = outside(options_.undo);
    take_undone(state_, done);
    state_.message = undone_text(done, "U");
  }

  // Shows what was moved, once no scan runs.
  void scan_again() {
    const fs::DirId directory = take_outdated(state_);
    if (directory == fs::kNoDir || !options_.can_rescan) return;
    state_.progress = {.running = true};
    session_->rescan(state_.facts, directory, state_.facts->path(directory));
  }

  BrowseOptions options_;
  Terminal terminal_;
  State state_;
  KeyDecoder decoder_;
  bool pasting_ = false;  // keys are pasted text
  Grid shown_;
  std::shared_ptr<const Facts> asked_facts_;  // for which extras were asked for
  fs::Measure asked_measure_ = fs::Measure::disk;
  BrowseEnd end_;
  bool ended_ = false;
  std::unique_ptr<Session> session_;  // last: it wakes the terminal
};

}  // namespace

BrowseEnd browse(BrowseOptions options) {
  return Browser(std::move(options)).run();
}

}  // namespace fathom::tui
