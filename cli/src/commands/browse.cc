// `fathom browse`: scans or reads a saved scan, and hands it to the terminal.

#include "commands/browse.h"

#include <unistd.h>

#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/rt/cancel.h"
#include "fathom/tui/browse.h"
#include "fathom/tui/plain.h"
#include "flags/browse_flags.h"
#include "run/browse_acts.h"
#include "run/browse_growth.h"
#include "run/input_lines.h"
#include "run/interrupt.h"
#include "run/nice.h"
#include "run/output.h"
#include "run/path.h"
#include "run/saved_scan.h"
#include "run/scan_session.h"
#include "run/selection.h"
#include "run/system_config.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "term/terminal.h"
#include "view/cell_text.h"

namespace fathom::cli {

namespace {

// The browser lists errors of some paths; if there is nothing at all, it has nothing to show.
void check_any_exists(const std::vector<std::string>& paths) {
  int error = 0;
  for (const std::string& path : paths) {
    error = why_missing(path);
    if (error == 0) return;
  }
  throw UsageError("cannot browse " + escaped(paths.front()) + ": " +
                   std::generic_category().message(error));
}

SavedOrigin take_saved(const BrowseRequest& request, const fs::SelectionAt& selection,
                       tui::BrowseOptions& options) {
  SavedScan saved = read_saved(request, selection);
  options.saved = std::move(saved.scan);
  options.taken = saved.taken;
  options.note = "saved " + cell_text(saved.taken, fs::CellType::time, request.units, true);
  return std::move(saved.origin);
}

void take_paths(const BrowseRequest& request, const fs::SelectionAt& selection,
                tui::BrowseOptions& options) {
  check_any_exists(request.paths);
  for (const std::string& path : request.paths) {
    options.scan.roots.push_back(absolute_path(path));
  }
  options.scan.threads = request.threads;
  options.scan.selection = selection(base::wall_now());
  options.scan.max_operations_per_second = request.max_operations;
  options.scan.read_links = true;
  // Rules are matched against paths from the root of the scan.
  options.can_rescan =
      options.scan.selection.matches_all() && !options.scan.selection.checks_names();
}

// `origin` is that of a saved scan.
tui::BrowseOptions options_of(const BrowseRequest& request, std::optional<SavedOrigin>& origin) {
  tui::BrowseOptions options;
  options.units = request.units;
  options.measure = request.measure;
  options.unicode = locale_is_utf8();
  // The screen is on the terminal wherever standard output leads.
  options.color =
      terminal_of(is_terminal(STDOUT_FILENO) ? STDOUT_FILENO : STDERR_FILENO, request.color).color;
  options.mouse = request.mouse;
  options.read_only = request.read_only || system_config().read_only;
  const fs::SelectionAt selection = selection_of(request, request.measure);
  if (request.from) {
    origin = take_saved(request, selection, options);
  } else {
    take_paths(request, selection, options);
  }
  return options;
}

tui::BrowseEnd browse_in_lines(tui::BrowseOptions options, Interrupt& interrupt) {
  InputLines lines(interrupt);
  tui::PlainStreams streams;
  streams.read_line = [&lines] { return lines.next(); };
  streams.write = [&interrupt](std::string_view text) { print(text, interrupt); };
  streams.forget_lines = [&lines] { lines.forget_typed(); };
  streams.signal = [&interrupt] { return interrupt.signal(); };
  // Commands of a script are not for a part of what they expect.
  streams.forget_signal = [&interrupt] {
    if (is_terminal(STDIN_FILENO)) interrupt.forget_sigint();
  };
  interrupt.defer();
  return tui::browse_plain(std::move(options), streams);
}

// For `cd "$(fathom browse)"`; a person sees what the terminal can show.
void print_directory(const std::string& directory) {
  print((is_terminal(STDOUT_FILENO) ? escaped(directory) : directory) + '\n');
}

// When it ends, says how to undo each run that can be taken back, also after an error: the last run
// first, as they are taken back.
class UndoAdvice {
 public:
  explicit UndoAdvice(const BrowseActs& acts) : acts_(acts) {}
  ~UndoAdvice() {
    const std::vector<std::string>& journals = acts_.journals();
    for (auto journal = journals.rbegin(); journal != journals.rend(); ++journal) {
      print_message("to move things back: fathom undo " + shell_word(*journal) + " --execute");
    }
  }
  UndoAdvice(const UndoAdvice&) = delete;
  UndoAdvice& operator=(const UndoAdvice&) = delete;

 private:
  const BrowseActs& acts_;
};

}  // namespace

int browse_command(const std::vector<std::string>& arguments) {
  const BrowseRequest request = parse_browse(arguments);
  if (request.help != Help::none) return print(help_text(browse_manual(), request.help));
  allow_more_descriptors();
  std::optional<Interrupt> interrupt;  // the screen has its own
  if (request.plain) interrupt.emplace();
  std::optional<SavedOrigin> origin;
  tui::BrowseOptions options = options_of(request, origin);
  if (request.nice && !be_nice()) print_message(kNotFullyNice);
  BrowseActs acts(options.saved ? options.saved->roots : options.scan.roots, std::move(origin));
  const UndoAdvice advice(acts);
  const auto token = [&interrupt] { return interrupt ? interrupt->token() : rt::CancelToken(); };
  options.write_plan = [&acts, token](std::span<const act::Chosen> chosen,
                                      const std::string& file) {
    return acts.write(chosen, file, token());
  };
  if (!request.from && !options.read_only) {
    options.apply = [&acts, token](std::span<const act::Chosen> chosen) {
      return acts.apply(chosen, token());
    };
    options.undo = [&acts, token] { return acts.undo(token()); };
  }
  options.find_growth = [&request](const fs::Scan& scan, fs::Measure measure,
                                   const rt::CancelToken& cancel) {
    return growth_since_snapshot(request, scan, measure, cancel);
  };
  const tui::BrowseEnd end =
      interrupt ? browse_in_lines(std::move(options), *interrupt) : tui::browse(std::move(options));
  if (end.directory) print_directory(*end.directory);
  return end.signal == 0 ? kComplete : kInterrupted;
}

}  // namespace fathom::cli
