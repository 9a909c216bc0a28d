// `fathom diff`: opens two snapshots, or one and a new scan, and writes what changed.

#include "commands/diff.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/csv.h"
#include "fathom/rt/executor.h"
#include "fathom/store/diff.h"
#include "fathom/store/series.h"
#include "fathom/store/snapshot_name.h"
#include "flags/diff_flags.h"
#include "flags/help.h"
#include "flags/snapshot_flags.h"
#include "run/interrupt.h"
#include "run/kept_scan.h"
#include "run/named_snapshots.h"
#include "run/nice.h"
#include "run/output.h"
#include "run/path.h"
#include "run/scan_session.h"
#include "run/selection.h"
#include "run/store_place.h"
#include "run/taken_scan.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "view/diff_view.h"
#include "view/scan_messages.h"
#include "view/view.h"

namespace fathom::cli {

namespace {

constexpr std::string_view kNow = "now";

// What the words of the command line mean.
struct Operands {
  std::vector<std::string> snapshots;  // at most A and B
  std::string path;                    // absolute; empty: none
};

// The snapshots that words name. The store is opened when a name is first looked up.
class SnapshotNames {
 public:
  explicit SnapshotNames(const DiffRequest& request) : request_(request) {}

  // The directory of a snapshot, of the series that the path concerns. Throws UsageError.
  std::string folder_of(const std::string& word, const std::string& path) {
    if (is_folder(word)) return word;
    return kept().folder_of(word, path);
  }

  // Throws UsageError if the latest snapshot of the series that the path concerns is its only one.
  void require_two(const std::string& path) {
    const std::string latest = folder_of("@latest", path);
    const std::vector<store::StoredSnapshot>& all = kept().contents().snapshots;
    std::size_t index = all.size() - 1;
    while (kept().path_of(all[index]) != latest) --index;
    if (before_in_series(all, index) != store::kNoSnapshot) return;
    const store::SnapshotMeta& meta = all[index].meta;
    std::string roots;
    for (const std::string& root : meta.roots) roots += (roots.empty() ? "" : ", ") + escaped(root);
    const std::string name = index + 1 == all.size() ? "latest" : all[index].name;
    throw UsageError("there is only one snapshot of " + roots + ", " + all[index].name + "; " +
                     (meta.imported ? "`fathom snapshot` keeps another one"
                                    : "`fathom diff @" + name + " now` compares it with now") +
                     unreadable_note(kept().contents()));
  }

  // The directory of a snapshot that is compared with another one: moments, @~N and tags are those
  // of its series, but an explicit name may be that of any. Throws UsageError.
  std::string folder_beside(const store::SnapshotMeta& other, const std::string& word) {
    if (is_folder(word)) return word;
    const std::vector<store::StoredSnapshot>& all = kept().contents().snapshots;
    std::vector<store::StoredSnapshot> series;
    for (const std::size_t i : series_of(all, other)) series.push_back(all[i]);
    if (series.empty()) return folder_of(word, other.roots.empty() ? "" : other.roots[0]);
    const bool may_be_any = store::is_tag(word.starts_with('@') ? word.substr(1) : word);
    try {
      return kept().folder_among(series, word);
    } catch (const UsageError&) {
      if (!may_be_any) throw;
    }
    return folder_of(word, "");
  }

  // Whether a word names a snapshot. One that begins with "@" does, even if there is none.
  bool has(const std::string& word) {
    if (word.starts_with('@') || is_folder(word)) return true;
    try {
      return kept().has(word);
    } catch (const UsageError&) {
      return false;  // there is no store
    }
  }

 private:
  // Many directories have a file meta.json. A snapshot may lack one of the others.
  static bool is_folder(const std::string& word) {
    const auto contains = [&](const char* file) { return why_missing(word + file) == 0; };
    return !word.starts_with('@') && contains("/meta.json") &&
           (contains("/dirs.parquet") || contains("/entries.parquet") ||
            contains("/errors.parquet"));
  }

  NamedSnapshots& kept() {
    if (!kept_) kept_.emplace(open_store(request_));
    return *kept_;
  }

  const DiffRequest& request_;
  std::optional<NamedSnapshots> kept_;
};

Operands operands_of(const DiffRequest& request, SnapshotNames& names) {
  Operands operands;
  for (const std::string& word : request.words) {
    const bool is_b = operands.snapshots.size() == 1;
    if (operands.path.empty() && operands.snapshots.size() < 2 &&
        ((is_b && word == kNow) || names.has(word))) {
      operands.snapshots.push_back(word);
      continue;
    }
    if (!operands.path.empty()) {
      throw UsageError("'" + escaped(word) + "' follows the PATH, which comes last");
    }
    if (word == kNow && why_missing(word) != 0) {
      throw UsageError("'now' can only be the second side: name a snapshot before it");
    }
    if (word.find('/') == std::string::npos && why_missing(word) != 0) {
      throw UsageError("'" + escaped(word) +
                       "' is neither a snapshot nor an existing PATH; `fathom log` lists the "
                       "snapshots");
    }
    operands.path = path_in_snapshots(word);
  }
  return operands;
}

// ---- The two sides

store::Snapshot open_snapshot(const std::string& folder) {
  try {
    return store::Snapshot::open(folder);
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
}

// The arguments with which `fathom snapshot` would make such a snapshot again.
SnapshotRequest same_request(const DiffRequest& request, const store::SnapshotMeta& meta) {
  if (meta.imported) {
    throw UsageError(
        "an imported snapshot cannot be compared with now: its options are unknown; name B");
  }
  std::vector<std::string> arguments = meta.selection;
  arguments.emplace_back("--");
  arguments.insert(arguments.end(), meta.roots.begin(), meta.roots.end());
  SnapshotRequest again = parse_snapshot(arguments);
  again.units = request.units;
  again.progress = request.progress;
  again.threads = request.threads;
  return again;
}

// Scans the roots of a snapshot again. Nothing if the scan was interrupted.
std::optional<store::Snapshot> scan_again(const DiffRequest& request,
                                          const store::SnapshotMeta& meta, Interrupt& interrupt,
                                          ProgressRequest& asked, rt::Executor& executor) {
  const SnapshotRequest again = same_request(request, meta);
  const fs::SelectionAt selection = selection_of(again, fs::Measure::disk);
  allow_more_descriptors();
  if (request.nice && !be_nice()) print_message(kNotFullyNice);
  fs::ScanOptions options;
  options.read_times = true;
  const std::int64_t started_ns = base::wall_now_ns();
  const TakenScan taken = take_scan(again, std::move(options), selection, interrupt, asked);
  if (taken.scan.cancelled) return std::nullopt;
  for (const auto& message : error_messages(taken.scan, false, "fathom scan --errors")) {
    print_message(message);
  }
  return store::Snapshot::of(taken.scan, snapshot_options(again, taken, started_ns), executor);
}

// ---- Results

void write(const DiffRequest& request, const store::DiffReport& report, Output& output) {
  const fs::Sink sink = output.sink();
  switch (request.format) {
    case TableFormat::text: {
      View view = common_view(request, output.descriptor());
      view.depth = request.depth;
      fs::Blocks text(sink);
      write_diff_view(report, view, text);
      text.flush();
      break;
    }
    case TableFormat::json:
      write_diff_json(report, sink);
      break;
    case TableFormat::csv:
      fs::write_csv(diff_table(report, request.by.front()), sink, request.csv_texts);
      break;
  }
  output.finish();
  if (request.format != TableFormat::csv) return;  // the others have the notes
  for (const std::string& note : report.diff.notes) print_message(note);
}

store::Diff compare_sides(const DiffRequest& request, const std::string& path,
                          const store::Snapshot& from, const store::Snapshot& to,
                          rt::Executor& executor) {
  store::DiffOptions options{.measure = request.measure, .path = path};
  if (request.top != 0) options.most = request.top;
  for (const store::DiffBy by : request.by) {
    options.by_owner |= by == store::DiffBy::owner || by == store::DiffBy::group;
    options.by_extension |= by == store::DiffBy::extension;
  }
  try {
    return compare(from, to, options, executor);
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

int diff_command(const std::vector<std::string>& arguments) {
  const DiffRequest request = parse_diff(arguments);
  if (request.help != Help::none) return print(help_text(diff_manual(), request.help));
  Interrupt interrupt;
  ProgressRequest asked;
  SnapshotNames names(request);
  Operands operands = operands_of(request, names);
  if (operands.snapshots.empty()) {
    names.require_two(operands.path);
    operands.snapshots = {"@~1", "@latest"};
  }
  if (operands.snapshots.size() == 1) operands.snapshots.emplace_back(kNow);
  Output output = open_output(request);
  const store::Snapshot from = open_snapshot(names.folder_of(operands.snapshots[0], operands.path));
  rt::Executor executor({.name = "fathom-compare"});
  const bool is_kept = operands.snapshots[1] != kNow;
  // Without a PATH, B is of the same series as A.
  const auto folder_of_b = [&](const std::string& word) {
    return operands.path.empty() ? names.folder_beside(from.meta(), word)
                                 : names.folder_of(word, operands.path);
  };
  const std::optional<store::Snapshot> to =
      is_kept ? open_snapshot(folder_of_b(operands.snapshots[1]))
              : scan_again(request, from.meta(), interrupt, asked, executor);
  if (!to) {
    print_message("interrupted; nothing was compared");
    return kInterrupted;
  }
  const store::Diff diff = compare_sides(request, operands.path, from, *to, executor);
  write(request,
        {.diff = diff,
         .from = from.meta(),
         .to = to->meta(),
         .to_is_kept = is_kept,
         .measure = request.measure,
         .path = operands.path,
         .by = request.by,
         .top = request.top,
         .depth = request.depth},
        output);
  return from.meta().complete() && to->meta().complete() ? kComplete : kIncomplete;
}

}  // namespace fathom::cli
