// Paths: what is resolved, and what a failure is.

#include "fathom/base/path.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace fathom::base {
namespace {

// A new directory, which is the current one during the object's lifetime.
class InNewDirectory {
 public:
  InNewDirectory() : before_(std::filesystem::current_path()) {
    std::string name = std::filesystem::temp_directory_path() / "fathom-path-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::filesystem::filesystem_error("mkdtemp", {});
    path_ = std::filesystem::canonical(name);
    std::filesystem::current_path(path_);
  }
  InNewDirectory(const InNewDirectory&) = delete;
  InNewDirectory& operator=(const InNewDirectory&) = delete;
  ~InNewDirectory() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::filesystem::path before_;
  std::string path_;
};

TEST(RealPath, ResolvesLinksAndDots) {
  const InNewDirectory here;
  std::filesystem::create_directories("a/b");
  std::filesystem::create_symlink("a/b", "link");
  EXPECT_EQ(real_path("."), here.path());
  EXPECT_EQ(real_path("a/./b/"), here.path() + "/a/b");
  EXPECT_EQ(real_path("link"), here.path() + "/a/b");
  EXPECT_EQ(real_path("link/.."), here.path() + "/a");
  EXPECT_EQ(real_path("/"), "/");
}

TEST(RealPath, FailsWithTheReason) {
  const InNewDirectory here;
  std::filesystem::create_symlink("nowhere", "dangling");
  std::filesystem::create_symlink("loop", "loop");
  for (const auto& [path, error] :
       {std::pair("missing", ENOENT), {"dangling", ENOENT}, {"loop", ELOOP}, {"", ENOENT}}) {
    errno = 0;
    EXPECT_EQ(real_path(path), std::nullopt) << path;
    EXPECT_EQ(errno, error) << path;
  }
}

TEST(CurrentDirectory, FailsIfItWasRemoved) {
  const InNewDirectory here;
  EXPECT_EQ(current_directory(), here.path());
  std::filesystem::remove_all(here.path());
  errno = 0;
  EXPECT_EQ(current_directory(), std::nullopt);
  EXPECT_EQ(errno, ENOENT);
}

TEST(JoinedPath, IsBelowTheFolder) {
  EXPECT_EQ(joined_path("/srv", "a/b"), "/srv/a/b");
  EXPECT_EQ(joined_path("/srv/", "a"), "/srv/a");
  EXPECT_EQ(joined_path("/", "a"), "/a");
  EXPECT_EQ(joined_path("/srv", "../a"), "/srv/../a");
  EXPECT_EQ(joined_path("/srv", "a/"), "/srv/a/");
}

TEST(JoinedPath, OfTheFolderItselfIsTheFolder) {
  for (const char* path : {"", ".", "./", "././/", ".//."}) {
    EXPECT_EQ(joined_path("/srv", path), "/srv") << path;
  }
}

TEST(JoinedPath, LeavesOutDotsAtTheBeginning) {
  EXPECT_EQ(joined_path("/srv", "./a"), "/srv/a");
  EXPECT_EQ(joined_path("/srv", ".//././a/./b"), "/srv/a/./b");
  EXPECT_EQ(joined_path("/srv", ".a"), "/srv/.a");
}

TEST(JoinedPath, OfAnAbsolutePathIsThatPath) {
  EXPECT_EQ(joined_path("/srv", "/home"), "/home");
}

TEST(NamesAlong, AreThoseBetweenSlashes) {
  const auto names = [](std::string_view path) {
    std::vector<std::string> all;
    for (const std::string_view name : names_along(path)) all.emplace_back(name);
    return all;
  };
  EXPECT_EQ(names("/a/b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names("./a//b/./"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names("../.a"), (std::vector<std::string>{"..", ".a"}));
  EXPECT_EQ(names("/"), std::vector<std::string>());
  EXPECT_EQ(names(""), std::vector<std::string>());
}

TEST(IsShallower, CountsNamesAndThenComparesThem) {
  EXPECT_TRUE(is_shallower("/z", "/a/b"));
  EXPECT_FALSE(is_shallower("/a/b", "/z"));
  EXPECT_TRUE(is_shallower("/a/z", "/a-/b"));  // not as texts
  EXPECT_FALSE(is_shallower("/a-/b", "/a/z"));
  EXPECT_FALSE(is_shallower("/a/b", "/a//b"));
}

TEST(Path, IsBelowAFolderOnlyIfItsNameEndsThere) {
  for (const auto& [path, folder, below] : {std::tuple("/a/b", "/a", true),
                                            {"/a/b", "/a/", true},
                                            {"/a", "/", true},
                                            {"a/b/c", "a", true},
                                            {"/ab", "/a", false},
                                            {"/a", "/a", false},
                                            {"/", "/", false},
                                            {"/a", "/a/b", false}}) {
    EXPECT_EQ(is_below(path, folder), below) << path << ' ' << folder;
    EXPECT_EQ(is_at_or_below(path, folder), below || path == std::string_view(folder));
  }
}

}  // namespace
}  // namespace fathom::base
