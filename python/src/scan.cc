// Scan: scanning, reading, and what is made on demand.

#include "scan.h"

#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/fs/filesystem_facts.h"
#include "fathom/rt/executor.h"
#include "fathom/store/store.h"
#include "flags/scan_flags.h"
#include "flags/snapshot_flags.h"
#include "run/existing_paths.h"
#include "run/kept_scan.h"
#include "run/saved_scan.h"
#include "run/scan_session.h"
#include "run/selection.h"
#include "run/store_place.h"
#include "run/taken_scan.h"
#include "term/message.h"
#include "watch.h"

namespace fathom::python {

namespace {

// The options are complete but for the roots, the selection and what `watch` needs.
cli::TakenScan scan_now(const cli::CommonRequest& request, fs::ScanOptions options,
                        const fs::SelectionAt& selection, Watch& watch) {
  cli::allow_more_descriptors();
  const std::int64_t now = base::wall_now();
  options.roots = request.paths;
  options.threads = request.threads;
  options.read_times = true;
  options.cancel = watch.token();
  options.progress = [&watch](const fs::Progress& known) {
    watch.tell(known.entries, known.disk_bytes, known.seconds, known.directory);
  };
  cli::TakenScan taken;
  taken.now = now;
  taken.scan = watch.run([&] {
    options.selection = selection(now);
    taken.rules = options.selection.excluded.text_hash();
    return fs::scan(options);
  });
  return taken;
}

// A file that is not an export is not a wrong argument.
cli::SavedScan read_export(const cli::ScanRequest& request, const fs::SelectionAt& selection) {
  try {
    return cli::read_saved(request, selection);
  } catch (const cli::UsageError& error) {
    throw base::Error(error.what());
  }
}

}  // namespace

void require_existing(const cli::CommonRequest& request) {
  try {
    cli::require_existing_path(request);
  } catch (const cli::UsageError& error) {
    throw store::NotFound(error.what());
  }
}

std::shared_ptr<Scan> Scan::make(const std::vector<std::string>& arguments,
                                 const std::vector<std::string>& selection, ScanWish wish,
                                 nb::object progress) {
  const cli::ScanRequest request = cli::parse_scan(arguments);
  fs::UsedBytes used;
  const fs::SelectionAt selected = without_lock([&] {
    require_existing(request);
    if (wish.explain) used = fs::used_bytes(request.paths);
    return selection_of(request, request.measure);
  });
  fs::ScanOptions options;
  options.engine = request.engine;
  options.max_operations_per_second = request.max_operations;
  options.read_links = wish.read_links;
  const std::int64_t started_ns = base::wall_now_ns();
  Watch watch(std::move(progress));
  cli::TakenScan taken = scan_now(request, std::move(options), selected, watch);
  const std::shared_ptr<Scan> made(new Scan);
  without_lock([&] {
    if (wish.explain) taken.scan.filesystems = fs::gather_filesystem_facts(request.paths, used);
    made->facts_ = cli::facts_of_scan(taken.scan, started_ns);
    made->facts_.meta.selection = selection;
    made->facts_.meta.rules = taken.rules;
    made->take(std::move(taken.scan), taken.now);
  });
  return made;
}

std::shared_ptr<Scan> Scan::keep(const std::vector<std::string>& arguments, nb::object progress) {
  cli::SnapshotRequest request = cli::parse_snapshot(arguments);
  const fs::SelectionAt selected = without_lock([&] {
    require_existing(request);
    cli::order_paths(request);
    return selection_of(request, fs::Measure::disk);
  });
  store::Store store = without_lock([&] { return cli::open_or_create_store(request); });
  fs::ScanOptions options;
  options.engine = request.engine;
  options.max_operations_per_second = request.max_operations;
  const std::int64_t started_ns = base::wall_now_ns();
  Watch watch(std::move(progress));
  cli::TakenScan taken = scan_now(request, std::move(options), selected, watch);
  return without_lock([&] {
    const store::SnapshotOptions facts = snapshot_options(request, taken, started_ns);
    rt::Executor executor({.name = "fathom-write"});
    const store::StoredSnapshot kept = store.add(
        [&](int folder) { return store::write_snapshot(taken.scan, facts, executor, folder); });
    const std::shared_ptr<Scan> made = open(store.path_of(kept.name));
    made->take(std::move(taken.scan), taken.now);
    return made;
  });
}

std::shared_ptr<Scan> Scan::import(const std::vector<std::string>& arguments) {
  const cli::ScanRequest request = cli::parse_scan(arguments);
  const fs::SelectionAt selection = selection_of(request, request.measure);
  return without_lock([&] {
    cli::SavedScan saved = read_export(request, selection);
    const std::shared_ptr<Scan> made(new Scan);
    store::SnapshotMeta& meta = made->facts_.meta;
    meta.imported = true;
    meta.roots = saved.scan.roots;
    meta.started_ns = meta.ended_ns = base::to_nanoseconds(saved.taken);
    made->take(std::move(saved.scan), saved.taken);
    return made;
  });
}

std::shared_ptr<Scan> Scan::open(const std::string& folder) {
  const std::shared_ptr<Scan> made(new Scan);
  made->snapshot_.emplace(store::Snapshot::open(folder));
  made->folder_ = folder;
  made->now_ = base::whole_seconds(made->snapshot_->meta().ended_ns);
  return made;
}

void Scan::take(fs::Scan scan, std::int64_t now) {
  scan_ = std::make_shared<const fs::Scan>(std::move(scan));
  now_ = now;
}

// ---- Made on demand

std::shared_ptr<const fs::Scan> Scan::found() const {
  const std::lock_guard lock(mutex_);
  if (scan_ == nullptr) scan_ = std::make_shared<const fs::Scan>(snapshot_->load());
  return scan_;
}

const fs::Totals& Scan::totals() const {
  const std::shared_ptr<const fs::Scan> scan = found();
  const std::lock_guard lock(mutex_);
  if (totals_ == nullptr) totals_ = std::make_unique<const fs::Totals>(scan->tree);
  return *totals_;
}

std::shared_ptr<const store::EntryTable> Scan::entries() const {
  const std::shared_ptr<const fs::Scan> scan = found();
  const std::lock_guard lock(mutex_);
  if (entries_ == nullptr) {
    rt::Executor executor({.name = "fathom-order"});
    store::EntryTableOptions options{.roots = roots(), .filesystems = facts_.filesystem_ids};
    entries_ = std::make_shared<const store::EntryTable>(scan, std::move(options), executor);
  }
  return entries_;
}

void Scan::stream(const std::vector<std::string>& columns, ArrowArrayStream& to) const {
  if (snapshot_) {
    store::stream_entries(side(), columns, to);
  } else {
    store::stream_entries(entries(), columns, to);
  }
}

std::uint64_t Scan::rows() const {
  return snapshot_ ? snapshot_->rows() : entries()->rows();
}

Rows Scan::report(const fs::ReportRequest& request, fs::Measure measure) const {
  using Input = std::pair<std::shared_ptr<const Scan>, std::shared_ptr<const fs::ReportInput>>;
  const fs::Totals& totals = this->totals();
  const auto input = std::make_shared<Input>(shared_from_this(), nullptr);
  {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const fs::ReportInput>& made = inputs_[static_cast<std::size_t>(measure)];
    if (made == nullptr) {
      made = std::make_shared<const fs::ReportInput>(*scan_, totals, measure, now_);
    }
    input->second = made;
  }
  return Rows(input, fs::make_report(*input->second, request));
}

// ---- Known at once

std::vector<std::string> Scan::roots() const {
  return snapshot_ ? snapshot_->meta().roots : facts_.meta.roots;
}

fs::Counts Scan::sums() const {
  return snapshot_ ? snapshot_->meta().totals : totals().whole();
}

bool Scan::complete() const {
  return snapshot_ ? snapshot_->meta().complete() : found()->complete();
}

std::shared_ptr<const store::Snapshot> Scan::side() const {
  if (snapshot_) return {shared_from_this(), &*snapshot_};
  rt::Executor executor({.name = "fathom-order"});
  return std::make_shared<const store::Snapshot>(store::Snapshot::of(*found(), facts_, executor));
}

}  // namespace fathom::python
