// write_ncdu: the exact text of exports.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/totals.h"
#include "ncdu_text.h"

namespace fathom::fs {
namespace {

constexpr std::int64_t kTime = 1712345678;

TEST(NcduExport, LooksLikeNcdusOwn) {
  HandMadeTree made;
  const DirId top = made.root("/srv", {.size = 4096, .blocks = 8, .device = 2049, .mtime = 7});
  made.file(top, "file", {.size = 11, .blocks = 8, .device = 2049, .mtime = 9, .uid = 1, .gid = 2});
  const DirId sub = made.directory(top, "sub", {.device = 2049});
  made.file(sub, "empty", {.device = 2049});
  EXPECT_EQ(export_of(scan_of(made), {.version = "0.1.0", .taken = kTime}),
            R"([1,2,{"progname":"fathom","progver":"0.1.0","timestamp":1712345678},
[{"name":"/srv","asize":4096,"dsize":4096,"dev":2049,"uid":0,"gid":0,"mode":16877,"mtime":7},
{"name":"file","asize":11,"dsize":4096,"uid":1,"gid":2,"mode":33188,"mtime":9},
[{"name":"sub","uid":0,"gid":0,"mode":16877,"mtime":0},
{"name":"empty","uid":0,"gid":0,"mode":33188,"mtime":0}]]]
)");
}

TEST(NcduExport, NamesTheRootAsRequested) {
  HandMadeTree made;
  made.root(".");
  const std::string text = export_of(scan_of(made), {.root = "/home/me"});
  EXPECT_NE(text.find(R"([{"name":"/home/me",)"), std::string::npos) << text;
}

TEST(NcduExport, OrdersChildrenByTheBytesOfTheirNames) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  const std::vector<std::string> ordered = {
      "A",    "a",    "aa",  "common prefix 1", "common prefix 2", "common prefix 2x",
      "\x7f", "\x80", "\xff"};
  for (auto name = ordered.rbegin(); name != ordered.rend(); ++name) {
    if (name->size() % 2 == 0) {
      made.directory(top, *name);
    } else {
      made.file(top, *name);
    }
  }
  const Scan back = import_of(export_of(scan_of(made))).scan;
  std::vector<std::string> names;
  back.tree.for_each_node([&](NodeId node) {  // in the order of the export
    if (back.tree.parent(node) != kNoDir) names.emplace_back(back.tree.name(node));
  });
  EXPECT_EQ(names, ordered);
}

TEST(NcduExport, EscapesWhatJsonMustAndLeavesOtherBytesAsTheyAre) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  made.file(top, "\"\\/\n\r\b\t\f\x01\x1f\x7f\x80\xff\xc3\xa9");
  const std::string text = export_of(scan_of(made));
  EXPECT_NE(text.find("\"name\":\"\\\"\\\\/\\n\\r\\b\\t\\f\\u0001\\u001f\\u007f\x80\xff\xc3\xa9\""),
            std::string::npos)
      << text;
}

TEST(NcduExport, GivesHardLinksTheirInode) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  made.file(top, "a", {.inode = 9007199254740993, .links = 2});
  made.file(top, "b", {.inode = 1, .links = std::numeric_limits<std::uint32_t>::max()});
  made.file(top, "c", {.inode = 2, .links = 2, .mode = S_IFLNK | 0777});
  EXPECT_EQ(entries_of(scan_of(made)),
            R"([{"name":"/t","dev":1,"uid":0,"gid":0,"mode":16877,"mtime":0},
{"name":"a","uid":0,"gid":0,"mode":33188,"mtime":0,"ino":9007199254740993,"hlnkc":true,"nlink":2},
{"name":"b","uid":0,"gid":0,"mode":33188,"mtime":0,"ino":1,"hlnkc":true},
{"name":"c","uid":0,"gid":0,"mode":41471,"mtime":0,"notreg":true,"ino":2,"hlnkc":true,"nlink":2}])");
}

TEST(NcduExport, NamesADeviceWhereItChanges) {
  HandMadeTree made;
  const DirId top = made.root("/t", {.device = 5});
  const DirId mounted = made.directory(top, "mounted", {.device = 6});
  made.file(mounted, "file", {.device = 6});
  made.file(top, "bound", {.device = 7});
  made.file(top, "own", {.device = 5});
  EXPECT_EQ(entries_of(scan_of(made)),
            R"([{"name":"/t","dev":5,"uid":0,"gid":0,"mode":16877,"mtime":0},
{"name":"bound","dev":7,"uid":0,"gid":0,"mode":33188,"mtime":0},
[{"name":"mounted","dev":6,"uid":0,"gid":0,"mode":16877,"mtime":0},
{"name":"file","uid":0,"gid":0,"mode":33188,"mtime":0}],
{"name":"own","uid":0,"gid":0,"mode":33188,"mtime":0}])");
}

TEST(NcduExport, WritesATimeBefore1970WhereNcduDoesNotReadIt) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  made.file(top, "old", {.mtime = -5});
  EXPECT_NE(entries_of(scan_of(made)).find(R"("mode":33188,"negative_mtime":-5})"),
            std::string::npos);
}

TEST(NcduExport, SaturatesSizesThatNoFileHas) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  made.file(top, "huge", {.size = ~std::uint64_t{0}, .blocks = ~std::uint64_t{0}});
  EXPECT_NE(entries_of(scan_of(made))
                .find(R"("asize":18446744073709551615,"dsize":18446744073709551615)"),
            std::string::npos);
}

TEST(NcduExport, WritesReadErrorsAtTheirEntries) {
  HandMadeTree made;
  const DirId top = made.root("/t/");
  const DirId closed = made.directory(top, "closed");
  const DirId partly = made.directory(top, "partly");
  made.file(partly, "seen");
  for (const DirId directory : {top, closed, partly}) made.mark_incomplete(directory);
  Scan scan = scan_of(made);
  scan.errors = {{"/t//gone", "stat", EIO},
                 {"/t/closed", "open", EACCES},
                 {"/t/partly", "list", EIO},
                 {"/t/partly/lost", "stat", EACCES}};
  EXPECT_EQ(entries_of(scan),
            R"([{"name":"/t/","dev":1,"uid":0,"gid":0,"mode":16877,"mtime":0},
[{"name":"closed","uid":0,"gid":0,"mode":16877,"mtime":0,"read_error":true,"operation":"open","errno":13}],
{"name":"gone","read_error":true,"operation":"stat","errno":5},
[{"name":"partly","uid":0,"gid":0,"mode":16877,"mtime":0,"read_error":true,"operation":"list","errno":5},
{"name":"lost","read_error":true,"operation":"stat","errno":13},
{"name":"seen","uid":0,"gid":0,"mode":33188,"mtime":0}]])");
}

TEST(NcduExport, MarksAnInterruptedDirectory) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  made.mark_incomplete(top);
  EXPECT_EQ(entries_of(scan_of(made)),
            R"([{"name":"/t","dev":1,"uid":0,"gid":0,"mode":16877,"mtime":0,"read_error":true}])");
}

TEST(NcduExport, ExcludesADirectoryWhereItIsNotCounted) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  const DirId first = made.directory(top, "first", {.size = 10, .inode = 50});
  made.file(first, "file", {.size = 5});
  const DirId again = made.directory(top, "second", {.size = 10, .inode = 50});
  made.file(again, "file", {.size = 5});
  const Scan scan = scan_of(made);
  const std::string text = export_of(scan);
  EXPECT_NE(text.find(R"([{"name":"second","excluded":"otherfs"}])"), std::string::npos) << text;
  EXPECT_EQ(Totals(import_of(text).scan.tree).whole().apparent_bytes,
            Totals(scan.tree).whole().apparent_bytes);
}

TEST(NcduExport, RefusesWhatTheFormatCannotHold) {
  const auto refusal = [](HandMadeTree& made) -> std::string {
    const Scan scan = scan_of(made);
    try {
      write_ncdu(scan, {},
                 [](std::string_view) -> bool { throw std::logic_error("something was written"); });
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  };
  HandMadeTree two;
  two.root("/a");
  two.root("/b");
  EXPECT_NE(refusal(two).find("has 2"), std::string::npos);
  HandMadeTree file;
  file.file_root("/a");
  EXPECT_NE(refusal(file).find("/a is not one"), std::string::npos);
  HandMadeTree missing;
  missing.missing_root();
  EXPECT_NE(refusal(missing).find("/missing"), std::string::npos);
}

TEST(NcduExport, ComesInBlocksUntilTheSinkStops) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  for (int i = 0; i < 20'000; ++i) made.file(top, "file " + std::to_string(i));
  const Scan scan = scan_of(made);
  std::size_t blocks = 0;
  write_ncdu(scan, {}, [&](std::string_view block) {
    ++blocks;
    EXPECT_LT(block.size(), 128U * 1024);
    return true;
  });
  EXPECT_GT(blocks, 10U);
  std::size_t wanted = 3;
  write_ncdu(scan, {}, [&](std::string_view) { return --wanted != 0; });
  EXPECT_EQ(wanted, 0U);
}

}  // namespace
}  // namespace fathom::fs
