// read_ncdu: fields, errors and limits of imports.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/totals.h"
#include "ncdu_text.h"

namespace fathom::fs {
namespace {

// The error of an import; empty if there is none.
std::string refusal(std::string_view text) {
  try {
    static_cast<void>(import_of(text));
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

Scan scan_from(std::string_view directory) {
  return import_of(with_header(directory)).scan;
}

// The entry "e" of the directory "/t", with the given fields after its name.
Entry entry_from(const std::string& fields) {
  const Scan scan = scan_from(R"([{"name":"/t"},{"name":"e")" + fields + "}]");
  return scan.tree.entry(find_node(scan.tree, "/t/e"));
}

std::string name_from(const std::string& literal) {
  const Scan scan = scan_from(R"([{"name":"/t"},{"name":)" + literal + "}]");
  std::string name;
  scan.tree.for_each_node([&](NodeId node) {
    if (scan.tree.parent(node) != kNoDir) name = scan.tree.name(node);
  });
  return name;
}

TEST(NcduImport, ReadsWhatTheFormatDescribes) {
  const NcduImport found = import_of(
      R"([1,2,{"progname":"ncdu","progver":"2.8","timestamp":1712345678},
[{"name":"/abs/root","asize":4096,"dsize":4096,"dev":2049},
{"name":"file","asize":11,"dsize":4096},
{"name":"hl","asize":5,"dsize":4096,"ino":77,"hlnkc":true,"nlink":2},
{"name":"sock","notreg":true},
{"name":"gone","read_error":true},
{"name":"skip.o","excluded":"pattern"},
[{"name":"mnt","excluded":"otherfs"}],
[{"name":"sub","asize":4096,"dsize":4096,"read_error":true},
{"name":"hl","asize":5,"dsize":4096,"ino":77,"hlnkc":true,"nlink":2}]]]
)");
  EXPECT_EQ(found.program, "ncdu");
  EXPECT_EQ(found.version, "2.8");
  EXPECT_EQ(found.taken, 1712345678);
  const Scan& scan = found.scan;
  EXPECT_EQ(scan.roots, std::vector<std::string>{"/abs/root"});
  EXPECT_EQ(all_paths(scan.tree),
            (std::vector<std::string>{"/abs/root", "/abs/root/file", "/abs/root/hl",
                                      "/abs/root/sock", "/abs/root/sub", "/abs/root/sub/hl"}));
  const Counts whole = Totals(scan.tree).whole();
  EXPECT_EQ(whole.disk_bytes, 4U * 4096);
  EXPECT_EQ(whole.apparent_bytes, 2U * 4096 + 11 + 5);
  EXPECT_EQ(whole.files, 3U);
  EXPECT_EQ(whole.dirs, 2U);
  EXPECT_EQ(whole.others, 1U);
  ASSERT_EQ(scan.errors.size(), 2U);
  EXPECT_EQ(scan.errors[0].path, "/abs/root/gone");
  EXPECT_STREQ(scan.errors[0].operation, "stat");
  EXPECT_EQ(scan.errors[0].code, 0);
  EXPECT_EQ(scan.errors[1].path, "/abs/root/sub");
  EXPECT_STREQ(scan.errors[1].operation, "list");
  EXPECT_FALSE(scan.complete());
}

TEST(NcduImport, KeepsEveryFieldOfAnEntry) {
  const Entry entry = entry_from(
      R"(,"asize":18446744073709551615,"dsize":5120,"uid":4294967295,"gid":7,"mode":33152,)"
      R"("mtime":13569465600)");
  EXPECT_EQ(entry.size, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(entry.blocks, 10U);
  EXPECT_EQ(entry.uid, 4294967295U);
  EXPECT_EQ(entry.gid, 7U);
  EXPECT_EQ(entry.mode, S_IFREG | 0600);
  EXPECT_EQ(entry.mtime, 13569465600);  // in 2400
  EXPECT_EQ(entry.links, 1U);
}

TEST(NcduImport, ReadsTimesOfEveryWriter) {
  EXPECT_EQ(entry_from(R"(,"mtime":0)").mtime, 0);
  EXPECT_EQ(entry_from(R"(,"mtime":5.999)").mtime, 5);
  EXPECT_EQ(entry_from(R"(,"mtime":-5)").mtime, -5);
  EXPECT_EQ(entry_from(R"(,"mtime":-5.0)").mtime, -5);
  EXPECT_EQ(entry_from(R"(,"mtime":-5.5)").mtime, -6);
  EXPECT_EQ(entry_from(R"(,"mtime":18446744073709551611)").mtime, -5);  // ncdu 1.18
  EXPECT_EQ(entry_from(R"(,"negative_mtime":-5)").mtime, -5);
  EXPECT_EQ(entry_from(R"(,"mtime":-9223372036854775808.5)").mtime,
            std::numeric_limits<std::int64_t>::min());
}

TEST(NcduImport, DerivesKindsFromTheModeOrFromOtherFields) {
  EXPECT_EQ(entry_from("").kind(), Kind::file);
  EXPECT_EQ(entry_from(R"(,"mode":41471,"notreg":true)").kind(), Kind::symlink);
  EXPECT_EQ(entry_from(R"(,"mode":49645,"asize":3,"notreg":true)").kind(), Kind::other);
  EXPECT_EQ(entry_from(R"(,"notreg":true,"asize":4)").kind(), Kind::symlink);
  EXPECT_EQ(entry_from(R"(,"notreg":true)").kind(), Kind::other);
  EXPECT_EQ(entry_from(R"(,"notreg":false)").kind(), Kind::file);
}

TEST(NcduImport, TreatsAnObjectWithTheModeOfADirectoryAsAnEmptyOne) {
  const Scan scan =
      scan_from(R"([{"name":"/t"},{"name":"d","mode":16877,"asize":5},{"name":"f","asize":2}])");
  const Counts whole = Totals(scan.tree).whole();
  EXPECT_EQ(whole.dirs, 2U);
  EXPECT_EQ(whole.files, 1U);
  EXPECT_EQ(whole.apparent_bytes, 7U);
  EXPECT_EQ(all_paths(scan.tree), (std::vector<std::string>{"/t", "/t/d", "/t/f"}));
}

TEST(NcduImport, TreatsAnArrayAsADirectoryWhateverItsMode) {
  const Scan scan = scan_from(R"([{"name":"/t","mode":33188},[{"name":"d","notreg":true}]])");
  EXPECT_EQ(Totals(scan.tree).whole().dirs, 2U);
}

TEST(NcduImport, CountsAHardLinkOnceOnADevice) {
  const Scan scan = scan_from(R"([{"name":"/t","dev":1},
{"name":"b","asize":5,"ino":9007199254740993,"hlnkc":true,"nlink":2},
{"name":"a","asize":5,"ino":9007199254740993,"nlink":2},
{"name":"c","asize":5,"ino":9007199254740992,"nlink":2},
[{"name":"same"},{"name":"d","asize":5,"ino":9007199254740993,"hlnkc":true}],
[{"name":"other","dev":2},{"name":"d","asize":5,"ino":9007199254740993,"nlink":2}]])");
  const Counts whole = Totals(scan.tree).whole();
  EXPECT_EQ(whole.files, 5U);
  EXPECT_EQ(whole.apparent_bytes, 15U);
  EXPECT_EQ(scan.tree.flags(find_node(scan.tree, "/t/a")), 0);
  EXPECT_EQ(scan.tree.flags(find_node(scan.tree, "/t/b")), kExtraLink);
  EXPECT_EQ(scan.tree.flags(find_node(scan.tree, "/t/same/d")), kExtraLink);
  EXPECT_EQ(scan.tree.flags(find_node(scan.tree, "/t/other/d")), 0);
}

TEST(NcduImport, NeverMergesEntriesWithoutInodes) {
  const Scan scan = scan_from(R"([{"name":"/t"},
{"name":"a","asize":5,"hlnkc":true},{"name":"b","asize":5,"nlink":3},{"name":"c","asize":5},
[{"name":"d","asize":5},[{"name":"d","asize":5}]],[{"name":"e","asize":5,"ino":1,"nlink":2}],
[{"name":"f","asize":5,"ino":1,"nlink":2}]])");
  EXPECT_EQ(Totals(scan.tree).whole().apparent_bytes, 35U);
  EXPECT_EQ(Totals(scan.tree).whole().dirs, 5U);
}

TEST(NcduImport, ExcludesEntriesInEitherForm) {
  const Scan scan = scan_from(R"([{"name":"/t"},
{"excluded":"pattern","name":"a","asize":9},[{"name":"b","excluded":"otherfs","dev":9}],
{"name":"c","excluded":"othfs","mode":16877},[{"name":"d","excluded":"kernfs"}],
{"name":"e","excluded":"frmlnk"},{"name":"f","excluded":"unheard of"},{"name":"kept"}])");
  EXPECT_EQ(all_paths(scan.tree), (std::vector<std::string>{"/t", "/t/kept"}));
  EXPECT_TRUE(scan.complete());
}

TEST(NcduImport, MakesSumsAboveAReadErrorLowerBounds) {
  const Scan scan = scan_from(R"([{"name":"/"},
[{"name":"a"},[{"name":"b"},{"name":"c","read_error":true,"operation":"stat","errno":13}]],
[{"name":"d","read_error":true,"operation":"open","errno":5},{"name":"seen"}],[{"name":"e"}]])");
  const Totals totals(scan.tree);
  const auto is_bound = [&](std::string_view path) {
    return totals.lower_bound(directory_at(scan.tree, find_node(scan.tree, path)));
  };
  EXPECT_TRUE(is_bound("/"));
  EXPECT_TRUE(is_bound("/a"));
  EXPECT_TRUE(is_bound("/a/b"));
  EXPECT_TRUE(is_bound("/d"));
  EXPECT_FALSE(is_bound("/e"));
  ASSERT_EQ(scan.errors.size(), 2U);
  EXPECT_EQ(scan.errors[0].path, "/a/b/c");
  EXPECT_STREQ(scan.errors[0].operation, "stat");
  EXPECT_EQ(scan.errors[0].code, EACCES);
  EXPECT_EQ(scan.errors[1].path, "/d");
  EXPECT_STREQ(scan.errors[1].operation, "open");
  EXPECT_EQ(scan.errors[1].code, EIO);
}

TEST(NcduImport, TreatsNamesAsBytes) {
  EXPECT_EQ(name_from("\"\xff\xc0\xaf\xed\xa0\x80\""), "\xff\xc0\xaf\xed\xa0\x80");
  EXPECT_EQ(name_from(R"("\"\\\b\f\n\r\t\u007f")"), "\"\\\b\f\n\r\t\x7f");
  EXPECT_EQ(name_from(R"("\u0041\u00e9\u65E5\ud83d\ude00")"),
            "A\xc3\xa9\xe6\x97\xa5\xf0\x9f\x98\x80");
  EXPECT_EQ(name_from('"' + std::string(32UL * 1024, 'n') + '"'), std::string(32UL * 1024, 'n'));
}

TEST(NcduImport, SkipsUnknownKeys) {
  EXPECT_EQ(entry_from(R"(,"x":null,"":[],"y":{},"z":[1,-2.5e+7,[{"a":[true,false]},"\n"],{}],)"
                       R"("asize" : 3 , "w":{"name":"no","b":{"c":[]}} )")
                .size,
            3U);
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(entry_from(",\"x\":" + deep + std::string(deep.size(), ']') + ",\"asize\":4").size, 4U);
}

// Nesting costs one bit per level, and even that has a limit.
TEST(NcduImport, RefusesAnUnknownValueThatIsNestedTooDeep) {
  const auto with_value = [](std::size_t levels) {
    std::string text = R"([{"name":"/t"},{"name":"e","x":)" + std::string(levels, '[');
    text.append(levels, ']');
    return with_header(text + "}]");
  };
  constexpr std::size_t kDeepest = 4UL << 20;
  EXPECT_EQ(refusal(with_value(kDeepest)), "");
  EXPECT_EQ(refusal(with_value(kDeepest + 1)),
            "a value is nested deeper than 4 million levels (line 2, byte 4194336)");
}

TEST(NcduImport, CountsPartOfABlockAsABlock) {
  EXPECT_EQ(entry_from(R"(,"dsize":0)").blocks, 0U);
  EXPECT_EQ(entry_from(R"(,"dsize":1)").blocks, 1U);
  EXPECT_EQ(entry_from(R"(,"dsize":512)").blocks, 1U);
  EXPECT_EQ(entry_from(R"(,"dsize":513)").blocks, 2U);
  const Entry largest = entry_from(R"(,"dsize":18446744073709551615)");
  EXPECT_EQ(largest.disk_bytes(), std::numeric_limits<std::uint64_t>::max());
}

// The position where it stopped is not a read error.
TEST(NcduImport, DoesNotReportUnreachedDirectoriesAsErrors) {
  const std::string text = R"([1,2,{"progname":"fathom","interrupted":true},
[{"name":"/t","uid":0,"gid":0,"mode":16877,"mtime":5},
[{"name":"cut off","uid":0,"gid":0,"mode":16877,"mtime":5,"read_error":true}],
[{"name":"refused","uid":0,"gid":0,"mode":16877,"mtime":5,"read_error":true,"operation":"open","errno":13}],
[{"name":"whole","uid":0,"gid":0,"mode":16877,"mtime":5}]]]
)";
  const Scan scan = import_of(text).scan;
  EXPECT_TRUE(scan.cancelled);
  EXPECT_FALSE(scan.complete());
  ASSERT_EQ(scan.errors.size(), 1U);
  EXPECT_EQ(scan.errors.front().path, "/t/refused");
  const Totals totals(scan.tree);
  const auto is_bound = [&](std::string_view path) {
    return totals.lower_bound(directory_at(scan.tree, find_node(scan.tree, path)));
  };
  EXPECT_TRUE(is_bound("/t"));
  EXPECT_TRUE(is_bound("/t/cut off"));
  EXPECT_TRUE(is_bound("/t/refused"));
  EXPECT_FALSE(is_bound("/t/whole"));
  const Scan back = import_of(export_of(scan)).scan;
  EXPECT_TRUE(back.cancelled);
  EXPECT_EQ(back.errors.size(), 1U);
  EXPECT_TRUE(export_of(back) == export_of(scan));
}

TEST(NcduImport, AcceptsBlanksAndFurtherElements) {
  EXPECT_EQ(
      refusal(" [ 1 , 0 , { } , [ { \"name\" : \"/\" } \r\n\t, { \"name\" : \"a\" } ] , [], {} ] "),
      "");
}

// gdu's figures for a directory are not its own size.
TEST(NcduImport, TreatsGdusDirectoryFiguresAsSums) {
  const std::string tree = R"([{"name":"/t","asize":30,"dsize":8192,"items":4,"mtime":-3},
[{"name":"sub","items":2,"asize":20,"dsize":4096},{"name":"f","asize":20,"dsize":4096}],
{"name":"g","asize":10,"dsize":4096}])";
  for (const char* program : {"gdu", "other"}) {
    const Scan scan = import_of(R"([1,2,{"progver":"5","progname":")" + std::string(program) +
                                "\"}," + tree + "]")
                          .scan;
    const Counts whole = Totals(scan.tree).whole();
    EXPECT_EQ(whole.apparent_bytes, 30U) << program;
    EXPECT_EQ(whole.disk_bytes, 8192U) << program;
  }
  const Scan older = import_of(R"([1,2,{"progname":"gdu"},[{"name":"/t","mtime":1},
[{"name":"s","mtime":2},{"name":"h","asize":9,"ino":8,"hlnkc":true}],
{"name":"h","asize":9,"ino":8,"hlnkc":true},{"name":"l","asize":4,"notreg":true}]])")
                         .scan;
  EXPECT_EQ(Totals(older.tree).whole().apparent_bytes, 13U);
  EXPECT_EQ(Totals(older.tree).whole().symlinks, 1U);
}

TEST(NcduImport, RefusesInvalidTextsAndSaysWhere) {
  const std::string head = R"([1,2,{"progname":"ncdu"},)";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "the input is empty (line 1, byte 1)"},
      {"{}", "this is not an ncdu export, which begins with '[' (line 1, byte 1)"},
      {"[]", "expected a number (line 1, byte 2)"},
      {"[2,0,{},[{\"name\":\"/\"}]]", "only version 1 of the format is supported (line 1, byte 3)"},
      {"[1.0,2,{},[]]", "a number is not a whole number (line 1, byte 3)"},
      {"[1,-2,{},[]]", "a number is negative (line 1, byte 4)"},
      {"[1,2,[],[]]", "expected '{' (line 1, byte 6)"},
      {"[1,2,{\"progname\":7},[]]", "expected a string (line 1, byte 18)"},
      {"[1,2,{}]", "expected ',' (line 1, byte 8)"},
      {head + "[]]", "a directory begins with an object that describes it (line 1, byte 27)"},
      {head + "{\"name\":\"/\"}]", "expected a directory (line 1, byte 26)"},
      {head + "[[{\"name\":\"a\"}]]]",
       "a directory begins with an object that describes it (line 1, byte 27)"},
      {head + "\n[{}]]", "an entry has no name (line 2, byte 4)"},
      {head + "\n[{\"name\":\"\"}]]", "an entry has no name (line 2, byte 13)"},
      {head + "\n[{\"name\":\"a\",\"name\":\"b\"}]]", "an entry has two names (line 2, byte 21)"},
      {head + "\n[{\"name\":5}]]", "expected a string (line 2, byte 10)"},
      {head + "\n[{\"name\":\"/\"},\n5]]", "expected an entry (line 3, byte 1)"},
      {head + "\n[{\"name\":\"/\"},]]", "expected an entry (line 2, byte 15)"},
      {head + "\n[{\"name\":\"/\"}{\"name\":\"a\"}]]", "expected ',' (line 2, byte 14)"},
      {head + "\n[{\"name\":\"/\",}]]", "expected a string (line 2, byte 14)"},
      {head + "\n[{\"name\":\"/\"}]] 7", "text follows the end of the export (line 2, byte 17)"},
      {head + "\n[{\"name\":\"/\",\"excluded\":\"pattern\"}]]",
       "the whole export is excluded (line 2, byte 35)"},
      {head + "\n[{\"name\":\"/\"},[{\"name\":\"a\",\"excluded\":\"otherfs\"},{\"name\":\"b\"}]]]",
       "expected ']' (line 2, byte 49)"},
      {head + "\n[{\"name\":\"/\"},{\"name\":\"a\",\"excluded\":true}]]",
       "expected a string (line 2, byte 38)"},
  };
  for (const auto& [text, expected] : cases) EXPECT_EQ(refusal(text), expected) << text;
}

TEST(NcduImport, RefusesFieldsOfTheWrongTypeOrSize) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"("asize":-1)", "a number is negative"},
      {R"("asize":1.5)", "a number is not a whole number"},
      {R"("asize":1e3)", "a number is not a whole number"},
      {R"("asize":"1")", "expected a number"},
      {R"("asize":null)", "expected a number"},
      {R"("asize":01)", "a number begins with 0"},
      {R"("asize":18446744073709551616)", "a number is too large"},
      {R"("dsize":99999999999999999999999)", "a number is too large"},
      {R"("uid":4294967296)", "a number is too large"},
      {R"("nlink":4294967296)", "a number is too large"},
      {R"("mode":65536)", "a number is too large"},
      {R"("errno":4096)", "a number is too large"},
      {R"("mtime":-9223372036854775809)", "a number is too large"},
      {R"("mtime":1e9)", "a time has an exponent"},
      {R"("mtime":1.)", "expected digits"},
      {R"("mtime":- 1)", "expected a number"},
      {R"("notreg":1)", "expected true or false"},
      {R"("hlnkc":"true")", "expected true or false"},
      {R"("read_error":tru)", "expected true"},
      {R"("x":nul)", "expected null"},
      {R"("x":-)", "expected a value"},
      {R"("x":1.e5)", "expected digits"},
      {R"("x":[1 2])", "expected ']'"},
      {R"("x":[1})", "expected ']'"},
      {R"("x":{1:2})", "expected a key"},
      {R"("x":"\q")", "unknown escape"},
      {R"("x":"\ud83d")", "half of a surrogate pair is missing"},
      {R"("x":"\ude00")", "half of a surrogate pair is missing"},
      {R"("x":"\ud83d\u0041")", "half of a surrogate pair is missing"},
      {R"("x":"\u12g4")", "\\u needs four hexadecimal digits"},
      {"\"x\":\"\n\"", "a string contains a control character"},
      {R"("excluded":"")", "an entry is excluded without a reason"},
      {"\"operation\":\"" + std::string(32UL * 1024 + 1, 'x') + '"',
       "a name is longer than 32 KiB"},
      {"\"operation\":\"\\n" + std::string(32UL * 1024, 'x') + '"', "a name is longer than 32 KiB"},
  };
  for (const auto& [field, expected] : cases) {
    const std::string text = with_header(R"([{"name":"/"},{"name":"a",)" + field + "}]");
    EXPECT_EQ(refusal(text).substr(0, expected.size()), expected) << field;
  }
}

TEST(NcduImport, RefusesNamesThatLeadElsewhere) {
  for (const char* name : {"..", ".", "a/b", "/etc", "a\\u0000b"}) {
    EXPECT_NE(refusal(with_header(R"([{"name":"/"},{"name":")" + std::string(name) + "\"}]"))
                  .find("an entry cannot have this name"),
              std::string::npos)
        << name;
  }
}

TEST(NcduImport, RefusesARootWithAZeroInItsName) {
  EXPECT_NE(
      refusal(with_header(R"([{"name":"a\u0000b"}])")).find("a directory cannot have this name"),
      std::string::npos);
}

// It must not claim to free bytes that other names may keep alive.
TEST(NcduImport, TreatsALinkWithUnknownCountAsOneOfMany) {
  const Tree tree = scan_from(R"([{"name":"/"},{"name":"a","ino":1,"hlnkc":true,"dsize":4096},)"
                              R"({"name":"b","ino":1,"hlnkc":true,"dsize":4096}])")
                        .tree;
  tree.for_each_node([&](NodeId node) {
    if (tree.kind(node) == Kind::directory) return;
    EXPECT_EQ(tree.links(node), kManyLinks);
  });
}

TEST(NcduImport, ReadsOwnersThatNcdu1WroteAsNegative) {
  const Tree tree = scan_from(R"([{"name":"/","uid":18446744073709551614,"gid":4294967294}])").tree;
  const NodeId root = tree.roots().front();
  EXPECT_EQ(tree.uid(root), 4294967294U);
  EXPECT_EQ(tree.gid(root), 4294967294U);
  EXPECT_NE(refusal(with_header(R"([{"name":"/","uid":4294967296}])")).find("too large"),
            std::string::npos);
}

TEST(NcduImport, SaysHowToReadCompressedOrBinaryExports) {
  using namespace std::string_view_literals;
  EXPECT_NE(refusal("\x28\xb5\x2f\xfd\x04\x58\x01\x02"sv).find("zstd -d"), std::string::npos);
  EXPECT_NE(refusal("\x1f\x8b\x08\x00\x00"sv).find("gzip -d"), std::string::npos);
  EXPECT_NE(refusal("\xbfncduEX1\x10\x00"sv).find("binary"), std::string::npos);
}

const std::string& sample() {
  static const std::string text = with_header(
      "[{\"name\":\"/"
      "t\",\"asize\":4096,\"dev\":1},\n{\"name\":\"\\u00e9\\n\xff\",\"x\":[{},-1.5e3,null]"
      ",\"mtime\":12.5},\n[{\"name\":\"s\",\"read_error\":true},{\"name\":\"h\",\"ino\":77,"
      "\"hlnkc\":true}],{\"name\":\"p\",\"excluded\":\"pattern\"}]");
  return text;
}

TEST(NcduImport, RefusesTruncatedTexts) {
  ASSERT_EQ(refusal(sample()), "");
  const std::size_t whole = sample().rfind(']') + 1;
  for (std::size_t length = 0; length < whole; ++length) {
    EXPECT_NE(refusal(sample().substr(0, length)), "") << length;
  }
}

TEST(NcduImport, DoesNotDependOnHowTheTextArrives) {
  const std::string expected = entries_of(import_of(sample()).scan);
  for (std::size_t most = 1; most < 40; ++most) {
    std::string_view left = sample();
    const NcduImport found = read_ncdu([&](std::span<char> room) {
      const std::size_t length = std::min({most, room.size(), left.size()});
      std::copy_n(left.data(), length, room.data());
      left.remove_prefix(length);
      return length;
    });
    EXPECT_EQ(entries_of(found.scan), expected) << most;
  }
}

TEST(NcduImport, LimitsANameWhereverItsBlockEnds) {
  const std::string begin = R"([1,2,{},[{"name":"/t"},{"name":")";
  const std::string end = R"("}]])";
  for (const std::size_t length : {32UL * 1024, 32UL * 1024 + 1, 40'000UL}) {
    const std::string name(length, 'x');
    const std::string text = begin + name + end;
    for (const std::size_t first : {text.size(), begin.size() + length, begin.size() + 1}) {
      std::size_t at = 0;
      const Source source = [&](std::span<char> room) {
        const std::size_t until = at < first ? first : text.size();
        const std::size_t bytes = std::min(room.size(), until - at);
        std::copy_n(text.data() + at, bytes, room.data());
        at += bytes;
        return bytes;
      };
      if (length > 32UL * 1024) {
        EXPECT_THROW(static_cast<void>(read_ncdu(source)), base::Error) << length << ' ' << first;
      } else {
        EXPECT_NO_THROW(static_cast<void>(read_ncdu(source))) << first;
      }
    }
  }
}

TEST(NcduImport, ReadsNoFurtherThanItsSourceGives) {
  int ends = 0;
  EXPECT_THROW(static_cast<void>(read_ncdu([&](std::span<char>) -> std::size_t {
                 ++ends;
                 return 0;
               })),
               base::Error);
  EXPECT_EQ(ends, 1);
  EXPECT_THROW(static_cast<void>(read_ncdu([](std::span<char>) -> std::size_t {
                 throw std::runtime_error("interrupted");
               })),
               std::runtime_error);
  EXPECT_THROW(static_cast<void>(read_ncdu(descriptor_source(-1))), base::SystemError);
}

TEST(NcduImport, HandlesAMillionLevels) {
  constexpr std::size_t kLevels = 1'000'000;
  std::string text;
  for (std::size_t i = 0; i < kLevels; ++i) text += "[{\"name\":\"d\"},\n";
  text += "{\"name\":\"f\",\"asize\":1}";
  text.append(kLevels, ']');
  const Scan scan = scan_from(text);
  const Totals totals(scan.tree);
  EXPECT_EQ(totals.whole().dirs, kLevels);
  EXPECT_EQ(totals.whole().apparent_bytes, 1U);
  EXPECT_EQ(totals.deepest(), kLevels - 1);
  EXPECT_TRUE(export_of(import_of(export_of(scan)).scan) == export_of(scan));
}

// The paths of all directories that were cut off would take a terabyte.
TEST(NcduImport, HandlesAMillionLevelsThatWereCutOffAndAnError) {
  constexpr std::size_t kLevels = 1'000'000;
  std::string text = R"([1,2,{"progname":"fathom","interrupted":true},[{"name":"/t"})";
  for (std::size_t i = 0; i < kLevels; ++i) text += R"(,[{"name":"d","read_error":true})";
  text += R"(,{"name":"f","read_error":true,"errno":5})";
  text.append(kLevels, ']');
  text += "]]";
  const Scan scan = import_of(text).scan;
  ASSERT_EQ(scan.errors.size(), 1U);
  const std::string once = export_of(scan);
  EXPECT_NE(once.find(R"("name":"f","read_error":true)"), std::string::npos);
  EXPECT_TRUE(export_of(import_of(once).scan) == once);
}

TEST(NcduImport, LimitsTheMemoryForPathsOfErrors) {
  std::string text;
  for (std::size_t i = 0; i < 20'000; ++i) text += "[{\"name\":\"d\",\"read_error\":true},\n";
  EXPECT_NE(refusal(with_header(text)).find("256 MiB"), std::string::npos);
}

}  // namespace
}  // namespace fathom::fs
