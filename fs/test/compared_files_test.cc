// What searches learn is added to what is known, and what no search sees any more is forgotten.

#include "fathom/fs/compared_files.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fathom::fs {
namespace {

constexpr std::uint16_t kToday = 20'000;

ComparedFile of_inode(std::uint64_t inode, std::uint32_t content, std::uint32_t search = 0) {
  return {.inode = inode,
          .size = 10,
          .mtime_ns = 1,
          .ctime_ns = 2,
          .begin_hash = 3,
          .search = search,
          .content = content,
          .day = kToday};
}

ComparedFiles learned(std::vector<ComparedFile> files, std::string filesystem = "disk") {
  return {.filesystems = {std::move(filesystem)}, .files = std::move(files)};
}

FileIdentity state_of(const ComparedFile& file) {
  return {0, file.inode, file.size, file.mtime_ns, file.ctime_ns};
}

TEST(ComparedFiles, AreFoundInTheStateInWhichTheyWereCompared) {
  ComparedFiles known;
  EXPECT_TRUE(known.take(learned({of_inode(7, 0), of_inode(5, 1)}), kToday));
  const FileIdentity state = state_of(of_inode(5, 1));
  ASSERT_NE(known.find(0, state), nullptr);
  EXPECT_EQ(known.find(0, state)->content, 1U);
  EXPECT_EQ(known.find(1, state), nullptr) << "another filesystem";
  for (const FileIdentity& other : {FileIdentity{0, 6, 10, 1, 2}, FileIdentity{0, 5, 11, 1, 2},
                                    FileIdentity{0, 5, 10, 0, 2}, FileIdentity{0, 5, 10, 1, 3}}) {
    EXPECT_EQ(known.find(0, other), nullptr);
  }
}

TEST(ComparedFiles, OfTwoSearchesAreNotConfused) {
  ComparedFiles known;
  known.take(learned({of_inode(1, 0)}), kToday);
  known.take(learned({of_inode(2, 0)}), kToday);
  ASSERT_EQ(known.files.size(), 2U);
  EXPECT_NE(known.files[0].search, known.files[1].search);
}

TEST(ComparedFiles, OfTwoFilesystemsAreNotConfused) {
  ComparedFiles known;
  known.take(learned({of_inode(1, 0)}, "one"), kToday);
  known.take(learned({of_inode(1, 0)}, "two"), kToday);
  EXPECT_EQ(known.filesystems, (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(known.files.size(), 2U);
}

TEST(ComparedFiles, AreReplacedByWhatIsLearnedOfThem) {
  ComparedFiles known;
  known.take(learned({of_inode(1, 0), of_inode(2, 0)}), kToday);
  ComparedFile changed = of_inode(1, 4);
  changed.ctime_ns = 9;
  EXPECT_TRUE(known.take(learned({changed}), kToday));
  ASSERT_EQ(known.files.size(), 2U);
  EXPECT_EQ(known.files[0].ctime_ns, 9);
  EXPECT_EQ(known.files[0].search, 2U);
  EXPECT_EQ(known.files[1].search, 1U);
}

TEST(ComparedFiles, ThatASearchConfirmedStayAsTheyAre) {
  ComparedFiles known;
  known.take(learned({of_inode(1, 0)}), kToday);
  const ComparedFiles before = known;
  EXPECT_FALSE(known.take(before, kToday));
  EXPECT_EQ(known, before);
  ComparedFiles tomorrow = before;
  tomorrow.files[0].day = kToday + 1;
  EXPECT_TRUE(known.take(tomorrow, kToday + 1));
  EXPECT_EQ(known, tomorrow);
}

// Another process has replaced them meanwhile, or all of them.
TEST(ComparedFiles, ThatASearchConfirmedAreNotBroughtBack) {
  ComparedFiles known;
  known.take(learned({of_inode(1, 0)}), kToday);
  const ComparedFiles confirmed = known;
  known.take(learned({of_inode(1, 0)}), kToday);
  EXPECT_FALSE(known.take(confirmed, kToday));
  EXPECT_EQ(known.files[0].search, 2U);
  ComparedFiles empty;
  EXPECT_FALSE(empty.take(confirmed, kToday));
  EXPECT_EQ(empty, ComparedFiles());
}

TEST(ComparedFiles, ThatWereFoundAtTwoPlacesAreKeptOnce) {
  ComparedFiles known;
  known.take(learned({of_inode(1, 0), of_inode(1, 0)}), kToday);
  EXPECT_EQ(known.files.size(), 1U);
}

TEST(ComparedFiles, ThatNoSearchHasSeenFor30DaysAreForgotten) {
  ComparedFiles known;
  known.take(learned({of_inode(1, 0)}), kToday);
  EXPECT_FALSE(known.take({}, kToday + ComparedFiles::kDays));
  EXPECT_EQ(known.files.size(), 1U);
  EXPECT_TRUE(known.take({}, kToday + ComparedFiles::kDays + 1));
  EXPECT_EQ(known, ComparedFiles());
}

TEST(ComparedFiles, AreNotMoreThanTheMost) {
  ComparedFiles known;
  known.take(learned({of_inode(1, 0), of_inode(4, 1)}), kToday);
  ComparedFiles later = learned({of_inode(2, 0), of_inode(3, 1)});
  for (ComparedFile& file : later.files) file.day = kToday + 1;
  EXPECT_TRUE(known.take(later, kToday + 1, 3));
  std::vector<std::uint64_t> inodes;
  for (const ComparedFile& file : known.files) inodes.push_back(file.inode);
  EXPECT_EQ(inodes, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(ComparedFiles, AreOnlyThoseThatCannotChangeWithoutANewCtime) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t before = settled_before(100 * kSecond);
  EXPECT_LT(97 * kSecond, before);
  EXPECT_GE(98 * kSecond, before) << "clocks of filesystems tick every two seconds at worst";
}

}  // namespace
}  // namespace fathom::fs
