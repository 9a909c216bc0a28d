// `fathom scan --shard`: a scan whose results are a part.

#include "commands/shard.h"

#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/base/error.h"
#include "fathom/rt/executor.h"
#include "fathom/store/part_folder.h"
#include "run/diagnosis.h"
#include "run/existing_paths.h"
#include "run/interrupt.h"
#include "run/kept_scan.h"
#include "run/nice.h"
#include "run/output.h"
#include "run/parent_death.h"
#include "run/path.h"
#include "run/scan_session.h"
#include "run/selection.h"
#include "run/taken_scan.h"
#include "run/trace.h"
#include "term/exit_code.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

// The paths as all parts name them.
ScanRequest with_absolute_paths(ScanRequest request) {
  order_paths(request);
  for (std::string& path : request.paths) path = path_of_root(path);
  return request;
}

store::Part add_part(const ScanRequest& request, const TakenScan& taken, std::int64_t started_ns,
                     store::PartFolder& folder) {
  store::SnapshotOptions options = facts_of_scan(taken.scan, started_ns);
  options.meta.selection = request.shard.selection;
  options.meta.rules = taken.rules;
  rt::Executor executor({.name = "fathom-write"});
  return folder.add(request.shard.work, taken.scan, request.shard.batches, options, executor);
}

// Fails as a command that has done nothing.
template <class Step>
auto before_added(Step step) {
  try {
    return step();
  } catch (const UsageError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw UsageError("out of memory; no part was added");
  } catch (const base::Error& error) {
    throw UsageError(std::string("no part was added: ") + error.what());
  }
}

int tell(const store::Part& part) {
  print(part.text);
  return part.errors == 0 ? kComplete : kIncomplete;
}

}  // namespace

int shard_command(const ScanRequest& asked_for) {
  if (asked_for.shard.dies_with_parent) die_with_parent();
  require_existing_path(asked_for);
  const ScanRequest request = with_absolute_paths(asked_for);
  allow_more_descriptors();
  Interrupt interrupt;
  ProgressRequest asked;
  const HandBackRequest hand_back;
  const fs::SelectionAt selection = selection_of(request, fs::Measure::disk);
  store::PartFolder folder =
      before_added([&] { return store::PartFolder::open_or_create(*request.shard.into); });
  before_added([&] { folder.check_same_scan(request.paths, request.shard.selection); });
  if (const auto there = before_added([&] { return folder.find(request.shard.work); })) {
    return tell(*there);
  }
  Trace trace(request);
  const Diagnosis diagnosis(request, trace.observer());
  if (request.nice && !be_nice()) print_message(kNotFullyNice);
  fs::ScanOptions options;
  options.engine = request.engine;
  options.max_operations_per_second = request.max_operations;
  options.observer = diagnosis.observer();
  options.read_times = true;
  options.shard = request.shard.budget;
  options.shard->hand_back = hand_back.token();
  options.shard->from = before_added([&] { return folder.entries_of(request.shard.work); });
  const std::int64_t started_ns = base::wall_now_ns();
  const TakenScan taken = before_added(
      [&] { return take_scan(request, std::move(options), selection, interrupt, asked); });
  if (taken.scan.cancelled) {
    print_message("interrupted; no part was added");
    return kInterrupted;
  }
  const bool traced = trace.finish();
  const store::Part part =
      before_added([&] { return add_part(request, taken, started_ns, folder); });
  diagnosis.tell();
  const int code = tell(part);
  return traced ? code : kIncomplete;
}

}  // namespace fathom::cli
