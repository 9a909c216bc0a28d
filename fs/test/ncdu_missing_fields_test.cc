// Facts that an export lacks (ncdu without -e; gdu) are not invented: nothing belongs to root or is
// from 1970.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <limits>
#include <string>
#include <string_view>

#include "fathom/fs/report.h"
#include "fathom/fs/totals.h"
#include "ncdu_text.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

constexpr std::int64_t kDay = 24 * 60 * 60;

// As ncdu writes it without -e.
constexpr std::string_view kPlain = R"([{"name":"/t","asize":1,"dsize":512,"dev":1},
[{"name":"empty","asize":4,"dsize":2048}],
{"name":"file","asize":2,"dsize":1024}])";

// One entry is complete, one lacks its group and time, one lacks everything.
constexpr std::string_view kMixed =
    R"([{"name":"/t","dsize":512,"dev":1,"uid":7,"gid":8,"mode":16877,"mtime":1000},
{"name":"a","dsize":1024,"uid":7,"gid":8,"mode":33188,"mtime":2000},
{"name":"b","dsize":2048,"uid":4294967294,"mode":33188},
{"name":"c","dsize":4096}])";

Reported reported(std::string_view directory, std::int64_t now) {
  return Reported(import_of(with_header(directory)).scan.tree, Measure::disk, now);
}

TEST(NcduMissingFields, OwnersAreUnknown) {
  EXPECT_EQ(lines(owners(reported(kPlain, 0).input()), {"kind", "id", "name", "entries", "share"}),
            (Lines{"user - - 3 1", "group - - 3 1"}));
  EXPECT_EQ(lines(owners(reported(kMixed, 0).input()), {"kind", "id", "disk_bytes"}),
            (Lines{"user - 4096", "user 4294967294 2048", "user 7 1536", "group - 6144",
                   "group 8 1536"}));
}

TEST(NcduMissingFields, AgesAreUnknown) {
  EXPECT_EQ(lines(ages(reported(kPlain, 10 * kDay).input()),
                  {"uid", "user", "age", "from", "until", "entries", "disk_bytes"}),
            (Lines{"- - unknown - - 3 3584"}));
  EXPECT_EQ(lines(ages(reported(kMixed, 2000).input()), {"uid", "age", "disk_bytes"}),
            (Lines{"- 1 day 1536", "- unknown 6144", "4294967294 unknown 2048", "7 1 day 1536"}));
}

TEST(NcduMissingFields, NothingIsRecent) {
  constexpr std::chrono::seconds kEver(std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(lines(recent(reported(kPlain, -10).input(), kEver)), Lines{});
  EXPECT_EQ(lines(recent(reported(kMixed, -10).input(), kEver), {"path"}), Lines{"/t/a"});
}

TEST(NcduMissingFields, TimesAreNull) {
  EXPECT_EQ(lines(largest_files(reported(kMixed, 0).input(), 10), {"path", "mtime"}),
            (Lines{"/t/c -", "/t/b -", "/t/a 2000"}));
  EXPECT_EQ(lines(empty_dirs(reported(kPlain, 0).input())), Lines{"/t/empty -"});
}

TEST(NcduMissingFields, AgeIsNeitherNewNorOld) {
  Selection selection;
  selection.newer_than = std::numeric_limits<std::int64_t>::min();
  const std::string text = with_header(kMixed);
  const auto kept = [&] { return all_paths(read_ncdu(text_source(text), selection).scan.tree); };
  EXPECT_EQ(kept(), (Lines{"/t", "/t/a"}));
  selection.newer_than.reset();
  selection.older_than = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(kept(), (Lines{"/t", "/t/a"}));
}

TEST(NcduMissingFields, StaysMissingInAnExport) {
  for (const std::string_view directory : {kPlain, kMixed}) {
    EXPECT_EQ(entries_of(import_of(with_header(directory)).scan), directory);
  }
}

// Permissions of 0 are known permissions.
TEST(NcduMissingFields, DiffersFromZero) {
  const Scan scan =
      import_of(
          with_header(R"([{"name":"/t"},{"name":"f","uid":0,"gid":0,"mode":32768,"mtime":0}])"))
          .scan;
  const Entry entry = scan.tree.entry(find_node(scan.tree, "/t/f"));
  EXPECT_EQ(entry.uid, 0U);
  EXPECT_EQ(entry.gid, 0U);
  EXPECT_EQ(entry.mtime, 0);
  EXPECT_EQ(entry.mode, S_IFREG);
  EXPECT_NE(entries_of(scan).find(R"("uid":0,"gid":0,"mode":32768,"mtime":0)"), std::string::npos);
}

}  // namespace
}  // namespace fathom::fs
