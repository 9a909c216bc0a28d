// Dups session: scans, compares, and reports progress.

#include "run/dups_session.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "fathom/act/dup_plan.h"
#include "fathom/base/clock.h"
#include "fathom/diag/span.h"
#include "run/compared_memory.h"
#include "run/saved_scan.h"
#include "run/scan_session.h"
#include "term/bar.h"
#include "term/exit_code.h"
#include "term/message.h"
#include "term/number.h"
#include "term/progress_line.h"

namespace fathom::cli {

namespace {

constexpr double kSettled = 1;  // seconds after which the rate is meaningful

// In whole units, because the estimate is not more precise.
std::string about(double seconds) {
  constexpr double kMany = 100;
  constexpr double kMost = 1e6;  // hours; larger estimates are clamped
  if (seconds < kMany) return std::to_string(std::lround(seconds)) + " s";
  if (seconds / 60 < kMany) return std::to_string(std::lround(seconds / 60)) + " min";
  return std::to_string(std::lround(std::min(seconds / 3600, kMost))) + " h";
}

// Empty if there is no rate yet.
std::string time_left(const fs::DuplicateProgress& known) {
  if (known.seconds < kSettled || known.bytes == 0 || known.bytes >= known.bytes_total) return "";
  const auto rest = static_cast<double>(known.bytes_total - known.bytes);
  return about(rest / static_cast<double>(known.bytes) * known.seconds) + " left";
}

}  // namespace

std::string progress_text(const fs::DuplicateProgress& known, base::Units units, unsigned columns) {
  std::string text = "comparing " + percent(known.bytes, known.bytes_total);
  // Drops the less important parts first if there is no room: a wrapped line cannot be redrawn.
  const auto add = [&](const std::string& part) {
    if (!part.empty() && text.size() + 2 + part.size() <= columns) text += "  " + part;
  };
  add(base::format_bytes(known.bytes, units) + " of " +
      base::format_bytes(known.bytes_total, units));
  add(time_left(known));
  add(grouped(known.files) + " of " + counted(known.files_total, "file", "files"));
  if (known.groups != 0) {
    add(counted(known.groups, "group", "groups") + ", " +
        base::format_bytes(known.wasted_bytes, units) + " wasted");
  }
  return text;
}

// ---- The session

namespace {

// Uses _exit: joining the stuck thread would hang.
[[noreturn]] void give_up(const fs::DuplicateProgress& known) {
  print_message("interrupted, but the filesystem does not respond; " +
                counted(known.groups, "group", "groups") + " confirmed so far");
  ::_exit(kInterrupted);
}

// Reports the progress of the comparison, and ends the process if an interrupted one hangs.
class Comparing {
 public:
  Comparing(const DupsRequest& request, rt::CancelToken interrupted_by, ProgressRequest& asked)
      : units_(request.units),
        line_(request.progress, request.units),
        interrupted_by_(std::move(interrupted_by)),
        asked_(asked) {}

  void tell(const fs::DuplicateProgress& known) {
    const bool interrupted = interrupted_by_.cancelled();
    if (interrupted) line_.clear();
    if (grace_.over(interrupted, known.seconds)) give_up(known);
    if (interrupted) return;
    const ProgressLine::Text text = [&](unsigned columns, bool) {
      return progress_text(known, units_, columns);
    };
    if (asked_.take()) line_.tell(text);
    line_.show(known.seconds, text);
  }

 private:
  const base::Units units_;
  ProgressLine line_;
  const rt::CancelToken interrupted_by_;
  ProgressRequest& asked_;
  InterruptGrace grace_;
};

fs::Scan scan(const DupsRequest& request, const fs::SelectionAt& selection, Interrupt& interrupt,
              ProgressRequest& asked, bool read_times, const rt::Observer* observer) {
  if (request.from) return read_saved_here(request, selection).scan;
  fs::ScanOptions options;
  options.observer = observer;
  options.roots = request.paths;
  options.threads = request.threads;
  options.selection = selection(base::wall_now());
  options.read_links = true;  // to compare the links in directories
  options.read_times = read_times;
  return run_scan_session(std::move(options), request, interrupt, asked);
}

fs::Duplicates compare(const DupsRequest& request, const DupsFinding& found, Interrupt& interrupt,
                       ProgressRequest& asked, const fs::DuplicateMemory* memory,
                       const rt::Observer* observer) {
  Comparing comparing(request, interrupt.token(), asked);
  fs::DuplicateOptions options;
  options.age = found.age;
  options.memory = memory;
  options.min_size = request.empty ? 0 : std::max<std::uint64_t>(1, request.min_size.value_or(1));
  options.threads = request.threads;
  options.drop_cache = request.drop_cache;
  options.cancel = interrupt.token();
  options.observer = observer;
  options.progress = [&](const fs::DuplicateProgress& known) { comparing.tell(known); };
  return fs::find_duplicates(found.scan.tree, options);
}

}  // namespace

std::optional<std::size_t> DupsFinding::kept_in(std::size_t group) const {
  if (kept.empty()) return 0;
  if (kept[group] == fs::kNoneKept) return std::nullopt;
  return kept[group];
}

DupsFinding find_dups(const DupsRequest& request, const fs::SelectionAt& selection,
                      Interrupt& interrupt, ProgressRequest& asked, const rt::Observer* observer) {
  DupsFinding found;
  found.began = std::chrono::system_clock::now();
  if (request.from) found.age = fs::ScanAge::saved;
  ComparedMemory memory(request);
  found.scan = scan(request, selection, interrupt, asked, memory.wanted(), observer);
  found.same =
      compare(request, found, interrupt, asked, memory.for_search(found.scan.tree), observer);
  // Nothing checks the token any more, so a signal now ends the program. A signal that arrived just
  // before this call is still recorded.
  interrupt.end_at_once();
  found.same.cancelled = interrupt.token().cancelled();
  memory.keep(std::move(found.same.learned));
  FATHOM_SPAN("directories");
  found.directories = fs::duplicate_directories(found.scan, found.same, found.age);
  return found;
}

}  // namespace fathom::cli
