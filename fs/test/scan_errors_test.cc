// Errors: an unreadable item is reported once, and everything above it is a lower bound.

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "every_way.h"
#include "fathom/base/error.h"
#include "fathom/testing/privileges.h"
#include "fathom/testing/temp_tree.h"
#include "require.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

bool is_incomplete(const Scan& scan, const std::string& path) {
  return (scan.tree.flags(find_node(scan.tree, path)) & kIncomplete) != 0;
}

// Runs body(Scan) as nobody with a scan of the tree in every way.
template <class Function>
void scan_as_nobody(const TempTree& tree, const std::string& root, Function body) {
  const std::string folder = std::filesystem::path(tree.path()).parent_path();
  if (!testing::nobody_can_enter(folder)) GTEST_SKIP() << "others cannot enter " << folder;
  ASSERT_EQ(testing::as_nobody([&] {
              for (const Way& way : ways_with({1, 2, 8})) {
                try {
                  body(scan(options_for(way, {root})));
                } catch (const std::exception& error) {
                  throw base::Error(::testing::PrintToString(way) + ": " + error.what());
                }
              }
            }),
            0);
}

void require_error(const ScanError& error, const std::string& path, std::string_view operation,
                   int code) {
  require_equal(error.path, path, "path of the error");
  require_equal(std::string_view(error.operation), operation, "operation on " + path);
  require_equal(error.code, code, "errno of " + path);
}

TEST(UnreadableDirectories, AreReportedOnceAndMakeAllAboveALowerBound) {
  TempTree tree;
  tree.file("a/secret/file", 100'000);
  tree.file("a/open/file", 10);
  tree.file("beside/file", 10);
  tree.chmod("a/secret", 0);
  scan_as_nobody(tree, tree.path(), [&](const Scan& scan) {
    require_equal(scan.errors.size(), 1U, "errors:\n" + describe(scan.errors));
    require_error(scan.errors[0], tree.path("a/secret"), "open", EACCES);
    require(!scan.complete(), "the scan says that it is complete");
    require(lower_bound_at(scan, tree.path("a/secret")), "the directory itself");
    require(lower_bound_at(scan, tree.path("a")), "its parent");
    require(lower_bound_at(scan, tree.path()), "the root");
    require(is_incomplete(scan, tree.path("a/secret")), "it was not read");
    require(!is_incomplete(scan, tree.path("a")), "its parent was read completely");
    require(!lower_bound_at(scan, tree.path("a/open")), "its sibling is not a lower bound");
    require(!lower_bound_at(scan, tree.path("beside")), "its uncle is not a lower bound");

    // The directory itself is counted, as du does.
    const Counts whole = Totals(scan.tree).whole();
    require_equal(whole.disk_bytes, testing::du(tree.path(), false), "disk bytes");
    require_equal(whole.dirs, 5U, "directories");
    require_equal(whole.files, 2U, "files");

    const rapidjson::Document json = parse(json_of(scan, {{.kind = ReportKind::errors}}));
    require_equal(json["accuracy"]["complete"].GetBool(), false, "complete in JSON");
    require_equal(json["accuracy"]["unreadable"].GetUint64(), 1U, "unreadable in JSON");
    require_equal(path_of(json["reports"]["errors"][0]), tree.path("a/secret"), "path in JSON");
  });
}

TEST(UnreadableDirectories, MayBeSearchableButNotListable) {
  TempTree tree;
  tree.file("only x/file", 10);
  tree.chmod("only x", 0111);
  scan_as_nobody(tree, tree.path(), [&](const Scan& scan) {
    require_equal(scan.errors.size(), 1U, "errors:\n" + describe(scan.errors));
    require_error(scan.errors[0], tree.path("only x"), "open", EACCES);
    require(lower_bound_at(scan, tree.path()), "the root is a lower bound");
    require_equal(Totals(scan.tree).whole().disk_bytes, testing::du(tree.path(), false), "disk");
  });
}

TEST(UnreadableDirectories, ThatCanOnlyBeListedReportEachNameInThem) {
  TempTree tree;
  tree.file("only r/a", 10);
  tree.file("only r/b", 10);
  tree.dir("only r/c");
  tree.chmod("only r", 0444);
  scan_as_nobody(tree, tree.path(), [&](const Scan& scan) {
    require_equal(scan.errors.size(), 3U, "errors:\n" + describe(scan.errors));
    require_error(scan.errors[0], tree.path("only r/a"), "stat", EACCES);
    require_error(scan.errors[1], tree.path("only r/b"), "stat", EACCES);
    require_equal(scan.errors[2].path, tree.path("only r/c"), "path");
    require_equal(scan.errors[2].code, EACCES, "errno");
    require(lower_bound_at(scan, tree.path("only r")), "the directory is a lower bound");
    require(lower_bound_at(scan, tree.path()), "the root is a lower bound");
    require_equal(Totals(scan.tree).whole().entries(), 2U, "entries");
    require_equal(Totals(scan.tree).whole().disk_bytes, testing::du(tree.path(), false), "disk");
  });
}

TEST(UnreadableDirectories, MayBeMany) {
  constexpr int kCount = 300;
  TempTree tree;
  std::vector<std::string> expected;
  for (int i = 0; i < kCount; ++i) {
    const std::string name = "d" + std::to_string(i);
    tree.file(name + "/file", 10);
    if (i % 2 == 0) {
      tree.chmod(name, 0);
      expected.push_back(tree.path(name));
    }
  }
  std::sort(expected.begin(), expected.end());
  scan_as_nobody(tree, tree.path(), [&](const Scan& scan) {
    std::vector<std::string> paths;
    for (const ScanError& error : scan.errors) paths.push_back(error.path);
    require(paths == expected, "not each directory once, ordered by path");
    require_equal(Totals(scan.tree).whole().disk_bytes, testing::du(tree.path(), false), "disk");
  });
}

TEST(UnreadableRoots, AreReportedAndCountThemselves) {
  TempTree tree;
  tree.file("secret/file", 10);
  tree.chmod("secret", 0);
  scan_as_nobody(tree, tree.path("secret"), [&](const Scan& scan) {
    require_equal(scan.errors.size(), 1U, "errors:\n" + describe(scan.errors));
    require_error(scan.errors[0], tree.path("secret"), "open", EACCES);
    require(lower_bound_at(scan, tree.path("secret")), "the root is a lower bound");
    require_equal(Totals(scan.tree).whole().disk_bytes, testing::du(tree.path("secret"), false),
                  "disk");
    require_equal(scan.tree.roots().size(), 1U, "roots");
  });
}

TEST(UnreadableRoots, BelowAnInaccessibleDirectoryHaveNoNode) {
  TempTree tree;
  tree.file("secret/below/file", 10);
  tree.chmod("secret", 0);
  scan_as_nobody(tree, tree.path("secret/below"), [&](const Scan& scan) {
    require_equal(scan.errors.size(), 1U, "errors:\n" + describe(scan.errors));
    require_equal(scan.errors[0].code, EACCES, "errno");
    require_equal(Totals(scan.tree).whole().entries(), 0U, "entries");
  });
}

TEST(ReadableTrees, OfAnotherUserAreRead) {
  // Only the owner may use O_NOATIME.
  TempTree tree;
  tree.file("a/b/file", 10);
  tree.file("c/file", 10);
  scan_as_nobody(tree, tree.path(), [&](const Scan& scan) {
    require(scan.complete(), describe(scan.errors));
    require_equal(Totals(scan.tree).whole().disk_bytes, testing::du(tree.path(), false), "disk");
    require_equal(Totals(scan.tree).whole().entries(), 6U, "entries");
  });
}

}  // namespace
}  // namespace fathom::fs
