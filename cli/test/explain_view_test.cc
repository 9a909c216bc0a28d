// Tests of the view of --explain: its sums, its layout, and its plain form.

#include "view/explain_view.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>

#include "fathom/fs/filesystem_facts.h"
#include "fathom/fs/report.h"
#include "fathom/fs/tree_builder.h"
#include "written.h"

namespace fathom::cli {
namespace {

// A filesystem at "/t" that uses 1,000,000 bytes, of which the scan finds 4,096.
fs::Scan scan_of_one() {
  fs::TreeBuilder builder;
  fs::NodeId root = fs::kNoNode;
  {
    fs::TreeBuilder::Appender rows(builder);
    fs::Entry entry;
    entry.blocks = 8;
    entry.inode = 2;
    entry.device = 1;
    entry.links = 2;
    entry.mode = 0040755;
    root = rows.add_directory(fs::kNoDir, 0, "/t", entry).node;
  }
  fs::Scan scan;
  scan.tree = builder.finish({root});
  scan.roots = {"/t"};
  fs::FilesystemFacts facts;
  facts.roots = {0};
  facts.mount_point = "/t";
  facts.type = "ext4";
  facts.whole = true;
  facts.device = 1;
  facts.size = 10'000'000;
  facts.free = 9'000'000;
  facts.available = 8'500'000;
  scan.filesystems = {facts};
  return scan;
}

std::string written(const fs::Scan& scan, const Terminal& terminal = {}, bool plain = false,
                    bool verbose = true) {
  const fs::Totals totals(scan.tree);
  const fs::ReportInput input(scan, totals, fs::Measure::disk, 0);
  View view;
  view.terminal = terminal;
  view.plain = plain;
  view.verbose = verbose;
  return written_by([&](fs::Blocks& text) { write_explain_view(fs::explain(input), view, text); });
}

TEST(ExplainView, HasItemsThatAddUp) {
  fs::Scan scan = scan_of_one();
  scan.filesystems[0].deleted = {
      {.inode = 3, .disk_bytes = 50'000, .processes = 1, .pid = 12, .command = "a", .path = "/t/x"},
      {.inode = 4,
       .disk_bytes = 60,
       .processes = 3,
       .pid = 13,
       .command = "b\n",
       .path = "/t/\x1b"}};
  scan.filesystems[0].hidden_by_mounts = {"/t/proc"};
  scan.filesystems[0].unseen_processes = 2;
  scan.filesystems[0].inodes = 9;
  scan.filesystems[0].free_inodes = 8;
  EXPECT_EQ(written(scan),
            "Disk usage explained\n"
            "  /t (ext4)\n"
            "    10,000,000  size: 9 inodes\n"
            "     8,500,000    free for all users\n"
            "       500,000    free, but reserved\n"
            "     1,000,000    used: 1 inode\n"
            "         4,096      found: 1 entry\n"
            "        50,000      deleted but still open: /t/x (a, process 12)\n"
            "            60      deleted but still open: /t/\\x1b (b\\n, process 13, and 2 more)\n"
            "             ?      open in 2 processes that this user may not inspect\n"
            "             ?      hidden by the mount at /t/proc\n"
            "       945,844      unaccounted for: metadata, and files outside the scanned paths\n");
}

TEST(ExplainView, ShowsANegativeRest) {
  fs::Scan scan = scan_of_one();
  scan.filesystems[0].free = 9'999'999;
  const std::string text = written(scan);
  EXPECT_NE(text.find("        -4,095      unaccounted for"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  More was found than is used"), std::string::npos) << text;
}

TEST(ExplainView, FitsATerminal) {
  fs::Scan scan = scan_of_one();
  scan.filesystems[0].whole = false;
  scan.filesystems[0].free = 9'999'999;
  scan.filesystems[0].mount_point = std::string(200, 'm');
  scan.filesystems[0].hidden_by_mounts = {"/t/" + std::string(200, 'x')};
  Terminal terminal;
  terminal.person = true;
  for (const unsigned width : {40U, 60U, 80U, 120U}) {
    terminal.width = width;
    std::istringstream lines(written(scan, terminal));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
  EXPECT_NE(written(scan).find(std::string(200, 'x')),
            std::string::npos);  // off a terminal, nothing is cut
}

TEST(ExplainView, BreaksLinesAndCutsNamesButNotNumbers) {
  fs::Scan scan = scan_of_one();
  scan.filesystems[0].size = 1'234'567'890'123;
  scan.filesystems[0].inodes = 1'234'567'890;
  scan.filesystems[0].deleted = {{.inode = 3,
                                  .disk_bytes = 50'000,
                                  .processes = 1'235,
                                  .pid = 1234567,
                                  .command = "a",
                                  .path = "/t/" + std::string(90, 'x')}};
  Terminal terminal;
  terminal.person = true;
  terminal.width = 40;
  const std::string text = written(scan, terminal);
  for (const char* number : {"1,234,567,890,123 ", " 1,234,567,890\n", " 1234567,", " 1,234\n"}) {
    EXPECT_NE(text.find(number), std::string::npos) << number << '\n' << text;
  }
  EXPECT_EQ(text.find(std::string(90, 'x')), std::string::npos);
}

TEST(ExplainView, ShowsTheChangeOfUsedSpaceDuringTheScan) {
  fs::Scan scan = scan_of_one();
  EXPECT_EQ(written(scan).find("during"), std::string::npos);
  scan.filesystems[0].used_before = 1'000'000;
  EXPECT_EQ(written(scan).find("during"), std::string::npos);
  scan.filesystems[0].used_before = 900'000;
  EXPECT_NE(written(scan).find("used; it grew by 100,000 bytes during the scan\n"),
            std::string::npos);
  scan.filesystems[0].used_before = 1'000'001;
  EXPECT_NE(written(scan).find("used; it shrank by 1 byte during the scan\n"), std::string::npos);
}

TEST(ExplainView, HasAPlainForm) {
  fs::Scan scan = scan_of_one();
  scan.filesystems[0].deleted = {{.inode = 3,
                                  .disk_bytes = 1'050'000,
                                  .processes = 1,
                                  .pid = 12,
                                  .command = "a",
                                  .path = "/x"}};
  scan.filesystems[0].unseen_processes = 2;
  Terminal terminal;
  terminal.person = true;
  terminal.width = 40;
  EXPECT_EQ(
      written(scan, terminal, /*plain=*/true),
      "Disk usage explained\n"
      "Filesystem: /t (ext4)\n"
      "10,000,000 bytes, size\n"
      "8,500,000 bytes of the size, free for all users\n"
      "500,000 bytes of the size, free, but reserved\n"
      "1,000,000 bytes of the size, used\n"
      "4,096 bytes of the used space, found: 1 entry\n"
      "1,050,000 bytes of the used space, deleted but still open: /x (a, process 12)\n"
      "An unknown part of the used space, open in 2 processes that this user may not inspect\n"
      "minus 54,096 bytes of the used space, unaccounted for: metadata, and files outside the "
      "scanned paths\n"
      "More was found than is used: blocks that files share (reflinks, snapshots, layers) or "
      "compress count once or less on the disk, and files may have changed during the scan.\n");
}

std::string notable(const fs::Scan& scan, bool plain = false) {
  return written(scan, {}, plain, /*verbose=*/false);
}

fs::DeletedFile deleted(std::uint64_t bytes, std::string path) {
  return {.inode = bytes,
          .disk_bytes = bytes,
          .processes = 1,
          .pid = 12,
          .command = "a",
          .path = std::move(path)};
}

TEST(ExplainView, LeavesOutWhatExplainsNothing) {
  fs::Scan scan = scan_of_one();
  scan.filesystems[0].available = scan.filesystems[0].free;  // nothing is reserved
  scan.filesystems[0].deleted = {deleted(995'000, "/t/log"), deleted(10, "/t/x")};
  scan.filesystems[0].hidden_by_mounts = {"/t/proc", "/t/sys"};
  scan.filesystems[0].unseen_processes = 2;
  scan.filesystems[0].used_before = 999'999;
  EXPECT_EQ(notable(scan),
            "Disk usage explained\n"
            "  /t (ext4)\n"
            "    9.5 MiB  size\n"
            "    8.6 MiB    free for all users\n"
            "    977 KiB    used\n"
            "    4.0 KiB      found: 1 entry\n"
            "    972 KiB      deleted but still open: /t/log (a, process 12)\n"
            "\n"
            "6 minor rows hidden; --verbose shows them.\n");
}

TEST(ExplainView, ShowsUnknownPartsIfTheyMayExplainTheRest) {
  fs::Scan scan = scan_of_one();
  scan.filesystems[0].hidden_by_mounts = {"/t/proc", "/t/sys", "/t/dev"};
  scan.filesystems[0].unseen_processes = 2;
  const std::string text = notable(scan);
  EXPECT_NE(
      text.find(
          "    ?      open in 2 processes that this user may not inspect\n"
          "          ?      hidden by the mounts at /t/proc and 2 others\n"
          "    973 KiB      unaccounted for: metadata, and files outside the scanned paths\n"),
      std::string::npos)
      << text;
  EXPECT_EQ(text.find("hidden;"), std::string::npos) << text;
  scan.filesystems[0].hidden_by_mounts.resize(1);
  EXPECT_NE(notable(scan).find("hidden by the mount at /t/proc\n"), std::string::npos);
}

TEST(ExplainView, OfAPartOfAFilesystemLeavesOutUnknownParts) {
  fs::Scan scan = scan_of_one();
  scan.filesystems[0].whole = false;  // the rest is what is elsewhere
  scan.filesystems[0].hidden_by_mounts = {"/t/proc"};
  const std::string text = notable(scan);
  EXPECT_EQ(text.find("hidden by"), std::string::npos) << text;
  EXPECT_NE(text.find("    973 KiB      unaccounted for"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  The scanned paths are only part of this filesystem"), std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("\n\n1 minor row hidden; --verbose shows it.\n")) << text;
}

TEST(ExplainView, JoinsManySmallDeletedFiles) {
  fs::Scan scan = scan_of_one();
  for (int i = 0; i < 100; ++i) {
    scan.filesystems[0].deleted.push_back(deleted(900, "/t/" + std::to_string(i)));
  }
  const std::string text = notable(scan);
  EXPECT_NE(text.find("     88 KiB      deleted but still open: 100 smaller files\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("hidden;"), std::string::npos) << text;
}

TEST(ExplainView, ShowsALargeChangeInUnits) {
  fs::Scan scan = scan_of_one();
  scan.filesystems[0].used_before = 900'000;
  EXPECT_NE(notable(scan).find("used; it grew by 98 KiB during the scan\n"), std::string::npos);
}

TEST(ExplainView, HasAPlainFormInUnits) {
  fs::Scan scan = scan_of_one();
  scan.filesystems[0].free = 9'999'999;
  const std::string text = notable(scan, /*plain=*/true);
  EXPECT_NE(text.find("\n9.5 MiB, size\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nminus 4.0 KiB of the used space, unaccounted for"), std::string::npos)
      << text;
}

TEST(ExplainView, ReportsAnEmptyList) {
  fs::Scan scan = scan_of_one();
  scan.filesystems.clear();
  EXPECT_EQ(written(scan), "Disk usage explained\n  none\n");
}

}  // namespace
}  // namespace fathom::cli
