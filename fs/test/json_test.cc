// JSON: the exact text of a small scan, and that names of any bytes are preserved.

#include "fathom/fs/json.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/fs/report.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "fathom/fs/utf8.h"
#include "hand_made_tree.h"
#include "json_of.h"

namespace fathom::fs {
namespace {

Scan small_scan() {
  HandMadeTree made;
  const DirId top = made.root("/t", {.size = 4096, .blocks = 8});
  const DirId sub = made.directory(top, "sub", {.size = 100, .blocks = 8});
  const Entry linked{.size = 10, .blocks = 16, .inode = 7, .mtime = 1700000000, .links = 2};
  made.file(top, "a", linked);
  made.file(sub, "b", linked);
  made.file(sub, "link", {.size = 3, .mtime = -5, .mode = S_IFLNK | 0777});
  made.file(sub, "fifo", {.mode = S_IFIFO | 0600});
  made.mark_incomplete(sub);
  Scan scan;
  scan.tree = made.finish();
  scan.errors.push_back({.path = "/t/sub/secret", .operation = "stat", .code = EACCES});
  scan.roots = {"/t"};
  scan.engine = Engine::steal;
  scan.threads = 3;
  scan.seconds = 0.5;
  scan.changed = 2;
  return scan;
}

TEST(Json, OfASmallScanIsExactlyThis) {
  const Scan scan = small_scan();
  const std::vector<ReportRequest> reports = {{.kind = ReportKind::largest_files, .count = 2},
                                              {.kind = ReportKind::summary},
                                              {.kind = ReportKind::errors},
                                              {.kind = ReportKind::largest_dirs, .count = 1}};
  const std::string expected =
      R"({"schema":"fathom.scan/1","roots":[{"path":"/t"}],)"
      R"("totals":{"files":2,"dirs":2,"symlinks":1,"others":1,"entries":6,)"
      R"("disk_bytes":16384,"apparent_bytes":4209},)"
      R"("accuracy":{"complete":false,"unreadable":1,"changed":2},)"
      R"("timing":{"seconds":0.5,"entries_per_second":12.0,"threads":3,"engine":"steal"},)"
      R"("reports":{)"
      R"("largest_files":[)"
      R"({"path":"/t/a","disk_bytes":8192,"apparent_bytes":10,"mtime":1700000000},)"
      R"({"path":"/t/sub/fifo","disk_bytes":0,"apparent_bytes":0,"mtime":0}],)"
      R"("summary":{"files":2,"dirs":2,"symlinks":1,"others":1,"entries":6,)"
      R"("disk_bytes":16384,"apparent_bytes":4209,"depth":1,"lower_bound":true,"unreadable":1,)"
      R"("changed":2,"seconds":0.5,"entries_per_second":12.0},)"
      R"("errors":[{"path":"/t/sub/secret","operation":"stat","errno":13,)"
      R"("message":"Permission denied"}],)"
      R"("largest_dirs":[{"path":"/t","files":2,"dirs":2,"symlinks":1,"others":1,"entries":6,)"
      R"("disk_bytes":16384,"apparent_bytes":4209,"lower_bound":true}]}})"
      "\n";
  EXPECT_EQ(json_of(scan, reports), expected);
}

TEST(Json, HasEveryKeyOfTheContract) {
  const rapidjson::Document json = parse(json_of(small_scan(), {}));
  std::vector<std::string> keys;
  for (const auto& member : json.GetObject()) keys.emplace_back(member.name.GetString());
  const std::vector<std::string> expected = {"schema",   "roots",  "totals",
                                             "accuracy", "timing", "reports"};
  EXPECT_EQ(keys, expected);
  EXPECT_STREQ(json["schema"].GetString(), "fathom.scan/1");
  for (const char* key :
       {"files", "dirs", "symlinks", "others", "entries", "disk_bytes", "apparent_bytes"}) {
    EXPECT_TRUE(json["totals"].HasMember(key) && json["totals"][key].IsUint64()) << key;
  }
  EXPECT_TRUE(json["accuracy"]["complete"].IsBool());
  EXPECT_TRUE(json["accuracy"]["unreadable"].IsUint64());
  EXPECT_TRUE(json["accuracy"]["changed"].IsUint64());
  EXPECT_TRUE(json["timing"]["seconds"].IsNumber());
  EXPECT_TRUE(json["timing"]["entries_per_second"].IsNumber());
  EXPECT_TRUE(json["timing"]["threads"].IsUint64());
  EXPECT_TRUE(json["timing"]["engine"].IsString());
  EXPECT_TRUE(json["reports"].IsObject());
  EXPECT_EQ(json["reports"].MemberCount(), 0U);
}

TEST(Json, OfAnEmptyScanIsComplete) {
  Scan scan;
  const rapidjson::Document json =
      parse(json_of(scan, {{.kind = ReportKind::largest_files, .count = 5},
                           {.kind = ReportKind::largest_dirs, .count = 5},
                           {.kind = ReportKind::errors}}));
  EXPECT_EQ(json["roots"].Size(), 0U);
  EXPECT_EQ(json["totals"]["entries"].GetUint64(), 0U);
  EXPECT_TRUE(json["accuracy"]["complete"].GetBool());
  EXPECT_EQ(json["reports"]["largest_files"].Size(), 0U);
  EXPECT_EQ(json["reports"]["largest_dirs"].Size(), 0U);
  EXPECT_EQ(json["reports"]["errors"].Size(), 0U);
}

TEST(Json, SaysThatACancelledScanIsIncomplete) {
  Scan scan;
  scan.cancelled = true;
  EXPECT_FALSE(parse(json_of(scan, {}))["accuracy"]["complete"].GetBool());
}

TEST(Json, PreservesNumbersThatADoubleCannotHold) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const std::uint64_t odd = (1ULL << 53) + 1;
  made.file(top, "odd", {.size = odd, .mtime = kUnknownTime + 1});
  made.file(top, "most", {.size = kMost - odd, .mtime = 13569465600});
  Scan scan;
  scan.tree = made.finish();
  const rapidjson::Document json =
      parse(json_of(scan, {{.kind = ReportKind::largest_files, .count = 2}}, Measure::apparent));
  EXPECT_EQ(json["totals"]["apparent_bytes"].GetUint64(), kMost);
  const auto& files = json["reports"]["largest_files"];
  ASSERT_EQ(files.Size(), 2U);
  EXPECT_EQ(files[0]["apparent_bytes"].GetUint64(), kMost - odd);
  EXPECT_EQ(files[0]["mtime"].GetInt64(), 13569465600);
  EXPECT_EQ(files[1]["apparent_bytes"].GetUint64(), odd);
  EXPECT_EQ(files[1]["mtime"].GetInt64(), kUnknownTime + 1);
}

TEST(Json, WritesNumbersThatAreNotFiniteAsNull) {
  Scan scan = small_scan();
  scan.seconds = 0;  // six entries in no time
  const rapidjson::Document json = parse(json_of(scan, {}));
  EXPECT_TRUE(json["timing"]["entries_per_second"].IsNumber());
}

TEST(Json, FollowsTheRequestedMeasure) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "sparse", {.size = 1'000'000, .blocks = 1});
  made.file(top, "dense", {.size = 10, .blocks = 100});
  Scan scan;
  scan.tree = made.finish();
  const std::vector<ReportRequest> one = {{.kind = ReportKind::largest_files, .count = 1}};
  const auto first = [&](Measure measure) {
    const rapidjson::Document json = parse(json_of(scan, one, measure));
    return std::string(json["reports"]["largest_files"][0]["path"].GetString());
  };
  EXPECT_EQ(first(Measure::disk), "t/dense");
  EXPECT_EQ(first(Measure::apparent), "t/sparse");
}

// The path of an error after writing and reading it.
std::string round_trip(const std::string& path) {
  Scan scan;
  scan.errors.push_back({.path = path, .operation = "open", .code = EIO});
  const rapidjson::Document json = parse(json_of(scan, {{.kind = ReportKind::errors}}));
  return path_of(json["reports"]["errors"][0]);
}

bool has_b64(const std::string& path) {
  Scan scan;
  scan.roots = {path};
  return parse(json_of(scan, {}))["roots"][0].HasMember("path_b64");
}

TEST(Json, EscapesWhatJsonMustEscape) {
  Scan scan;
  scan.roots = {"quote\" backslash\\ slash/ newline\n tab\t escape\x1b del\x7f one\x01"};
  const std::string text = json_of(scan, {});
  for (const char c : std::string_view(text).substr(0, text.size() - 1)) {
    EXPECT_GE(static_cast<unsigned char>(c), 0x20U) << "a bare control character";
  }
  EXPECT_EQ(text.back(), '\n');
  EXPECT_NE(text.find("quote\\\" backslash\\\\"), std::string::npos);
  EXPECT_FALSE(parse(text)["roots"][0].HasMember("path_b64"));
}

TEST(Json, PreservesEveryByte) {
  for (int byte = 1; byte < 256; ++byte) {
    const std::string path = std::string("a") + static_cast<char>(byte) + "b";
    EXPECT_EQ(round_trip(path), path) << byte;
    EXPECT_EQ(has_b64(path), byte >= 0x80) << byte;
  }
}

TEST(Json, PreservesEveryPairOfBytesAtEveryOffsetOfThree) {
  // Every pair: all two-byte sequences, valid and invalid, and all beginnings of longer ones.
  std::string all;
  for (int a = 0x80; a < 256; ++a) {
    for (int b = 0x80; b < 256; ++b) {
      all += static_cast<char>(a);
      all += static_cast<char>(b);
      all += 'x';
    }
  }
  EXPECT_EQ(round_trip(all), all);
  for (std::size_t drop = 0; drop < 4; ++drop) {
    const std::string shorter = all.substr(drop);  // all remainders of base64's groups of three
    EXPECT_EQ(round_trip(shorter), shorter);
    EXPECT_EQ(round_trip(all.substr(0, drop)), all.substr(0, drop));
  }
}

TEST(Json, WritesUtf8AsItIs) {
  for (const std::string path :
       {"\xc3\xa9", "e\xcc\x81", "\xe6\x97\xa5\xe6\x9c\xac", "\xd7\xa9\xd7\x9c", "\xf0\x9f\x98\x80",
        "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbd",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(round_trip(path), path);
    EXPECT_FALSE(has_b64(path)) << path;
  }
}

// The test vectors of RFC 4648.
TEST(Utf8, WritesAndReadsBase64) {
  const std::pair<const char*, const char*> vectors[] = {{"", ""},
                                                         {"f", "Zg=="},
                                                         {"fo", "Zm8="},
                                                         {"foo", "Zm9v"},
                                                         {"foob", "Zm9vYg=="},
                                                         {"fooba", "Zm9vYmE="},
                                                         {"foobar", "Zm9vYmFy"},
                                                         {"\xfb\xff", "+/8="}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(to_base64(bytes), text);
    EXPECT_EQ(from_base64(text), bytes);
  }
  for (const char* text : {"Zg", "Zg=", "Zg===", "Zh==", "Z", "Zm9v=", "Zm9v\n", "-_8=", "Zm 9v"}) {
    EXPECT_EQ(from_base64(text), std::nullopt) << text;
  }
}

TEST(Utf8, EscapesOnlyBytesThatAreNoText) {
  EXPECT_EQ(to_escaped_utf8("a\\b\xc3\xa4"), "a\\b\xc3\xa4");
  EXPECT_EQ(to_escaped_utf8("\xff-\xc3(\x80"), "\\xff-\\xc3(\\x80");
  EXPECT_TRUE(is_utf8(to_escaped_utf8("\xf0\x9f\x98")));
}

TEST(Json, AddsTheBytesOfPathsThatAreNotUtf8) {
  for (const std::string path : {"\xff",
                                 "\xfe",
                                 "\xc3",
                                 "\xc0\xaf",
                                 "\xc1\xbf",
                                 "\xe0\x80\xaf",
                                 "\xe0\x9f\xbf",
                                 "\xed\xa0\x80",
                                 "\xed\xbf\xbf",
                                 "\xed\xa0\x80\xed\xb0\x80",
                                 "\xf0\x80\x80\x80",
                                 "\xf0\x8f\xbf\xbf",
                                 "\xf4\x90\x80\x80",
                                 "\xf5\x80\x80\x80",
                                 "\xf8\x88\x80\x80\x80",
                                 "\xe6\x97",
                                 "\xe6\x97/\xa5",
                                 "\xf0\x9f\x98",
                                 "ok\x80",
                                 "\xc3\xa9\xff"}) {
    EXPECT_EQ(round_trip(path), path) << ::testing::PrintToString(path);
    EXPECT_TRUE(has_b64(path)) << ::testing::PrintToString(path);
  }
}

TEST(Json, ReplacesInvalidBytesInTheReadablePath) {
  Scan scan;
  scan.roots = {
      "a\xff"
      "b"};
  const rapidjson::Document json = parse(json_of(scan, {}));
  EXPECT_STREQ(json["roots"][0]["path"].GetString(),
               "a\xef\xbf\xbd"
               "b");
  EXPECT_STREQ(json["roots"][0]["path_b64"].GetString(), "Yf9i");
}

// Writes a table of one column as JSON, with a single cell.
rapidjson::Document only_cell(CellType type, const Cell& cell) {
  const Table table({"made_up", "Made up", TableShape::record}, {{"it", "It", type}}, 1,
                    [&cell](std::size_t, std::vector<Cell>& cells) { cells = {cell}; });
  const Scan scan;
  std::string text;
  write_json(scan, Totals(scan.tree), {table}, [&text](std::string_view block) {
    text += block;
    return true;
  });
  return parse(text);
}

TEST(Json, WritesEveryTypeOfCell) {
  const auto value = [](CellType type, const Cell& cell) {
    const rapidjson::Document json = only_cell(type, cell);
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    json["reports"]["made_up"].Accept(writer);
    return std::string(text.GetString());
  };
  EXPECT_EQ(value(CellType::count, kMost), R"({"it":18446744073709551615})");
  EXPECT_EQ(value(CellType::bytes, std::uint64_t{0}), R"({"it":0})");
  EXPECT_EQ(value(CellType::number, std::int64_t{-7}), R"({"it":-7})");
  EXPECT_EQ(value(CellType::share, 0.25), R"({"it":0.25})");
  EXPECT_EQ(value(CellType::time, std::int64_t{-1}), R"({"it":-1})");
  EXPECT_EQ(value(CellType::flag, true), R"({"it":true})");
  EXPECT_EQ(value(CellType::bound, false), R"({"it":false})");
  EXPECT_EQ(value(CellType::text, std::string("a\"b")), R"({"it":"a\"b"})");
  EXPECT_EQ(value(CellType::path, std::string("a\xff")),
            "{\"it\":\"a\xef\xbf\xbd\",\"it_b64\":\"Yf8=\"}");
  EXPECT_EQ(value(CellType::path, Cell()), R"({"it":null})");
  EXPECT_EQ(value(CellType::rate, std::numeric_limits<double>::infinity()), R"({"it":null})");
  EXPECT_EQ(value(CellType::share, std::numeric_limits<double>::quiet_NaN()), R"({"it":null})");
}

// A list of that many rows, each with its number.
Table numbers(std::size_t rows) {
  return {{"numbers", "Numbers"},
          {{"number", "Number", CellType::count}},
          rows,
          [](std::size_t row, std::vector<Cell>& cells) { add_cells(cells, std::uint64_t{row}); }};
}

TEST(Json, ComesInBlocks) {
  constexpr std::size_t kRows = 100'000;
  const Scan scan;
  std::string text;
  std::size_t blocks = 0;
  std::size_t largest = 0;
  write_json(scan, Totals(scan.tree), {numbers(kRows)}, [&](std::string_view block) {
    text += block;
    ++blocks;
    largest = std::max(largest, block.size());
    return true;
  });
  EXPECT_GT(blocks, 10U);
  EXPECT_LT(largest, 128U * 1024);
  const rapidjson::Document json = parse(text);
  ASSERT_EQ(json["reports"]["numbers"].Size(), kRows);
  EXPECT_EQ(json["reports"]["numbers"][kRows - 1]["number"].GetUint64(), kRows - 1);
}

TEST(Json, EndsSoonWhenTheSinkStops) {
  const Scan scan;
  std::size_t read = 0;
  const Table endless({"endless", "Endless"}, {{"number", "Number", CellType::count}},
                      std::numeric_limits<std::size_t>::max(),
                      [&read](std::size_t row, std::vector<Cell>& cells) {
                        ++read;
                        add_cells(cells, std::uint64_t{row});
                      });
  int blocks = 0;
  write_json(scan, Totals(scan.tree), {endless}, [&blocks](std::string_view) {
    ++blocks;
    return blocks < 3;
  });
  EXPECT_EQ(blocks, 3);
  EXPECT_LT(read, 100'000U);
}

TEST(Json, HasTheFirstOfTwoReportsOfOneKind) {
  const rapidjson::Document json =
      parse(json_of(small_scan(), {{.kind = ReportKind::largest_files, .count = 1},
                                   {.kind = ReportKind::largest_files, .count = 2}}));
  EXPECT_EQ(json["reports"].MemberCount(), 1U);
  EXPECT_EQ(json["reports"]["largest_files"].Size(), 1U);
}

}  // namespace
}  // namespace fathom::fs
