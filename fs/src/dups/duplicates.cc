// find_duplicates: compares the candidates on an executor, and reports progress from the calling
// thread.

#include "fathom/fs/duplicates.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "dups/candidates.h"
#include "dups/comparison.h"
#include "dups/findings.h"
#include "dups/names_now.h"
#include "dups/paths.h"
#include "dups/reader.h"
#include "dups/recollection.h"
#include "fathom/base/clock.h"
#include "fathom/base/memory_tag.h"
#include "fathom/base/saturating.h"
#include "fathom/rt/concurrency.h"
#include "fathom/rt/executor.h"
#include "os/os.h"
#include "walk/thread_governor.h"

namespace fathom::fs {

namespace {

// Keeps threads busy: one buffer is filled while another is compared.
constexpr unsigned kSlotsPerProcessor = 2;
constexpr std::chrono::milliseconds kLookInterval{10};

// How many threads may have a file open.
unsigned most_open_files(std::size_t most) {
  const std::size_t usable = most != 0 ? most : os::usable_descriptors();
  return static_cast<unsigned>(std::max<std::size_t>(usable, 1));
}

// In groups: nothing of the others is read.
std::uint64_t total_files(const Candidates& candidates) {
  std::uint64_t files = 0;
  for (const Candidates::Group& group : candidates.groups()) files += group.count;
  return files;
}

std::uint64_t total_bytes(const Candidates& candidates) {
  std::uint64_t bytes = 0;
  for (const Candidates::Group& group : candidates.groups()) {
    bytes = base::saturating_add(bytes, base::saturating_mul(group.size, group.count));
  }
  return bytes;
}

}  // namespace

Duplicates find_duplicates(const Tree& tree, const DuplicateOptions& options) {
  const base::MemoryTag tag("dups");
  const base::Stopwatch watch;
  Candidates candidates = [&] {
    const rt::ObservedPhase phase(options.observer, "candidates");
    return Candidates(tree, options.min_size);
  }();
  const Paths paths(tree);
  std::optional<NamesNow> names;
  if (options.age == ScanAge::saved) {
    names.emplace(tree);
    candidates.renumber_devices(names->devices());
  }
  std::optional<Recollection> recollected;
  if (options.memory != nullptr && options.age == ScanAge::fresh) {
    recollected.emplace(tree, candidates, *options.memory);
  }
  Recollection* const recollection = recollected ? &*recollected : nullptr;
  Findings findings(tree, paths, candidates, names ? &*names : nullptr, recollection,
                    options.found);
  Reader reader(paths, candidates, findings, recollection, options);
  unsigned threads = options.threads != 0 ? options.threads : rt::default_concurrency();
  unsigned most_threads =
      options.threads != 0 ? threads : std::max(threads, ThreadGovernor::kMostThreads);
  most_threads = std::min(most_threads, most_open_files(options.max_descriptors));
  threads = std::min(threads, most_threads);
  rt::Executor executor(
      {.threads = threads, .max_threads = most_threads, .observer = options.observer});
  Comparison comparison(candidates, reader, findings, recollection, options.cancel,
                        options.observer);

  DuplicateProgress progress;
  progress.files_total = total_files(candidates);
  progress.bytes_total = total_bytes(candidates);
  if (!options.cancel.expire(base::monotonic_now())) {
    comparison.start(executor, kSlotsPerProcessor * threads);
  }
  const auto grow = [&](unsigned more) {
    executor.grow(more);
    comparison.grow(more);
  };
  ThreadGovernor governor(grow, threads, most_threads);
  const auto report_figures = [&] {
    if (options.observer == nullptr) return;
    // Files that are compared in parts are counted once per part.
    options.observer->counts("files compared",
                             std::min(comparison.files_done(), progress.files_total));
    options.observer->counts("bytes compared",
                             std::min(comparison.bytes_done(), progress.bytes_total));
    options.observer->counts("queue", executor.queued_hint());
  };
  double next_progress = 0;
  while (!comparison.wait_for(std::min(kLookInterval, options.progress_interval))) {
    options.cancel.expire(base::monotonic_now());
    governor.tick();
    report_figures();
    if (!options.progress || watch.seconds() < next_progress) continue;
    next_progress += std::chrono::duration<double>(options.progress_interval).count();
    // Files that are compared in parts are counted once per part.
    progress.files = std::min(comparison.files_done(), progress.files_total);
    progress.bytes = std::min(comparison.bytes_done(), progress.bytes_total);
    const Findings::Counts counts = findings.counts();
    progress.groups = counts.groups;
    progress.wasted_bytes = counts.wasted_bytes;
    progress.seconds = watch.seconds();
    options.progress(progress);
  }

  report_figures();
  const rt::ObservedPhase phase(options.observer, "order");
  if (options.cancel.cancelled()) comparison.end_early();
  findings.add_known_groups();
  ComparedFiles learned = options.cancel.cancelled() ? ComparedFiles() : findings.learned();
  Duplicates result = findings.take();
  result.learned = std::move(learned);
  result.recalled = recollection != nullptr ? recollection->known_files() : 0;
  result.candidates = candidates.files().size();
  result.bytes_read = reader.bytes();
  result.threads = executor.threads();
  result.cancelled = options.cancel.cancelled();
  result.seconds = watch.seconds();
  return result;
}

}  // namespace fathom::fs
