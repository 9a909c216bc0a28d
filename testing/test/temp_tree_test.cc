// Tests of creating and removing trees, including deep, wide and unreadable ones.

#include "fathom/testing/temp_tree.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "fathom/base/error.h"
#include "fathom/testing/oracle.h"
#include "fathom/testing/privileges.h"

namespace fathom::testing {
namespace {

struct stat examine(const std::string& path) {
  struct stat info = {};
  EXPECT_EQ(::lstat(path.c_str(), &info), 0) << path;
  return info;
}

bool exists(const std::string& path) {
  struct stat info;
  return ::lstat(path.c_str(), &info) == 0;
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(TempTree, IsAnEmptyDirectoryThatAnyoneMayEnter) {
  const TempTree tree;
  const struct stat info = examine(tree.path());
  EXPECT_TRUE(S_ISDIR(info.st_mode));
  EXPECT_EQ(info.st_mode & 0777U, 0755U);
  EXPECT_EQ(count({tree.path()}).entries, 1U);
}

TEST(TempTree, CreatesEveryKindOfFileAndItsParents) {
  TempTree tree;
  tree.dir("a/b/c");
  tree.dir("a/b");
  tree.file("f/three", 3);
  tree.file("f/large", 3'000'000);
  tree.write("w/text", "hello");
  tree.sparse("s/hole", 1ULL << 40);
  tree.symlink("no/such/target", "l/link");
  tree.hardlink("f/three", "h/again");
  tree.fifo("p/fifo");
  tree.socket("q/socket");
  EXPECT_TRUE(S_ISDIR(examine(tree.path("a/b/c")).st_mode));
  EXPECT_EQ(examine(tree.path("f/three")).st_size, 3);
  EXPECT_EQ(examine(tree.path("f/large")).st_size, 3'000'000);
  EXPECT_EQ(content_of(tree.path("w/text")), "hello");
  EXPECT_EQ(examine(tree.path("s/hole")).st_size, 1LL << 40);
  EXPECT_EQ(examine(tree.path("s/hole")).st_blocks, 0);
  EXPECT_TRUE(S_ISLNK(examine(tree.path("l/link")).st_mode));
  EXPECT_EQ(examine(tree.path("h/again")).st_ino, examine(tree.path("f/three")).st_ino);
  EXPECT_TRUE(S_ISFIFO(examine(tree.path("p/fifo")).st_mode));
  EXPECT_TRUE(S_ISSOCK(examine(tree.path("q/socket")).st_mode));
}

TEST(TempTree, FillsFilesWithBytesThatAreNotZero) {
  TempTree tree;
  tree.file("f", 2'500'000);
  const std::string content = content_of(tree.path("f"));
  EXPECT_EQ(content.size(), 2'500'000U);
  EXPECT_EQ(content.find('\0'), std::string::npos);
}

TEST(TempTree, ReplacesFiles) {
  TempTree tree;
  tree.file("f", 100);
  tree.write("f", "short");
  EXPECT_EQ(content_of(tree.path("f")), "short");
  tree.file("f");
  EXPECT_EQ(examine(tree.path("f")).st_size, 0);
}

TEST(TempTree, SetsModesAndTimes) {
  TempTree tree;
  tree.file("f");
  tree.symlink("f", "link");
  tree.chmod("f", 04711);
  tree.mtime("f", 1'000'000'000);
  tree.mtime("link", -5);
  tree.mtime(".", 1);
  EXPECT_EQ(examine(tree.path("f")).st_mode & 07777U, 04711U);
  EXPECT_EQ(examine(tree.path("f")).st_mtime, 1'000'000'000);
  EXPECT_EQ(examine(tree.path("link")).st_mtime, -5);
  EXPECT_EQ(examine(tree.path()).st_mtime, 1);
}

TEST(TempTree, SaysWhatFailed) {
  TempTree tree;
  tree.file("f");
  try {
    tree.file("f/below");
    FAIL() << "a file was created in a file";
  } catch (const base::SystemError& error) {
    EXPECT_EQ(error.code(), ENOTDIR);
    EXPECT_STREQ(error.what(), "cannot create directory f: Not a directory");
  }
  EXPECT_THROW(tree.symlink("x", "f"), base::SystemError);
  EXPECT_THROW(tree.hardlink("missing", "g"), base::SystemError);
  EXPECT_THROW(tree.chmod("missing", 0), base::SystemError);
  EXPECT_THROW(tree.dir(std::string(300, 'n')), base::SystemError);
}

TEST(TempTree, RemovesNamesOfAnyBytes) {
  std::string path;
  {
    TempTree tree;
    path = tree.path();
    std::string name;
    for (int byte = 1; byte < 256; ++byte) {
      if (byte != '/') name += static_cast<char>(byte);
    }
    tree.file(name);
    tree.file("-rf");
    tree.file("dir \n\t\"\\\xff/...");
    tree.dir(std::string(255, '\x80') + '/' + std::string(255, '*'));
  }
  EXPECT_FALSE(exists(path));
}

TEST(TempTree, DoesNotFollowLinksWhenRemoving) {
  TempTree kept;
  kept.file("precious");
  {
    TempTree tree;
    tree.symlink(kept.path(), "link");
    tree.symlink(kept.path("precious"), "sub/link");
  }
  EXPECT_TRUE(exists(kept.path("precious")));
}

TEST(TempTree, RemovesWideDirectories) {
  std::string path;
  {
    TempTree tree;
    path = tree.path();
    for (int i = 0; i < 2'000; ++i) tree.file("wide/" + std::to_string(i) + "/f");
  }
  EXPECT_FALSE(exists(path));
}

// Throws if anything was not removed.
void make_and_remove_unreadable_directories() {
  std::string path;
  {
    TempTree tree;
    path = tree.path();
    tree.file("none/a/f");
    tree.file("list/a/f");
    tree.file("search/a/f");
    for (const char* dir : {"none", "list", "search"}) tree.chmod(std::string(dir) + "/a", 0);
    tree.chmod("none", 0);
    tree.chmod("list", 0444);
    tree.chmod("search", 0111);
    tree.chmod(".", 0);
  }
  if (exists(path)) throw base::Error("left behind: " + path);
}

TEST(TempTree, RemovesUnreadableDirectories) {
  EXPECT_NO_THROW(make_and_remove_unreadable_directories());
  TempTree open;
  if (!nobody_can_enter(open.path())) GTEST_SKIP() << "others cannot enter " << open.path();
  open.chmod(".", 0777);
  EXPECT_EQ(as_nobody([&] {
              ::setenv("TMPDIR", open.path().c_str(), 1);
              make_and_remove_unreadable_directories();
            }),
            0);
}

TEST(TempTree, RemovesChainsDeeperThanAnyPath) {
  constexpr std::size_t kLevels = 20'000;
  std::string path;
  {
    TempTree tree;
    path = tree.path();
    tree.deep_chain("a/b", kLevels);
    const OracleTotals totals = count({path});
    EXPECT_EQ(totals.dirs, kLevels + 3);
    EXPECT_EQ(totals.unreadable, 0U);
  }
  EXPECT_FALSE(exists(path));
}

TEST(TempTree, CreatesFilesAtTheEndOfADeepChain) {
  std::string end;
  for (int i = 0; i < 3'000; ++i) end += "d/";
  TempTree tree;
  tree.deep_chain(".", 3'000);
  tree.file(end + "f", 7);
  tree.hardlink(end + "f", "near");
  EXPECT_EQ(examine(tree.path("near")).st_nlink, 2U);
  EXPECT_EQ(count({tree.path()}).dirs, 3'001U);
}

// Sets a variable for as long as it lives.
class EnvironmentVariable {
 public:
  EnvironmentVariable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~EnvironmentVariable() { set(before_ ? before_->c_str() : nullptr); }
  EnvironmentVariable(const EnvironmentVariable&) = delete;
  EnvironmentVariable& operator=(const EnvironmentVariable&) = delete;

 private:
  void set(const char* value) { value != nullptr ? ::setenv(name_, value, 1) : ::unsetenv(name_); }
  const char* name_;
  std::optional<std::string> before_;
};

TEST(TempTree, RespectsTmpdirAndSurvivesAnotherTreeInIt) {
  const TempTree outer;
  const EnvironmentVariable tmpdir("TMPDIR", outer.path().c_str());
  {
    const TempTree inner;
    EXPECT_TRUE(inner.path().starts_with(outer.path() + '/'));
  }
  EXPECT_EQ(count({outer.path()}).entries, 1U);
}

}  // namespace
}  // namespace fathom::testing
