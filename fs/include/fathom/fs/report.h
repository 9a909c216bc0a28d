// Reports: the answers to what people ask of a scan, as pure functions of the finished tree.
//
// Each gives a Table, which any format can write. Every order is total (size, then path, say), so a
// report of the same filesystem is the same on every run.
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

// What reports are made of. Any number of threads may read it. It must outlive the tables that are
// made of it, and what it was made of must outlive it.
class ReportInput {
 public:
  // now is the time that ages are counted from, in seconds since the epoch.
  ReportInput(const Scan& scan, const Totals& totals, Measure measure, std::int64_t now);
  ~ReportInput();
  ReportInput(const ReportInput&) = delete;
  ReportInput& operator=(const ReportInput&) = delete;

  [[nodiscard]] const Scan& scan() const { return scan_; }
  [[nodiscard]] const Tree& tree() const { return scan_.tree; }
  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] Measure measure() const { return measure_; }
  [[nodiscard]] std::int64_t now() const { return now_; }

  // Made when somebody asks first, then shared.
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

// The count largest entries that are no directories, the largest first. An inode is listed once, at
// the path that owns it.
[[nodiscard]] Table largest_files(const ReportInput& input, std::size_t count);

// The count largest directories, each with all below it, the largest first.
[[nodiscard]] Table largest_dirs(const ReportInput& input, std::size_t count);

// The entries that are no directories and were modified no longer ago than `within`, the latest
// first.
[[nodiscard]] Table recent(const ReportInput& input, std::chrono::seconds within);

// What each extension of a file's name accounts for, the largest first.
[[nodiscard]] Table extensions(const ReportInput& input);

// The directories that hold nothing, by path.
[[nodiscard]] Table empty_dirs(const ReportInput& input);

// The symbolic links, by path.
[[nodiscard]] Table symlinks(const ReportInput& input);

// What could not be read, and why, by path.
[[nodiscard]] Table errors(const ReportInput& input);

// One row for each directory: what stands in it and what lies below.
[[nodiscard]] Table metrics(const ReportInput& input);

// A record: averages, quantiles and extremes.
[[nodiscard]] Table stats(const ReportInput& input);

// What each user owns, and each group, the largest first; with a row for what has no known owner.
[[nodiscard]] Table owners(const ReportInput& input);

// What was modified how long ago, the youngest first, of everyone and of each user; last, what has
// no known time.
[[nodiscard]] Table ages(const ReportInput& input);

// How many files there are of each size class, the smallest first.
[[nodiscard]] Table histogram(const ReportInput& input);

// What the filesystems' own figures say against what was found: of each that Scan::filesystems
// describes a ledger, in which the parts of an item add up to it.
[[nodiscard]] Table explain(const ReportInput& input);

// The kinds of reports, each named as its function is.
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
  std::size_t count = 0;           // of the largest_ reports
  std::chrono::seconds within{0};  // of recent
};

[[nodiscard]] Table make_report(const ReportInput& input, const ReportRequest& request);

// All of them, in the order of the requests; at the same time, on as many threads as pay.
[[nodiscard]] std::vector<Table> make_reports(const ReportInput& input,
                                              const std::vector<ReportRequest>& requests);

}  // namespace fathom::fs
