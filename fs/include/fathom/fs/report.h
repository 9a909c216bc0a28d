// Reports: tables made from a tree and its totals, as pure functions.
//
// Each returns a Table, which any format can write. Every order is total (for example size, then
// path), so a report of the same filesystem is the same on every run.
//
//   const ReportInput input(scan, totals, Measure::disk, now);
//   for (const Table& table : make_reports(input, requests)) write_csv(table, sink);

#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/fs/children.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/newest.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/subtree.h"
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
  // The reports are only about a part of the tree of the scan, as if nothing else had been scanned,
  // except that bytes of an inode that are counted at a path outside of it do not count, as in
  // Totals; and that times and the numbers of vanished entries are those of the scan.
  ReportInput(const Scan& scan, const Totals& totals, Measure measure, std::int64_t now,
              Subtree part);
  ~ReportInput();
  ReportInput(const ReportInput&) = delete;
  ReportInput& operator=(const ReportInput&) = delete;

  [[nodiscard]] const Scan& scan() const { return scan_; }
  [[nodiscard]] const Tree& tree() const { return scan_.tree; }
  [[nodiscard]] const Subtree& part() const { return part_; }
  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const Counts& sums() const { return sums_; }  // of the part
  // The level of an entry of the part; 0: its top, or a root.
  [[nodiscard]] std::uint32_t depth(NodeId node) const;
  // Whether it contains the entry at a path, as Tree::path() writes it.
  [[nodiscard]] bool contains(std::string_view path) const;
  [[nodiscard]] Measure measure() const { return measure_; }
  [[nodiscard]] std::int64_t now() const { return now_; }

  // Each is made on first use, then shared.
  [[nodiscard]] const Children& children() const;
  // Without times after latest_usable(now).
  [[nodiscard]] const Newest& newest() const;

 private:
  struct Derived;

  const Scan& scan_;
  const Totals& totals_;
  const Measure measure_;
  const std::int64_t now_;
  const Subtree part_;
  const Counts sums_;
  const std::uint32_t top_depth_;
  const std::string top_path_;              // empty for the whole tree
  const std::unique_ptr<Derived> derived_;  // each part is made once, by whichever thread is first
};

// A record: numbers of entries, sizes, depth, time.
[[nodiscard]] Table summary(const ReportInput& input);

// The `count` largest non-directory entries, the largest first. An inode is listed once, at the
// path that owns it.
[[nodiscard]] Table largest_files(const ReportInput& input, std::size_t count);

// Which directories largest_dirs() lists.
enum class Levels : std::uint8_t {
  all,
  folded,  // not those with at least two thirds of their bytes in one of their subdirectories
};

// The `count` largest directories, each with everything below it, the largest first.
[[nodiscard]] Table largest_dirs(const ReportInput& input, std::size_t count,
                                 Levels levels = Levels::all);

// The non-directory entries that were modified at most `within` ago, the latest first; then those
// with a time in the future, which usually is a mistake.
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
  std::size_t count = 0;           // if the report takes a count
  std::chrono::seconds within{0};  // if it takes an age
  Levels levels = Levels::all;     // of largest_dirs
};

enum class ReportArgument : std::uint8_t { none, count, age };

// A report, as the command, the server and the tests know it.
struct ReportInfo {
  ReportKind kind;
  TableHead head;  // its key also names the option, with '-' for '_', and the path of the server
  std::string_view description;  // a phrase; N is the count, WHEN the moment
  ReportArgument argument = ReportArgument::none;
  bool common = false;       // one of those that most users want
  bool needs_links = false;  // ScanOptions::read_links
  bool needs_facts = false;  // Scan::filesystems
  Table (*make)(const ReportInput& input, const ReportRequest& request);
};

// Adapts a report without an argument.
template <Table (*kMake)(const ReportInput&)>
Table report_of(const ReportInput& input, const ReportRequest&) {
  return kMake(input);
}

// All reports, in the order of ReportKind.
inline constexpr std::array kReports = {
    ReportInfo{.kind = ReportKind::summary,
               .head = {.key = "summary", .title = "Summary", .shape = TableShape::record},
               .description = "the number of entries, their sizes, and the time",
               .make = report_of<summary>},
    ReportInfo{
        .kind = ReportKind::largest_files,
        .head = {.key = "largest_files", .title = "Largest files"},
        .description = "the N largest files",
        .argument = ReportArgument::count,
        .common = true,
        .make = [](const ReportInput& input,
                   const ReportRequest& request) { return largest_files(input, request.count); }},
    ReportInfo{.kind = ReportKind::largest_dirs,
               .head = {.key = "largest_dirs", .title = "Largest directories"},
               .description = "the N largest directories with everything below them",
               .argument = ReportArgument::count,
               .common = true,
               .make =
                   [](const ReportInput& input, const ReportRequest& request) {
                     return largest_dirs(input, request.count, request.levels);
                   }},
    ReportInfo{.kind = ReportKind::recent,
               .head = {.key = "recent", .title = "Recently modified", .order = RowOrder::apart},
               .description = "entries modified since WHEN: 3d, today, 2026-01-31",
               .argument = ReportArgument::age,
               .common = true,
               .make = [](const ReportInput& input,
                          const ReportRequest& request) { return recent(input, request.within); }},
    ReportInfo{.kind = ReportKind::extensions,
               .head = {.key = "extensions", .title = "Extensions"},
               .description = "files and sizes by extension",
               .common = true,
               .make = report_of<extensions>},
    ReportInfo{.kind = ReportKind::empty_dirs,
               .head = {.key = "empty_dirs", .title = "Empty directories"},
               .description = "empty directories",
               .make = report_of<empty_dirs>},
    ReportInfo{.kind = ReportKind::symlinks,
               .head = {.key = "symlinks", .title = "Symbolic links"},
               .description = "symbolic links and their targets",
               .needs_links = true,
               .make = report_of<symlinks>},
    ReportInfo{.kind = ReportKind::errors,
               .head = {.key = "errors", .title = "Errors"},
               .description = "everything that could not be read, and why",
               .common = true,
               .make = report_of<errors>},
    ReportInfo{.kind = ReportKind::metrics,
               .head = {.key = "metrics", .title = "Directories"},
               .description = "every directory, with counts and sizes",
               .make = report_of<metrics>},
    ReportInfo{.kind = ReportKind::stats,
               .head = {.key = "stats", .title = "Statistics", .shape = TableShape::record},
               .description = "averages, quantiles and extremes",
               .make = report_of<stats>},
    ReportInfo{.kind = ReportKind::owners,
               .head = {.key = "owners", .title = "Owners"},
               .description = "disk usage by user, then by group",
               .make = report_of<owners>},
    ReportInfo{.kind = ReportKind::ages,
               .head = {.key = "ages", .title = "Ages", .order = RowOrder::scale},
               .description = "disk usage by time since the last modification",
               .make = report_of<ages>},
    ReportInfo{.kind = ReportKind::histogram,
               .head = {.key = "histogram", .title = "File sizes", .order = RowOrder::scale},
               .description = "the number of files by size",
               .make = report_of<histogram>},
    ReportInfo{
        .kind = ReportKind::explain,
        .head = {.key = "explain", .title = "Disk usage explained", .order = RowOrder::sum},
        .description = "what uses the space that df reports, even where a scan cannot find it",
        .needs_facts = true,
        .make = report_of<explain>},
};

[[nodiscard]] constexpr const ReportInfo& report_info(ReportKind kind) {
  return kReports[static_cast<std::size_t>(kind)];
}

static_assert(std::all_of(kReports.begin(), kReports.end(), [](const ReportInfo& report) {
  return &report == &report_info(report.kind);
}));

// Makes one report.
[[nodiscard]] Table make_report(const ReportInput& input, const ReportRequest& request);

// Makes all reports, in the order of the requests, in parallel on as many threads as are useful.
[[nodiscard]] std::vector<Table> make_reports(const ReportInput& input,
                                              const std::vector<ReportRequest>& requests);

}  // namespace fathom::fs
