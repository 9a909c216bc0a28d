// Roots: the user's arguments, in every spelling that the kernel and du accept.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "every_way.h"
#include "fathom/base/error.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

// Changes the working directory during its lifetime.
class WorkingDirectory {
 public:
  explicit WorkingDirectory(const std::string& path) : before_(::getcwd(nullptr, 0)) {
    if (::chdir(path.c_str()) != 0) throw base::SystemError("cannot enter " + path, errno);
  }
  ~WorkingDirectory() {
    EXPECT_EQ(::chdir(before_), 0);
    ::free(before_);
  }
  WorkingDirectory(const WorkingDirectory&) = delete;
  WorkingDirectory& operator=(const WorkingDirectory&) = delete;

 private:
  char* const before_;
};

// The common part of overlapping roots is counted once, as du does.
void expect_counted_once(const std::vector<std::string>& roots) {
  SCOPED_TRACE(::testing::PrintToString(roots));
  const testing::OracleTotals totals = testing::count(roots);
  std::string json;
  scan_every_way(roots, [&](const Scan& scan) {
    EXPECT_TRUE(scan.complete()) << describe(scan.errors);
    const Counts whole = Totals(scan.tree).whole();
    EXPECT_EQ(whole.disk_bytes, totals.disk_bytes);
    EXPECT_EQ(whole.apparent_bytes, totals.apparent_bytes);
    EXPECT_EQ(whole.dirs, totals.dirs);
    expect_equals_du(scan, roots);
    EXPECT_EQ(scan.tree.roots().size(), roots.size());
    EXPECT_EQ(scan.roots, roots);
    if (json.empty()) json = comparable_json(scan);
    EXPECT_TRUE(comparable_json(scan) == json);
  });
}

TEST(Roots, AreNeeded) {
  for (const Way& way : ways_with({1, 2})) {
    EXPECT_THROW((void)scan(options_for(way, {})), base::Error) << way;
  }
}

TEST(Roots, ThatAreMissingAreErrorsAndTheOthersAreScanned) {
  TempTree tree;
  tree.file("there/file", 10);
  const std::vector<std::string> roots = {tree.path("missing"), tree.path("there"),
                                          tree.path("there/file/below a file")};
  const testing::OracleTotals totals = testing::count({tree.path("there")});
  scan_every_way(roots, [&](const Scan& scan) {
    ASSERT_EQ(scan.errors.size(), 2U) << describe(scan.errors);
    EXPECT_EQ(scan.errors[0].path, roots[0]);
    EXPECT_EQ(scan.errors[0].code, ENOENT);
    EXPECT_STREQ(scan.errors[0].operation, "open");
    EXPECT_EQ(scan.errors[1].path, roots[2]);
    EXPECT_EQ(scan.errors[1].code, ENOTDIR);
    EXPECT_FALSE(scan.complete());
    EXPECT_EQ(Totals(scan.tree).whole().apparent_bytes, totals.apparent_bytes);
    EXPECT_EQ(Totals(scan.tree).whole().entries(), totals.entries);
  });
}

TEST(Roots, ThatAreAllMissingLeaveNothing) {
  scan_every_way({"/nonexistent/fathom"}, [&](const Scan& scan) {
    ASSERT_EQ(scan.errors.size(), 1U);
    EXPECT_EQ(scan.errors[0].path, "/nonexistent/fathom");
    EXPECT_EQ(scan.errors[0].code, ENOENT);
    EXPECT_EQ(Totals(scan.tree).whole().entries(), 0U);
    EXPECT_NO_THROW((void)parse(json_of(scan, {{.kind = ReportKind::errors}})));
  });
}

TEST(Roots, ThatAreEmptyStringsDoNotExist) {
  scan_every_way({""}, [&](const Scan& scan) {
    ASSERT_EQ(scan.errors.size(), 1U);
    EXPECT_EQ(scan.errors[0].path, "");
    EXPECT_EQ(scan.errors[0].code, ENOENT);
    EXPECT_EQ(Totals(scan.tree).whole().entries(), 0U);
  });
}

TEST(Roots, MayBeSymbolicLinksWhichAreNotFollowed) {  // as du
  TempTree tree;
  tree.file("dir/file", 100'000);
  tree.symlink("dir", "link");
  tree.symlink("nothing", "dangling");
  for (const std::string root : {"link", "dangling"}) {
    SCOPED_TRACE(root);
    scan_every_way({tree.path(root)}, [&](const Scan& scan) {
      EXPECT_TRUE(scan.complete()) << describe(scan.errors);
      EXPECT_EQ(Totals(scan.tree).whole().symlinks, 1U);
      EXPECT_EQ(Totals(scan.tree).whole().entries(), 1U);
      expect_equals_du(scan, {tree.path(root)});
    });
  }
}

TEST(Roots, MayBeSymbolicLinksThatASlashFollows) {  // as du and the kernel
  TempTree tree;
  tree.file("dir/file", 100'000);
  tree.symlink("dir", "link");
  const std::string root = tree.path("link") + "/";
  scan_every_way({root}, [&](const Scan& scan) {
    EXPECT_TRUE(scan.complete()) << describe(scan.errors);
    EXPECT_EQ(all_paths(scan.tree), (std::vector<std::string>{root, root + "file"}));
    expect_equals_du(scan, {root});
  });
}

TEST(Roots, MayBeReachedThroughSymbolicLinks) {
  TempTree tree;
  tree.file("dir/sub/file", 100'000);
  tree.symlink("dir", "link");
  const std::string root = tree.path("link/sub");
  scan_every_way({root}, [&](const Scan& scan) {
    EXPECT_TRUE(scan.complete()) << describe(scan.errors);
    EXPECT_EQ(all_paths(scan.tree), (std::vector<std::string>{root, root + "/file"}));
  });
}

TEST(Roots, MayBeFilesAndFifosAndSockets) {
  TempTree tree;
  tree.file("file", 12'345);
  tree.fifo("fifo");
  tree.socket("socket");
  for (const std::string root : {"file", "fifo", "socket"}) {
    SCOPED_TRACE(root);
    const testing::OracleTotals totals = testing::count({tree.path(root)});
    scan_every_way({tree.path(root)}, [&](const Scan& scan) {
      expect_equals_oracle(scan, totals);
      expect_equals_du(scan, {tree.path(root)});
      ASSERT_EQ(scan.tree.roots().size(), 1U);
      EXPECT_EQ(scan.tree.path(scan.tree.roots()[0]), tree.path(root));
      EXPECT_EQ(scan.tree.parent(scan.tree.roots()[0]), kNoDir);
    });
  }
}

TEST(Roots, MayEndWithSlashes) {
  TempTree tree;
  tree.file("dir/sub/file", 100);
  const testing::OracleTotals totals = testing::count({tree.path("dir")});
  for (const std::string end : {"/", "//", "/.", "/./", "/sub/.."}) {
    const std::string root = tree.path("dir") + end;
    SCOPED_TRACE(root);
    scan_every_way({root}, [&](const Scan& scan) {
      expect_equals_oracle(scan, totals);
      const std::string file = root + (root.back() == '/' ? "sub/file" : "/sub/file");
      EXPECT_NO_THROW((void)find_node(scan.tree, file)) << file;
    });
  }
}

TEST(Roots, ThatAreFilesMayNotEndWithASlash) {
  TempTree tree;
  tree.file("file", 100);
  scan_every_way({tree.path("file") + "/"}, [&](const Scan& scan) {
    ASSERT_EQ(scan.errors.size(), 1U);
    EXPECT_EQ(scan.errors[0].code, ENOTDIR);
    EXPECT_EQ(Totals(scan.tree).whole().entries(), 0U);
  });
}

TEST(Roots, MayBeRelative) {
  TempTree tree;
  tree.file("a/b/file", 100);
  tree.file("c", 10);
  const WorkingDirectory here(tree.path("a"));
  const std::vector<std::pair<std::string, std::vector<std::string>>> cases = {
      {".", {".", "./b", "./b/file"}},
      {"b", {"b", "b/file"}},
      {"./b", {"./b", "./b/file"}},
      {"..", {"..", "../a", "../a/b", "../a/b/file", "../c"}},
      {"../c", {"../c"}},
  };
  for (const auto& [root, paths] : cases) {
    scan_every_way({root}, [&, expected = paths](const Scan& scan) {
      EXPECT_TRUE(scan.complete()) << describe(scan.errors);
      EXPECT_EQ(all_paths(scan.tree), expected);
    });
  }
}

TEST(Roots, MayBeginWithADash) {
  TempTree tree;
  tree.file("-x/file", 100);
  const WorkingDirectory here(tree.path());
  scan_every_way({"-x"}, [&](const Scan& scan) {
    EXPECT_EQ(all_paths(scan.tree), (std::vector<std::string>{"-x", "-x/file"}));
  });
}

TEST(Roots, ThatOverlapAreCountedOnce) {
  TempTree tree;
  tree.file("a/file", 50'000);
  tree.file("a/b/c/deep", 60'000);
  tree.hardlink("a/file", "a/b/again");
  tree.hardlink("a/file", "d/again");
  tree.symlink("a", "link");
  const std::string a = tree.path("a");
  const std::string b = tree.path("a/b");
  const std::string file = tree.path("a/file");
  expect_counted_once({a, a});
  expect_counted_once({a, b});
  expect_counted_once({b, a});
  expect_counted_once({b, a, tree.path()});
  expect_counted_once({a, tree.path("d")});
  expect_counted_once({tree.path("a/b/.."), a});
  expect_counted_once({a + "/", a});
  expect_counted_once({a, a + "/"});
  expect_counted_once({tree.path("a/b/c"), a, tree.path("a/b/c/")});
  expect_counted_once({tree.path("link") + "/", a});
  expect_counted_once({a, tree.path("link")});
  expect_counted_once({tree.path("link"), tree.path()});
}

TEST(Roots, ThatAreFilesOfOtherRootsAreCountedOnce) {
  TempTree tree;
  tree.file("a/file", 50'000);
  tree.file("a/linked", 70'000);
  tree.hardlink("a/linked", "d/again");
  const std::string a = tree.path("a");
  const std::string file = tree.path("a/file");
  expect_counted_once({a, file});
  expect_counted_once({file, a});
  expect_counted_once({file, file});
  expect_counted_once({tree.path("d/../a/file"), a});
  expect_counted_once({a, tree.path("d/../a/file")});
  expect_counted_once({tree.path("a/linked"), tree.path("d/again")});
  expect_counted_once({tree.path("d/again"), a});
  expect_counted_once({a, tree.path("d/again")});
}

TEST(Roots, MayBeMany) {
  TempTree tree;
  std::vector<std::string> roots;
  for (int i = 0; i < 300; ++i) {
    const std::string name = "root" + std::to_string(i);
    tree.file(name + "/file", static_cast<std::size_t>(i));
    roots.push_back(tree.path(name));
  }
  const testing::OracleTotals totals = testing::count(roots);
  scan_every_way(roots, [&](const Scan& scan) {
    expect_equals_oracle(scan, totals);
    ASSERT_EQ(scan.tree.roots().size(), roots.size());
    for (std::size_t i = 0; i < roots.size(); ++i) {
      EXPECT_EQ(scan.tree.path(scan.tree.roots()[i]), roots[i]);
    }
  });
}

TEST(Roots, OnOneFilesystemAreTheSameWithOrWithoutStayingOnIt) {
  TempTree tree;
  tree.file("a/file", 100);
  tree.file("b", 100);
  const testing::OracleTotals totals = testing::count({tree.path()});
  for (const Way& way : ways_with({1, 8})) {
    ScanOptions options = options_for(way, {tree.path()});
    options.selection.one_file_system = true;
    expect_equals_oracle(scan(options), totals);
  }
}

}  // namespace
}  // namespace fathom::fs
