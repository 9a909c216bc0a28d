// Extensions: totals by file name extension.

#include "fathom/fs/extension.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "hand_made_tree.h"
#include "report_lines.h"

namespace fathom::fs {
namespace {

TEST(ExtensionOf, IsThePartBehindTheLastDot) {
  EXPECT_EQ(extension_of("a.txt"), "txt");
  EXPECT_EQ(extension_of("a.tar.gz"), "gz");
  EXPECT_EQ(extension_of("a..b"), "b");
  EXPECT_EQ(extension_of("A.TXT"), "TXT");
  EXPECT_EQ(extension_of("a.\xff\xfe"), "\xff\xfe");
  EXPECT_EQ(extension_of("a.b c\n"), "b c\n");
}

TEST(ExtensionOf, IsEmptyIfADotHasNothingOnOneSide) {
  for (const char* name :
       {"", "a", ".", "..", "...", ".profile", "..profile", "a.", "a.b.", "a.."}) {
    EXPECT_EQ(extension_of(name), "") << name;
  }
  EXPECT_EQ(extension_of(".profile.old"), "old");
  EXPECT_EQ(extension_of("..a.b"), "b");
}

TEST(ExtensionOf, OfARootUsesItsLastName) {
  EXPECT_EQ(extension_of("/etc/conf.d/file"), "");
  EXPECT_EQ(extension_of("/etc/conf.d/.file"), "");
  EXPECT_EQ(extension_of("../a.b/c.d"), "d");
}

TEST(Extensions, AreSummedTheLargestFirst) {
  HandMadeTree made;
  const DirId top = made.root("t.dir", {.size = 1000, .blocks = 1000});
  made.file(top, "a.c", {.size = 1, .blocks = 2});
  made.file(top, "b.C", {.size = 2, .blocks = 4});
  made.file(top, "a.h", {.size = 4, .blocks = 2});
  made.file(top, "none", {.size = 8});
  made.file(top, "link.c", {.size = 16, .blocks = 16, .mode = S_IFLNK | 0777});
  const Reported of(made.finish());
  EXPECT_EQ(lines(extensions(of.input())),
            (Lines{"c 2 3072 3 0.75", "h 1 1024 4 0.25", "'' 1 0 8 0"}));
}

TEST(Extensions, FollowTheMeasureAndThenTheirBytes) {
  HandMadeTree made;
  const DirId top = made.root("t");
  for (const char* name : {"x.b", "x.a", "x.\xff", "x"}) made.file(top, name, {.size = 1});
  made.file(top, "x.z", {.size = 4});
  const Reported of(made.finish(), Measure::apparent);
  EXPECT_EQ(lines(extensions(of.input()), {"extension", "share"}),
            (Lines{"z 0.5", "'' 0.125", "a 0.125", "b 0.125", "\xff 0.125"}));
}

TEST(Extensions, AreDistinguishedEvenIfMany) {
  constexpr std::uint32_t kCount = 5000;
  HandMadeTree made;
  const DirId top = made.root("t");
  for (std::uint32_t i = 0; i < kCount; ++i) {
    made.file(top, "lower.long-extension-" + std::to_string(i), {.blocks = 2 * (kCount - i)});
    made.file(top, "UPPER.LONG-EXTENSION-" + std::to_string(i));
  }
  const Reported of(made.finish());
  const Lines found = lines(extensions(of.input()), {"extension", "files", "disk_bytes"});
  ASSERT_EQ(found.size(), kCount);
  for (std::uint32_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(found[i], "long-extension-" + std::to_string(i) + " 2 " +
                            std::to_string(std::uint64_t{1024} * (kCount - i)));
  }
}

TEST(Extensions, CountEveryNameButBytesOnce) {
  HandMadeTree made;
  const DirId top = made.root("t");
  const Entry linked{.size = 5, .blocks = 8, .inode = 7, .links = 2};
  made.file(top, "b.old", linked);
  made.file(top, "a.new", linked);
  const Reported of(made.finish());
  EXPECT_EQ(lines(extensions(of.input())), (Lines{"new 1 4096 5 1", "old 1 0 0 0"}));
}

TEST(Extensions, SaturateAndHaveZeroSharesOfZero) {
  HandMadeTree made;
  const DirId top = made.root("t");
  made.file(top, "a.x", {.size = kMost, .blocks = kMost});
  made.file(top, "b.x", {.size = kMost, .blocks = kMost});
  const Reported full(made.finish());
  EXPECT_EQ(lines(extensions(full.input())),
            Lines{"x 2 18446744073709551615 18446744073709551615 1"});
  HandMadeTree none;
  none.file(none.root("t"), "a.x");
  const Reported empty(none.finish());
  EXPECT_EQ(lines(extensions(empty.input())), Lines{"x 1 0 0 0"});
}

}  // namespace
}  // namespace fathom::fs
