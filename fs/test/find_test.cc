// find_entries: matches by name, and sums in which nothing is counted twice.

#include "fathom/fs/find.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

using Patterns = std::vector<std::string>;

Lines paths(const Reported& of, Patterns patterns, Selection filters = {}) {
  const FindQuery query{.patterns = std::move(patterns), .filters = std::move(filters)};
  const Found found = find_entries(of.input(), query);
  return lines(found_table(of.input(), found), {"path"});
}

// For each pattern, and for all: "MATCHES ENTRIES APPARENT_BYTES".
Lines sums(const Reported& of, const Patterns& patterns, Selection filters = {}) {
  const FindQuery query{.patterns = patterns, .filters = std::move(filters)};
  const Found found = find_entries(of.input(), query);
  Lines result = lines(found_sums_table(query, found, Measure::apparent),
                       {"matches", "entries", "apparent_bytes"});
  const FoundSum& total = found.total;
  result.push_back(std::to_string(total.matches) + ' ' + std::to_string(total.counts.entries()) +
                   ' ' + std::to_string(total.counts.apparent_bytes));
  return result;
}

// t: a.log 1, x/ 10 with b.log 2, x/ 20 with c.log 4 and y.txt 8.
Reported nested() {
  HandMadeTree made;
  const DirId top = made.root("t", {.size = 100});
  made.file(top, "a.log", {.size = 1, .blocks = 8});
  const DirId x = made.directory(top, "x", {.size = 10});
  made.file(x, "b.log", {.size = 2});
  const DirId inner = made.directory(x, "x", {.size = 20});
  made.file(inner, "c.log", {.size = 4});
  made.file(inner, "y.txt", {.size = 8});
  return Reported(made.finish(), Measure::apparent);
}

TEST(Find, ListsMatchesByPathEachOnce) {
  const Reported of = nested();
  EXPECT_EQ(paths(of, {"*.log"}), (Lines{"t/a.log", "t/x/b.log", "t/x/x/c.log"}));
  EXPECT_EQ(paths(of, {"c*", "*.LOG", "c.log"}), (Lines{"t/a.log", "t/x/b.log", "t/x/x/c.log"}));
  EXPECT_EQ(paths(of, {"x"}), (Lines{"t/x", "t/x/x"}));
  EXPECT_EQ(paths(of, {"log"}), Lines());  // the whole name, not a part of it
  EXPECT_EQ(paths(of, {"x/x"}), Lines());  // a name, not a path
  EXPECT_EQ(paths(of, {"[a"}), Lines());
}

TEST(Find, CountsWhatIsInSeveralMatchesOnce) {
  const Reported of = nested();
  EXPECT_EQ(sums(of, {"*.log"}), (Lines{"3 3 7", "3 3 7"}));
  EXPECT_EQ(sums(of, {"x"}), (Lines{"2 5 44", "2 5 44"}));
  EXPECT_EQ(sums(of, {"x", "*.log"}), (Lines{"2 5 44", "3 3 7", "5 6 45"}));
  EXPECT_EQ(sums(of, {"*", "*"}), (Lines{"6 6 45", "6 6 45", "6 6 45"}));
  EXPECT_EQ(sums(of, {"none"}), (Lines{"0 0 0", "0 0 0"}));
}

TEST(Find, ShowsTheSizeOfADirectoryWithEverythingInIt) {
  const Reported of = nested();
  const FindQuery query{.patterns = {"a.log", "x"}};
  const Found found = find_entries(of.input(), query);
  EXPECT_EQ(lines(found_table(of.input(), found)),
            (Lines{"t/a.log file 0 1 4096 1 no", "t/x directory 0 5 0 44 no",
                   "t/x/x directory 0 3 0 32 no"}));
  EXPECT_EQ(found.checked, 7U);
}

TEST(Find, FiltersMatchesButNotWhatIsInThem) {
  const Reported of = nested();
  Selection directories;
  directories.kinds = {Kind::directory};
  EXPECT_EQ(sums(of, {"*"}, directories), (Lines{"2 5 44", "2 5 44"}));
  Selection large;
  large.measure = Measure::apparent;
  large.min_size = 44;  // that of t/x with everything in it
  EXPECT_EQ(paths(of, {"*"}, large), Lines{"t/x"});
  large.min_size = 45;
  EXPECT_EQ(paths(of, {"*"}, large), Lines());
  Selection logs;
  logs.extensions = {"log"};
  EXPECT_EQ(paths(of, {"[ab]*"}, logs), (Lines{"t/a.log", "t/x/b.log"}));
}

TEST(Find, CountsTheBytesOfAnInodeOnceWhereverItsOtherNamesAre) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const Entry linked{.size = 100, .inode = 7, .links = 3};
  made.file(top, "a.dat", linked);  // the name at which a scan counts the bytes
  made.file(top, "b.iso", linked);
  const DirId folder = made.directory(top, "folder");
  made.file(folder, "c.iso", linked);
  const Reported of(made.finish(), Measure::apparent);
  EXPECT_EQ(sums(of, {"*.iso"}), (Lines{"2 2 100", "2 2 100"}));
  EXPECT_EQ(sums(of, {"b.iso", "folder"}), (Lines{"1 1 100", "1 2 100", "2 3 100"}));
  const FindQuery query{.patterns = {"*.iso"}};
  const Found found = find_entries(of.input(), query);
  EXPECT_EQ(lines(found_table(of.input(), found), {"apparent_bytes"}), (Lines{"100", "100"}));
}

TEST(Find, DoesNotMatchARootThatIsADirectory) {
  HandMadeTree made;
  const DirId top = made.root("/srv/x/", {.size = 10});
  made.file(top, "x", {.size = 1});
  made.file_root("some/x", {.size = 2});
  made.file_root("some/other", {.size = 4});
  made.root("/");
  const Reported of(made.finish(), Measure::apparent);
  EXPECT_EQ(paths(of, {"x"}), (Lines{"/srv/x/x", "some/x"}));
  EXPECT_EQ(sums(of, {"*"}), (Lines{"3 3 7", "3 3 7"}));
}

TEST(Find, MatchesARootInsideAnotherOneOnce) {
  const Entry same{.size = 10, .inode = 7};
  for (const bool inner_first : {false, true}) {
    HandMadeTree made;
    DirId inner = kNoDir;
    if (inner_first) inner = made.root("a/b", same);
    const DirId outer = made.root("a");
    const DirId again = made.directory(outer, "b", same);
    if (!inner_first) inner = made.root("a/b", same);
    made.file(inner, "f", {.size = 1, .inode = 8});
    made.file(again, "f", {.size = 1, .inode = 8});
    const Reported of(made.finish(), Measure::apparent);
    EXPECT_EQ(paths(of, {"b"}), Lines{"a/b"}) << inner_first;
    EXPECT_EQ(sums(of, {"b", "f"}), (Lines{"1 2 11", "1 1 1", "2 2 11"})) << inner_first;
    EXPECT_EQ(paths(of, {"a"}), Lines()) << inner_first;
  }
}

TEST(Find, PassesOverEntriesThatAreFilteredOut) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId gone = made.directory(top, "x", {.size = 10});
  made.file(gone, "x", {.size = 1});
  made.mark(gone, kFilteredOut);
  const Reported of(made.finish(), Measure::apparent);
  EXPECT_EQ(paths(of, {"x"}), Lines{"t/x/x"});
  EXPECT_EQ(sums(of, {"x"}), (Lines{"1 1 1", "1 1 1"}));
}

TEST(Find, SaysWhereSumsAreLowerBounds) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const DirId whole = made.directory(top, "whole");
  const DirId partly = made.directory(top, "partly");
  made.mark_incomplete(made.directory(partly, "secret"));
  made.file(whole, "f");
  const Reported of(made.finish());
  const FindQuery query{.patterns = {"whole", "partly", "f"}};
  const Found found = find_entries(of.input(), query);
  EXPECT_EQ(lines(found_sums_table(query, found, Measure::disk), {"lower_bound"}),
            (Lines{"no", "yes", "no"}));
  EXPECT_EQ(lines(found_table(of.input(), found), {"path", "lower_bound"}),
            (Lines{"t/partly yes", "t/whole no", "t/whole/f no"}));
  EXPECT_TRUE(found.total.lower_bound);
}

TEST(Find, SaturatesSums) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "a", {.size = kMost});
  made.file(top, "b", {.size = kMost, .links = 2});
  const Reported of(made.finish());
  EXPECT_EQ(sums(of, {"*"}).back(), "2 2 " + std::to_string(kMost));
}

TEST(Find, WritesJson) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "\xff", {.size = 5, .blocks = 8, .mtime = 9});
  const Reported of(made.finish());
  const FindQuery query{.patterns = {"\xff"}};
  const Found found = find_entries(of.input(), query);
  const Table matches = found_table(of.input(), found);
  const auto written = [&](const Table* table) {
    std::string text;
    write_found_json(of.input().scan(), query, found, table, [&text](std::string_view block) {
      text += block;
      return true;
    });
    return text;
  };
  const std::string sums =
      R"({"schema":"fathom.find/1","roots":[],"checked":2,"accuracy":{"complete":true,"unreadable":0,)"
      R"("changed":0},"patterns":[{"pattern":"�","pattern_b64":"/w==","matches":1,"entries":1,)"
      R"("disk_bytes":4096,"apparent_bytes":5,"lower_bound":false}],"total":{"matches":1,"entries":1,)"
      R"("disk_bytes":4096,"apparent_bytes":5,"lower_bound":false})";
  EXPECT_EQ(written(nullptr), sums + "}\n");
  EXPECT_EQ(
      written(&matches),
      sums + R"(,"matches":[{"path":"t/�","path_b64":"dC//","kind":"file","mtime":9,"entries":1,)"
             R"("disk_bytes":4096,"apparent_bytes":5,"lower_bound":false}]})"
             "\n");
}

}  // namespace
}  // namespace fathom::fs
