// The report `explain` with hand-written facts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/filesystem_facts.h"
#include "fathom/fs/report.h"
#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();

// A filesystem with device 1 at /t, of which 40,960 bytes are used.
FilesystemFacts facts_of(std::size_t root = 0) {
  FilesystemFacts facts;
  facts.roots = {root};
  facts.mount_point = "/t";
  facts.type = "ext4";
  facts.whole = true;
  facts.device = 1;
  facts.size = 100'000;
  facts.free = 59'040;
  facts.available = 50'000;
  facts.inodes = 10;
  facts.free_inodes = 7;
  return facts;
}

// The result of explain(), with its input.
class Explained {
 public:
  Explained(Scan scan, FilesystemFacts facts) : Explained(std::move(scan), std::vector{facts}) {}
  Explained(Scan scan, std::vector<FilesystemFacts> facts) : scan_(std::move(scan)) {
    scan_.filesystems = std::move(facts);
  }

  [[nodiscard]] Lines lines_of(const std::vector<std::string_view>& keys) const {
    const Totals totals(scan_.tree);
    const ReportInput input(scan_, totals, Measure::disk, 0);
    return lines(explain(input), keys);
  }

  // The note on an item of the first filesystem; "-" if there is none.
  [[nodiscard]] std::string note(const std::string& item) const {
    for (const std::string& line : lines_of({"item", "note"})) {
      if (line.starts_with(item + ' ')) return line.substr(item.size() + 1);
    }
    return "no such item";
  }

 private:
  Scan scan_;
};

// The sum of the parts, for each item that has any.
std::map<std::string, std::int64_t> sums_of_parts(const Explained& explained) {
  std::map<std::string, std::int64_t> sums;
  for (const std::string& line : explained.lines_of({"of", "bytes"})) {
    const std::size_t blank = line.find(' ');
    const std::string bytes = line.substr(blank + 1);
    if (bytes != "-") sums[line.substr(0, blank)] += std::stoll(bytes);
  }
  return sums;
}

Scan scan_of(HandMadeTree& made, std::vector<std::string> roots = {"/t"}) {
  Scan scan;
  scan.tree = made.finish();
  scan.roots = std::move(roots);
  return scan;
}

TEST(Explain, IsALedgerThatAddsUp) {
  HandMadeTree made;
  const DirId top = made.root("/t", {.blocks = 8});
  made.file(top, "file", {.size = 1, .blocks = 16});
  FilesystemFacts facts = facts_of();
  facts.deleted = {{.inode = 7,
                    .disk_bytes = 8'192,
                    .processes = 2,
                    .pid = 41,
                    .command = "logger",
                    .path = "/t/log"}};
  const Explained explained(scan_of(made), facts);
  EXPECT_EQ(explained.lines_of({"item", "of", "bytes", "count"}),
            (Lines{"size - 100000 10", "available size 50000 -", "reserved size 9040 -",
                   "used size 40960 3", "found used 12288 2", "deleted_open used 8192 2",
                   "rest used 20480 -"}));
  EXPECT_EQ(explained.lines_of({"pid", "command", "path"})[5], "41 logger /t/log");
  EXPECT_EQ(explained.lines_of({"filesystem", "type"}), Lines(7, "/t ext4"));
  EXPECT_EQ(explained.lines_of({"note"}), Lines(7, "-"));
  EXPECT_EQ(sums_of_parts(explained), (std::map<std::string, std::int64_t>{
                                          {"-", 100'000}, {"size", 100'000}, {"used", 40'960}}));
}

TEST(Explain, SaysHowMuchUsageGrewDuringTheScan) {
  for (const auto& [before, grown] : {std::pair<std::uint64_t, std::string>(40'000, "960"),
                                      {40'960, "0"},
                                      {40'961, "-1"},
                                      {kHuge, "-9223372036854734847"}}) {
    HandMadeTree made;
    made.root("/t");
    FilesystemFacts facts = facts_of();
    facts.used_before = before;
    const Lines lines = Explained(scan_of(made), facts).lines_of({"item", "grown_bytes"});
    EXPECT_EQ(lines[3], "used " + grown);
    EXPECT_EQ(lines[4], "found -");
  }
  HandMadeTree made;
  made.root("/t");
  EXPECT_EQ(Explained(scan_of(made), facts_of()).lines_of({"item", "grown_bytes"})[3], "used -");
}

TEST(Explain, WithoutFilesystemsIsEmpty) {
  HandMadeTree made;
  made.root("/t");
  EXPECT_TRUE(Explained(scan_of(made), std::vector<FilesystemFacts>()).lines_of({}).empty());
}

TEST(Explain, NamesInvisibleItemsWithoutGuessingTheirSize) {
  HandMadeTree made;
  made.root("/t", {.blocks = 8});
  Scan scan = scan_of(made);
  scan.errors = {{"/t/a", "open", 13}, {"/t/b", "open", 13}};
  FilesystemFacts facts = facts_of();
  facts.unseen_processes = 12;
  facts.hidden_by_mounts = {"/t/proc", "/t/srv"};
  const Explained explained(std::move(scan), facts);
  EXPECT_EQ(explained.lines_of({"item", "bytes", "count", "path"}),
            (Lines{"size 100000 10 -", "available 50000 - -", "reserved 9040 - -", "used 40960 3 -",
                   "found 4096 1 -", "unseen_processes - 12 -", "hidden - - /t/proc",
                   "hidden - - /t/srv", "unreadable - 2 -", "rest 36864 - -"}));
}

TEST(Explain, MayFindMoreThanIsUsed) {
  HandMadeTree made;
  const DirId top = made.root("/t", {.blocks = 8});
  made.file(top, "clone", {.blocks = 800});
  const Explained explained(scan_of(made), facts_of());
  EXPECT_EQ(explained.lines_of({"item", "bytes"}).back(),
            "rest " + std::to_string(40'960 - 808 * 512));
  EXPECT_NE(explained.note("rest").find("reflinks"), std::string::npos);
  EXPECT_EQ(sums_of_parts(explained).at("used"), 40'960);
}

TEST(Explain, CountsAnInodeOnce) {
  HandMadeTree made;
  const DirId top = made.root("/t", {.blocks = 8});
  made.file(top, "a", {.blocks = 8, .inode = 5, .links = 2});
  made.file(top, "b", {.blocks = 8, .inode = 5, .links = 2});
  EXPECT_EQ(Explained(scan_of(made), facts_of()).lines_of({"item", "bytes", "count"})[4],
            "found 8192 3");
}

TEST(Explain, LeavesOtherFilesystemsOut) {
  HandMadeTree made;
  const DirId top = made.root("/t", {.blocks = 8});
  made.file(top, "subvolume", {.blocks = 8, .device = 77});  // on a device that no mount has
  const DirId other = made.directory(top, "other", {.blocks = 8, .device = 2});
  made.file(other, "file", {.blocks = 16, .device = 2});
  FilesystemFacts facts = facts_of();
  facts.other_devices = {2, 3};
  const Explained explained(scan_of(made), facts);
  EXPECT_EQ(explained.lines_of({"item", "bytes", "count"})[4], "found 8192 2");
  EXPECT_NE(explained.note("found").find("12 KiB were found on other filesystems"),
            std::string::npos);
}

TEST(Explain, HasALedgerForEachFilesystem) {
  HandMadeTree made;
  made.root("/t", {.blocks = 8});
  made.root("/u", {.blocks = 16, .device = 2});
  const DirId again = made.root("/t/below", {.blocks = 24});
  made.file(again, "bound", {.blocks = 32, .device = 2});
  FilesystemFacts first = facts_of();
  first.roots = {0, 2};
  first.other_devices = {2};
  FilesystemFacts second = facts_of(1);
  second.device = 2;
  second.mount_point = "";
  second.other_devices = {1};
  const Explained explained(scan_of(made, {"/t", "/u", "/t/below"}), {first, second});
  const Lines found = explained.lines_of({"filesystem", "item", "bytes"});
  ASSERT_EQ(found.size(), 12U);
  EXPECT_EQ(found[4], "/t found 16384");
  EXPECT_EQ(found[10], "/u found 24576");  // by its root if the mount point is unknown
  EXPECT_EQ(sums_of_parts(explained).at("used"), 2 * 40'960);
}

TEST(Explain, CountsAnErrorWhereItsNearestRootIs) {
  HandMadeTree made;
  made.root("/t");
  made.root("/t/u", {.device = 2});
  Scan scan = scan_of(made, {"/t", "/t/u"});
  scan.errors = {{"/t/a", "open", 13}, {"/t/u/b", "open", 13}, {"/t/u/c", "open", 13}};
  FilesystemFacts second = facts_of(1);
  second.device = 2;
  const Explained explained(std::move(scan), {facts_of(0), second});
  const Lines found = explained.lines_of({"item", "count"});
  EXPECT_EQ(std::count(found.begin(), found.end(), "unreadable 1"), 1);
  EXPECT_EQ(std::count(found.begin(), found.end(), "unreadable 2"), 1);
}

TEST(Explain, DistinguishesRootsWithACommonPrefix) {
  HandMadeTree made;
  made.root("/t");
  Scan scan = scan_of(made, {"/t", "/tab"});
  scan.errors = {{"/tab", "open", 2}};
  const Explained explained(std::move(scan), {facts_of(0)});
  const Lines found = explained.lines_of({"item", "count"});
  EXPECT_EQ(std::count(found.begin(), found.end(), "unreadable 1"), 0);
}

TEST(Explain, SaysWhenTheScanIsIncomplete) {
  HandMadeTree made;
  made.root("/t/below");
  Scan scan = scan_of(made, {"/t/below"});
  scan.cancelled = true;
  FilesystemFacts facts = facts_of();
  facts.whole = false;
  const Explained explained(std::move(scan), facts);
  EXPECT_NE(explained.note("size").find("The scanned paths are only part"), std::string::npos);
  EXPECT_NE(explained.note("found").find("interrupted"), std::string::npos);
}

TEST(Explain, SaysWhatTheSelectionRemoved) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  Scan scan = scan_of(made);
  scan.excluded = {{top, "cache", Excluded::cache},
                   {top, "x.o", Excluded::pattern},
                   {top, "mnt", Excluded::other_filesystem}};
  const Explained explained(std::move(scan), facts_of());
  const Lines found = explained.lines_of({"item", "count"});
  EXPECT_EQ(found[5], "left_out 2");
  EXPECT_EQ(found.size(), 7U);
}

TEST(Explain, AcceptsAnyFigureOfASystem) {
  struct Figures {
    std::uint64_t size, free, available;
  };
  for (const auto& [size, free, available] :
       {Figures{0, 0, 0}, {kHuge, kHuge, kHuge}, {10, 20, 30}, {kHuge, 0, 5}}) {
    HandMadeTree made;
    const DirId top = made.root("/t");
    made.file(top, "huge", {.blocks = kHuge});
    FilesystemFacts facts = facts_of();
    facts.size = size;
    facts.free = free;
    facts.available = available;
    facts.free_inodes = kHuge;
    const Explained explained(scan_of(made), facts);
    const auto sums = sums_of_parts(explained);
    EXPECT_EQ(sums.at("size"), sums.at("-"));
    EXPECT_EQ(explained.lines_of({"item", "count"})[3], "used 0");
  }
}

}  // namespace
}  // namespace fathom::fs
