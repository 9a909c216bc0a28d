// Reports: tables made from a tree and its totals, as pure functions.
//
// Each returns a Table, which any format can write. Every order is total (for example size, then
// path), so a report of the same filesystem is the same on every run.
//
//   const ReportInput input(scan, totals, Measure::disk, now);
//   for (const Table& table : make_reports(input, requests)) write_csv(table, sink);

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fathom/fs/children.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/table.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/tree.h"

namespace fathom::fs {

// The input of all reports. Any number of threads may read it. It must outlive the tables that are
// made from it, and its own arguments must outlive it.
class ReportInput {
 public:
  // Ages are relative to now, in seconds since the epoch.
  ReportInput(const Scan& scan, const Totals& totals, Measure measure, std::int64_t now);
  ~ReportInput();
  ReportInput(const ReportInput&) = delete;
  ReportInput& operator=(const ReportInput&) = delete;

  [[nodiscard]] const Scan& scan() const { return scan_; }
  [[nodiscard]] const Tree& tree() const { return scan_.tree; }
  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] Measure measure() const { return measure_; }
  [[nodiscard]] std::int64_t now() const { return now_; }

  // Made on first use, then shared.
  [[nodiscard]] const Children& children() const;

 private:
  struct Derived;

  const Scan& scan_;
  const Totals& totals_;
  const Measure measure_;
  const std::int64_t now_;
  const std::unique_ptr<Derived> derived_;  // each part is made once, by whichever thread is first
};

// A record: numbers of entries, sizes, depth, time.
[[nodiscard]] Table summary(const ReportInput& input);

// The `count` largest non-directory entries, the largest first. An inode is listed once, at the
// path that owns it.
[[nodiscard]] Table largest_files(const ReportInput& input, std::size_t count);

// The `count` largest directories, each with everything below it, the largest first.
[[nodiscard]] Table largest_dirs(const ReportInput& input, std::size_t count);

// The non-directory entries that were modified at most `within` ago, the latest first.
[[nodiscard]] Table recent(const ReportInput& input, std::chrono::seconds within);

// Totals by file name extension, the largest first.
[[nodiscard]] Table extensions(const ReportInput& input);

// The empty directories, by path.
[[nodiscard]] Table empty_dirs(const ReportInput& input);

// The symbolic links, by path.
[[nodiscard]] Table symlinks(const ReportInput& input);

// The entries that could not be read, with the reason, by path.
[[nodiscard]] Table errors(const ReportInput& input);

// One row per directory: its own entries and everything below it.
[[nodiscard]] Table metrics(const ReportInput& input);

// A record: averages, quantiles and extremes.
[[nodiscard]] Table stats(const ReportInput& input);

// Totals by user, then by group, the largest first; with a row for entries of unknown owner.
[[nodiscard]] Table owners(const ReportInput& input);

// Totals by age, the youngest first, for all users together and for each user; entries of unknown
// time come last.
[[nodiscard]] Table ages(const ReportInput& input);

// The number of files in each size class, the smallest first.
[[nodiscard]] Table histogram(const ReportInput& input);

// The filesystem's own figures compared with the scan: for each filesystem in Scan::filesystems a
// ledger, in which the parts of an item add up to it.
[[nodiscard]] Table explain(const ReportInput& input);

// The kinds of reports, each named like its function.
enum class ReportKind : std::uint8_t {
  summary,
  largest_files,
  largest_dirs,
  recent,
  extensions,
  empty_dirs,
  symlinks,
  errors,
  metrics,
  stats,
  owners,
  ages,
  histogram,
  explain,
};

struct ReportRequest {
  ReportKind kind = ReportKind::summary;
  std::size_t count = 0;           // for the largest_ reports
  std::chrono::seconds within{0};  // for recent
};

[[nodiscard]] Table make_report(const ReportInput& input, const ReportRequest& request);

// Makes all reports, in the order of the requests, in parallel on as many threads as are useful.
[[nodiscard]] std::vector<Table> make_reports(const ReportInput& input,
                                              const std::vector<ReportRequest>& requests);

}  // namespace fathom::fs
