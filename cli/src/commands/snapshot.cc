// `fathom snapshot`: scans or reads an export, keeps it, and removes older snapshots.

#include "commands/snapshot.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "fathom/base/bytes.h"
#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/fs/earlier_scan.h"
#include "fathom/rt/executor.h"
#include "fathom/store/part_folder.h"
#include "fathom/store/retention.h"
#include "fathom/store/series.h"
#include "flags/help.h"
#include "flags/snapshot_flags.h"
#include "run/diagnosis.h"
#include "run/existing_paths.h"
#include "run/interrupt.h"
#include "run/kept_scan.h"
#include "run/named_snapshots.h"
#include "run/nice.h"
#include "run/output.h"
#include "run/parent_death.h"
#include "run/path.h"
#include "run/scan_session.h"
#include "run/selection.h"
#include "run/store_place.h"
#include "run/taken_scan.h"
#include "run/trace.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"
#include "view/node_metrics.h"
#include "view/scan_messages.h"

namespace fathom::cli {

namespace {

// "183,968 entries of 6.8 GiB, stored in 2.4 MiB"
std::string figures_of(const store::StoredSnapshot& snapshot, base::Units units) {
  const store::SnapshotMeta& meta = snapshot.meta;
  return (meta.complete() ? "" : "at least ") + counted(meta.totals.entries(), "entry", "entries") +
         " of " + base::format_bytes(meta.totals.disk_bytes, units) + ", stored in " +
         base::format_bytes(snapshot.bytes(), units);
}

// The snapshots of the same series that the rules do not keep. One that seems to be later than the
// latest is of a time when the clock was wrong: it counts as none, and stays.
std::vector<store::StoredSnapshot> outdated(const store::StoreContents& contents,
                                            const store::SnapshotMeta& latest,
                                            const store::KeepRules& rules) {
  std::vector<store::StoredSnapshot> judged;
  for (const store::StoredSnapshot& snapshot : contents.snapshots) {
    const bool is_later = snapshot.meta.ended_ns > latest.ended_ns;
    if (!is_later && same_series(snapshot.meta, latest)) judged.push_back(snapshot);
  }
  std::vector<store::StoredSnapshot> old;
  for (const std::size_t index : expired(judged, rules)) old.push_back(judged[index]);
  return old;
}

// What is known of a snapshot before its scan.
store::SnapshotMeta planned_meta(const SnapshotRequest& request) {
  store::SnapshotMeta meta;
  meta.host = host_name();
  meta.selection = request.selection;
  for (const std::string& path : request.paths) meta.roots.push_back(path_of_root(path));
  return meta;
}

// ---- With --dry-run

store::SnapshotMeta next_meta(const SnapshotRequest& request, Interrupt& interrupt) {
  if (request.from && request.keep) {  // the export says of which paths it is, and from when
    ProgressRequest asked;
    const fs::SelectionAt selection = selection_of(request, fs::Measure::disk);
    const TakenScan taken = take_scan(request, {}, selection, interrupt, asked);
    if (taken.scan.cancelled) {
      throw UsageError("the exported scan was interrupted; it would not be kept");
    }
    return snapshot_options(request, taken, 0).meta;
  }
  store::SnapshotMeta meta = planned_meta(request);
  meta.ended_ns = base::wall_now_ns();
  return meta;
}

// The store does not exist yet, or is listed.
store::StoreContents existing_contents(const SnapshotRequest& request) {
  if (why_missing(store_path(request)) != 0) return {};
  return open_store(request).list();
}

int say_what_would_happen(const SnapshotRequest& request, Interrupt& interrupt) {
  store::StoreContents contents = existing_contents(request);
  require_writable_store(request);
  const store::StoredSnapshot next{.name = "", .meta = next_meta(request, interrupt)};
  std::string paths;
  for (const std::string& root : next.meta.roots) {
    paths += (paths.empty() ? "" : ", ") + escaped(root);
  }
  const std::optional<std::string>& read = request.from ? request.from : request.parts;
  if (read) paths = escaped(*read);
  print("would keep a snapshot of " + paths + " in " + escaped(store_path(request)) + '\n');
  if (!request.keep) return kComplete;
  contents.snapshots.push_back(next);
  for (const store::StoredSnapshot& old : outdated(contents, next.meta, *request.keep)) {
    print("would remove " + old.name + ": " + figures_of(old, request.units) + '\n');
  }
  return kComplete;
}

// ---- Keeping and removing

// Why nothing was kept, as a sentence.
std::string why_not_kept(const base::SystemError& error, const std::string& store) {
  const std::string place = escaped(store);
  if (!is_full(error)) return "nothing was kept in " + place + ": " + error.what();
  return "nothing was kept, because there is no room in " + place + " (" + error.what() +
         "); free some, name another directory with --store DIR, or run `fathom diff @latest`, "
         "which compares with now and writes nothing";
}

// Does a part of what has to succeed before a snapshot is kept. A failure is the exit code of a
// command that has done nothing, because kIncomplete says that there is a snapshot.
template <class Part>
auto before_kept(const std::string& store, Part part) {
  try {
    return part();
  } catch (const UsageError&) {
    throw;
  } catch (const store::AlreadyKept&) {
    throw;
  } catch (const base::SystemError& error) {
    throw UsageError(why_not_kept(error, store));
  } catch (const std::bad_alloc&) {
    throw UsageError("out of memory; nothing was kept");
  } catch (const std::exception& error) {
    throw UsageError("nothing was kept in " + escaped(store) + ": " + error.what());
  }
}

store::StoredSnapshot keep(const SnapshotRequest& request, const TakenScan& taken,
                           std::int64_t started_ns, store::Store& store, Interrupt& interrupt) {
  const store::SnapshotOptions options = snapshot_options(request, taken, started_ns);
  rt::Executor executor({.name = "fathom-write"});
  return store.add([&](int folder) {
    store::SnapshotMeta meta = store::write_snapshot(taken.scan, options, executor, folder);
    interrupt.defer();  // from now on, no exit code may say that nothing was kept
    return meta;
  });
}

// Does a part of what follows when a snapshot is kept. Reports a failure, so that the other parts
// are done anyway. Returns whether there was none.
template <class Part>
bool attempt(Part part) {
  try {
    part();
    return true;
  } catch (const base::Error& error) {
    print_message(error.what());
    return false;
  }
}

// Returns false if the line could not be printed. A reader that is gone is not an error.
bool tell(const std::string& line, const Interrupt& interrupt) {
  bool told = false;
  return attempt([&] { told = print(line + '\n', interrupt); }) && told;
}

// As a message, unless a signal ends the wait for a reader.
void note(const std::string& sentence, const Interrupt& interrupt) {
  if (interrupt.wait_to_write(STDERR_FILENO)) print_message(sentence);
}

bool tell_kept(const SnapshotRequest& request, const store::StoredSnapshot& kept,
               const Interrupt& interrupt) {
  const bool told = tell("kept " + kept.name + ": " + figures_of(kept, request.units), interrupt);
  if (!told) note("kept " + kept.name, interrupt);
  return told;
}

// Returns whether all of them are removed, and were named.
bool remove_older(const SnapshotRequest& request, const store::SnapshotMeta& kept,
                  store::Store& store, const Interrupt& interrupt) {
  if (!request.keep) return true;
  std::vector<store::StoredSnapshot> older;
  bool all = attempt([&] { older = outdated(store.list(), kept, *request.keep); });
  bool told = true;
  for (const store::StoredSnapshot& old : older) {
    if (interrupt.signal() != 0) {
      note("interrupted; not all older snapshots are removed", interrupt);
      return false;
    }
    const bool removed = attempt([&] { store.remove(old.name); });
    if (removed && told) {
      told = tell("removed " + old.name + ": " + figures_of(old, request.units), interrupt);
    }
    all &= removed;
  }
  return all && told;
}

// ---- With --parts

int keep_parts(const SnapshotRequest& request, Interrupt& interrupt) {
  store::Store store =
      before_kept(store_path(request), [&] { return open_or_create_store(request); });
  store::JoinedParts joined;
  const store::StoredSnapshot kept = before_kept(store.path(), [&] {
    const store::PartFolder parts = store::PartFolder::open(*request.parts);
    rt::Executor executor({.name = "fathom-join"});
    return store.add([&](int folder) {
      joined =
          parts.join({.tag = request.tag, .host = host_name(), .accept_missing = request.partial},
                     executor, folder);
      interrupt.defer();  // as in keep()
      return joined.meta;
    });
  });
  bool done = tell_kept(request, kept, interrupt);
  done &= remove_older(request, kept.meta, store, interrupt);
  if (!joined.missing.empty()) {
    note(counted(joined.missing.size(), "part is", "parts are") +
             " missing; their entries count as unreadable",
         interrupt);
  }
  fs::Scan scan;
  scan.errors = std::move(joined.errors);
  scan.changed = kept.meta.changed;
  for (const auto& message : error_messages(scan, false, "fathom scan --errors")) {
    note(message, interrupt);
  }
  return kept.meta.complete() && done ? kComplete : kIncomplete;
}

// ---- Scanning

// The latest snapshot that the scan may begin with, if possible one that knows its transactions, as
// btrfs needs; null if there is none, for the reason `why_not`.
std::shared_ptr<const fs::EarlierScan> earlier_scan(const SnapshotRequest& request,
                                                    const store::Store& store,
                                                    std::string& why_not) {
  const store::SnapshotMeta wanted = planned_meta(request);
  try {
    store::StoreContents contents = store.list();
    std::vector<store::StoredSnapshot>& usable = contents.snapshots;
    std::erase_if(usable, [&](const store::StoredSnapshot& one) {
      return one.meta.imported || !same_series(one.meta, wanted);
    });
    std::stable_partition(usable.begin(), usable.end(), [](const store::StoredSnapshot& one) {
      return one.meta.transactions.empty();
    });
    for (auto next = usable.rbegin(); next != usable.rend(); ++next) {
      const std::optional<store::Snapshot> snapshot = store.open_snapshot(next->name);
      if (!snapshot) continue;  // removed meanwhile
      return std::make_shared<const fs::EarlierScan>(snapshot->load_earlier());
    }
    why_not = "the store has no earlier snapshot of these paths and this selection" +
              unreadable_note(contents);
  } catch (const base::Error& error) {
    why_not = error.what();
  }
  return nullptr;
}

// Why no filesystem of a scan needed the earlier one; empty if volume_messages() say it.
std::string why_not_incremental(const fs::Scan& scan) {
  const bool is_said = std::any_of(scan.volumes.begin(), scan.volumes.end(), [](const auto& one) {
    return one.type == fs::Engine::btrfs || one.type == fs::Engine::xfs;
  });
  return is_said
             ? ""
             : "only btrfs and XFS can tell root what has changed, XFS only of a whole filesystem";
}

// Kept again as an import, a snapshot would lose what an export does not have.
void refuse_snapshot(const SnapshotRequest& request) {
  if (request.from && why_missing(*request.from + "/meta.json") == 0) {
    throw UsageError("'" + escaped(*request.from) + "' is a snapshot already");
  }
}

// Opened before the scan, so that a mistake is found at once.
std::optional<Output> open_textfile(const SnapshotRequest& request) {
  if (!request.textfile) return std::nullopt;
  if (request.trace && is_same_path(*request.textfile, *request.trace)) {
    throw UsageError("options '--textfile' and '--trace' name the same file");
  }
  try {
    return std::optional<Output>(std::in_place, request.textfile);
  } catch (const base::SystemError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

int snapshot_command(const std::vector<std::string>& arguments) {
  SnapshotRequest request = parse_snapshot(arguments);
  if (request.help != Help::none) return print(help_text(snapshot_manual(), request.help));
  if (request.dies_with_parent) die_with_parent();
  Interrupt interrupt;  // what a signal leaves in the store, the next snapshot removes
  refuse_snapshot(request);
  if (!request.parts) {
    order_paths(request);
    require_existing_path(request);
  }
  if (request.dry_run) return say_what_would_happen(request, interrupt);
  if (request.parts) return keep_parts(request, interrupt);
  allow_more_descriptors();
  ProgressRequest asked;
  const fs::SelectionAt selection = selection_of(request, fs::Measure::disk);
  store::Store store =
      before_kept(store_path(request), [&] { return open_or_create_store(request); });
  std::optional<Output> textfile = open_textfile(request);
  Trace trace(request);
  const Diagnosis diagnosis(request, trace.observer());
  if (request.nice && !be_nice()) print_message(kNotFullyNice);
  fs::ScanOptions options;
  options.max_operations_per_second = request.max_operations;
  options.observer = diagnosis.observer();
  options.read_times = true;
  std::optional<std::string> why_anew;  // nothing: no filesystem needed the earlier scan
  if (request.incremental) {
    options.earlier = [&] { return earlier_scan(request, store, why_anew.emplace()); };
  }
  const std::int64_t started_ns = base::wall_now_ns();
  const TakenScan taken = before_kept(store.path(), [&] {
    return take_scan(request, std::move(options), selection, interrupt, asked);
  });
  const fs::Scan& scan = taken.scan;
  if (scan.cancelled) {
    print_message(request.from ? "the exported scan was interrupted; nothing was kept"
                               : "interrupted; nothing was kept");
    return request.from ? kWrongUsage : kInterrupted;
  }
  const bool traced = trace.finish();
  const store::StoredSnapshot kept =
      before_kept(store.path(), [&] { return keep(request, taken, started_ns, store, interrupt); });
  bool done = tell_kept(request, kept, interrupt);
  done &= !textfile || attempt([&] {
    textfile->write(node_metrics(scan, kept.meta));
    textfile->finish();
  });
  done &= remove_older(request, kept.meta, store, interrupt);
  for (const auto& message : error_messages(scan, false, "fathom scan --errors")) {
    note(message, interrupt);
  }
  if (!request.from) {
    const std::vector<std::string> messages = volume_messages(scan, request.engine, request.frozen);
    if (request.incremental && !why_anew) why_anew = why_not_incremental(scan);
    if (why_anew && !why_anew->empty()) note("everything was read: " + *why_anew, interrupt);
    for (const auto& message : messages) note(message, interrupt);
    for (const auto& message : link_messages(scan)) note(message, interrupt);
  }
  diagnosis.tell();
  return scan.complete() && traced && done ? kComplete : kIncomplete;
}

}  // namespace fathom::cli
