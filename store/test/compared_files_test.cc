// What searches for duplicates have learned: the file, and the processes that share it.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/store/store.h"
#include "fathom/testing/killed.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/temp_tree.h"
#include "store/compared_file_text.h"

namespace fathom::store {
namespace {

constexpr std::uint16_t kSomeDay = 20'000;

fs::ComparedFile compared_inode(std::uint64_t inode) {
  return {.inode = inode,
          .size = 10,
          .mtime_ns = -1,
          .ctime_ns = 2,
          .begin_hash = 3,
          .search = 1,
          .content = 5,
          .filesystem = static_cast<std::uint16_t>(inode % 2),
          .day = kSomeDay};
}

fs::ComparedFiles some_compared() {
  return {.filesystems = {"one", "two/5"},
          .files = {compared_inode(2), compared_inode(4), compared_inode(1)}};
}

fs::ComparedFiles learned_of(std::uint64_t inode) {
  fs::ComparedFile file = compared_inode(inode);
  file.search = fs::kThisSearch;
  file.filesystem = 0;
  return {.filesystems = {"disk"}, .files = {file}};
}

// Why it is refused; empty if it is not.
std::string refusal_of(std::string_view text) {
  try {
    static_cast<void>(parse_compared_files(text));
    return "";
  } catch (const base::Error& error) {
    return error.what();
  }
}

// The same bytes with another header or record, and their checksum.
std::string sealed(std::string text) {
  text.resize(text.size() - 16);
  return text + checksum_of(text);
}

// ---- The bytes

TEST(ComparedFileText, IsReadAsItWasWritten) {
  for (const fs::ComparedFiles& compared : {some_compared(), fs::ComparedFiles()}) {
    EXPECT_EQ(parse_compared_files(write_compared_files(compared)), compared);
  }
}

TEST(ComparedFileText, IsRefusedIfAnyBitIsFlipped) {
  const std::string text = write_compared_files(some_compared());
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << bit % 8));
    ASSERT_NE(refusal_of(other), "") << "bit " << bit;
  }
}

TEST(ComparedFileText, IsRefusedIfItIsShorterOrLonger) {
  const std::string text = write_compared_files(some_compared());
  for (std::size_t length = 0; length < text.size(); ++length) {
    ASSERT_NE(refusal_of(text.substr(0, length)), "") << length << " bytes";
  }
  EXPECT_EQ(refusal_of(text + 'x'), "is damaged: its checksum is wrong");
}

TEST(ComparedFileText, OfAnotherVersionIsRefused) {
  std::string text = write_compared_files(some_compared());
  text[16] = 2;
  EXPECT_EQ(refusal_of(sealed(text)), "is of another version of fathom");
}

TEST(ComparedFileText, ThatIsSomethingElseIsRefused) {
  EXPECT_EQ(refusal_of("something else"), "is damaged: it begins with something else");
  EXPECT_EQ(refusal_of(""), "is damaged: it begins with something else");
}

// With the right checksum: a program has written it.
TEST(ComparedFileText, ThatIsImpossibleIsRefused) {
  const auto refusal_with = [](const auto& change) {
    fs::ComparedFiles compared = some_compared();
    change(compared);
    return refusal_of(write_compared_files(compared));
  };
  const std::string impossible = "is damaged: its files are impossible";
  EXPECT_EQ(refusal_with([](auto& all) { all.files[1].filesystem = 2; }), impossible);
  EXPECT_EQ(refusal_with([](auto& all) { all.files[1].size = 0; }), impossible);
  EXPECT_EQ(refusal_with([](auto& all) { all.files[1].search = 0; }), impossible);
  EXPECT_EQ(refusal_with([](auto& all) { all.files[1].inode = 2; }), impossible);
  EXPECT_EQ(refusal_with([](auto& all) { all.filesystems[1] = "one"; }),
            "is damaged: its filesystems are impossible");
  std::string text = write_compared_files(some_compared());
  text[24] = 2;  // fewer files
  EXPECT_EQ(refusal_of(sealed(text)), "is damaged: it has another length");
  text[20] = 127;  // longer names
  EXPECT_NE(refusal_of(sealed(text)), "");
}

// ---- The store

class StoredComparedFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file() const { return path_ + "/compared-files"; }

  [[nodiscard]] std::vector<std::uint64_t> inodes() const {
    std::vector<std::uint64_t> inodes;
    for (const auto& known : Store::open(path_).compared_files().files) {
      inodes.push_back(known.inode);
    }
    return inodes;
  }

  void add(std::uint64_t inode, const Store::Listener& before = nullptr) const {
    Store::open_or_create(path_, before).add_compared_files(learned_of(inode), kSomeDay);
  }

  testing::TempTree tree_;
  const std::string path_ = tree_.path("store");
};

TEST_F(StoredComparedFiles, AreNoneAtFirst) {
  EXPECT_EQ(Store::open_or_create(path_).compared_files(), fs::ComparedFiles());
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(StoredComparedFiles, AreAddedToThoseThatAreKnown) {
  add(1);
  add(2);
  EXPECT_EQ(inodes(), (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(StoredComparedFiles, BelongToTheirOwnerAlone) {
  add(1);
  struct stat facts = {};
  ASSERT_EQ(::stat(file().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  ASSERT_EQ(::stat(path_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
}

TEST_F(StoredComparedFiles, AreNotWrittenIfNothingChanged) {
  add(1);
  Store store = Store::open_or_create(path_);
  store.add_compared_files(store.compared_files(), kSomeDay);
  std::vector<std::string> steps;
  Store::open_or_create(path_, [&](std::string_view step) {
    steps.emplace_back(step);
  }).add_compared_files(store.compared_files(), kSomeDay);
  EXPECT_EQ(std::count(steps.begin(), steps.end(), "replace"), 0);
}

TEST_F(StoredComparedFiles, ThatAreDamagedAreRefusedAndReplaced) {
  add(1);
  tree_.write("store/compared-files", "damage");
  const Store store = Store::open(path_);
  try {
    static_cast<void>(store.compared_files());
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.what(), file() + " is damaged: it begins with something else");
  }
  add(2);
  EXPECT_EQ(inodes(), (std::vector<std::uint64_t>{2}));
}

// Neither is a link followed, nor is its target changed.
TEST_F(StoredComparedFiles, AreNotReadThroughALink) {
  add(1);
  tree_.write("target", "of somebody else");
  std::filesystem::remove(file());
  std::filesystem::create_symlink(tree_.path("target"), file());
  EXPECT_THROW(static_cast<void>(Store::open(path_).compared_files()), base::Error);
  add(2);
  EXPECT_TRUE(std::filesystem::is_regular_file(std::filesystem::symlink_status(file())));
  EXPECT_EQ(std::filesystem::file_size(tree_.path("target")), 16U);
}

TEST_F(StoredComparedFiles, OfAProcessThatIsKilledAreThoseBeforeOrAfter) {
  add(1);
  int step = 0;
  for (;; ++step) {
    SCOPED_TRACE(step);
    const std::vector<std::uint64_t> before = inodes();
    const auto inode = static_cast<std::uint64_t>(step) + 2;
    const bool killed =
        testing::killed_at(step, [&](const Store::Listener& listener) { add(inode, listener); });
    std::vector<std::uint64_t> after = before;
    after.push_back(inode);
    const std::vector<std::uint64_t> now = inodes();
    EXPECT_TRUE(now == before || now == after);
    if (!killed || HasFailure()) break;
  }
  EXPECT_GT(step, 10);
  add(1000);
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    EXPECT_NE(entry.path().filename().string().front(), '.') << "left over";
  }
}

TEST_F(StoredComparedFiles, OfManyProcessesAreAllKept) {
  constexpr std::uint64_t kProcesses = 8;
  add(0);
  std::vector<std::thread> others;
  for (std::uint64_t inode = 1; inode <= kProcesses; ++inode) {
    others.emplace_back([this, inode] { add(inode); });
  }
  for (std::thread& other : others) other.join();
  EXPECT_EQ(inodes().size(), kProcesses + 1);
}

TEST_F(StoredComparedFiles, ThatCannotBeWrittenStayAsTheyAre) {
  if (testing::is_root()) GTEST_SKIP() << "root may write everywhere";
  add(1);
  std::filesystem::permissions(path_, std::filesystem::perms(0500));
  EXPECT_THROW(add(2), base::SystemError);
  EXPECT_EQ(inodes(), (std::vector<std::uint64_t>{1}));
  std::filesystem::permissions(path_, std::filesystem::perms(0700));
}

}  // namespace
}  // namespace fathom::store
