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

struct ComparingThreads {
  unsigned first = 0;  // at the start
  unsigned most = 0;
};

ComparingThreads threads_for(const DuplicateOptions& options) {
  const bool fixed = options.threads != 0;
  const unsigned wanted = fixed ? options.threads : rt::default_concurrency();
  const unsigned most = std::min(fixed ? wanted : std::max(wanted, ThreadGovernor::kMostThreads),
                                 most_open_files(options.max_descriptors));
  return {std::min(wanted, most), most};
}

// Reports how far a comparison is, to the observer and to DuplicateOptions::progress.
class ComparisonReports {
 public:
  ComparisonReports(const DuplicateOptions& options, const Candidates& candidates,
                    const Comparison& comparison, Findings& findings)
      : options_(options), comparison_(comparison), findings_(findings) {
    progress_.files_total = total_files(candidates);
    progress_.bytes_total = total_bytes(candidates);
  }

  void report_figures(const rt::Executor& executor) {
    if (options_.observer == nullptr) return;
    update();
    options_.observer->counts("files compared", progress_.files);
    options_.observer->counts("bytes compared", progress_.bytes);
    options_.observer->counts("queue", executor.queued_hint());
  }

  // At intervals, however often it is called.
  void report_progress(double seconds) {
    if (!options_.progress || seconds < next_) return;
    next_ += std::chrono::duration<double>(options_.progress_interval).count();
    update();
    const Findings::Counts counts = findings_.counts();
    progress_.groups = counts.groups;
    progress_.wasted_bytes = counts.wasted_bytes;
    progress_.seconds = seconds;
    options_.progress(progress_);
  }

 private:
  // Files that are compared in parts are counted once per part.
  void update() {
    progress_.files = std::min(comparison_.files_done(), progress_.files_total);
    progress_.bytes = std::min(comparison_.bytes_done(), progress_.bytes_total);
  }

  const DuplicateOptions& options_;
  const Comparison& comparison_;
  Findings& findings_;
  DuplicateProgress progress_;
  double next_ = 0;
};

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
  const ComparingThreads threads = threads_for(options);
  rt::Executor executor(
      {.threads = threads.first, .max_threads = threads.most, .observer = options.observer});
  Comparison comparison(candidates, reader, findings, recollection, options.cancel,
                        options.observer);
  ComparisonReports reports(options, candidates, comparison, findings);

  if (!options.cancel.expire(base::monotonic_now())) {
    comparison.start(executor, kSlotsPerProcessor * threads.first);
  }
  const auto grow = [&](unsigned more) {
    executor.grow(more);
    comparison.grow(more);
  };
  ThreadGovernor governor(grow, threads.first, threads.most);
  while (!comparison.wait_for(std::min(kLookInterval, options.progress_interval))) {
    options.cancel.expire(base::monotonic_now());
    governor.tick();
    reports.report_figures(executor);
    reports.report_progress(watch.seconds());
  }
  reports.report_figures(executor);

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
