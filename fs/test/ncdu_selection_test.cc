// Excluded and filtered entries in an export and its import.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.h"
#include "fathom/fs/totals.h"
#include "ncdu_text.h"

namespace fathom::fs {
namespace {

using Paths = std::vector<std::string>;

Scan selected(std::string_view directory, const Selection& selection) {
  const std::string text = with_header(directory);
  return read_ncdu(text_source(text), selection).scan;
}

Selection leaving_out(std::string_view rules) {
  Selection selection;
  selection.excluded.add_text(rules);
  return selection;
}

TEST(NcduSelection, WritesExcludedEntriesAmongTheirSiblings) {
  HandMadeTree made;
  const DirId top = made.root("/t");
  made.file(top, "c", {});
  made.directory(top, "f");
  Scan scan = scan_of(made);
  scan.excluded = {{top, "g", Excluded::kernel_filesystem},
                   {top, "b", Excluded::cache},
                   {top, "e", Excluded::other_filesystem},
                   {top, "a\n", Excluded::pattern}};
  EXPECT_EQ(entries_of(scan), R"([{"name":"/t","dev":1,"uid":0,"gid":0,"mode":16877,"mtime":0},
{"name":"a\n","excluded":"pattern"},
{"name":"b","excluded":"pattern"},
{"name":"c","uid":0,"gid":0,"mode":33188,"mtime":0},
[{"name":"e","excluded":"otherfs"}],
[{"name":"f","uid":0,"gid":0,"mode":16877,"mtime":0}],
[{"name":"g","excluded":"kernfs"}]])");
}

TEST(NcduSelection, ReadsTheReasonsBack) {
  const Scan scan = selected(R"([{"name":"/t"},{"name":"a","excluded":"pattern"},
[{"name":"b","excluded":"otherfs"}],[{"name":"c","excluded":"othfs"}],[{"name":"d","excluded":"kernfs"}],
{"name":"e","excluded":"unheard of"}])",
                             {});
  ASSERT_EQ(scan.excluded.size(), 5U);
  const std::vector<Excluded> reasons = {Excluded::pattern, Excluded::other_filesystem,
                                         Excluded::other_filesystem, Excluded::kernel_filesystem,
                                         Excluded::pattern};
  for (std::size_t i = 0; i < reasons.size(); ++i) EXPECT_EQ(scan.excluded[i].why, reasons[i]) << i;
  EXPECT_EQ(int{scan.tree.flags(find_node(scan.tree, "/t"))}, int{kHasOmittedChildren});
}

TEST(NcduSelection, ExcludesByThePathInTheRoot) {
  constexpr std::string_view kTree = R"([{"name":"/srv/a"},{"name":"a"},
[{"name":"b"},{"name":"a"},[{"name":"c"},{"name":"deep"}]],{"name":"d","mode":16877}])";
  EXPECT_EQ(
      all_paths(selected(kTree, leaving_out("/a\n")).tree),
      Paths({"/srv/a", "/srv/a/b", "/srv/a/b/a", "/srv/a/b/c", "/srv/a/b/c/deep", "/srv/a/d"}));
  EXPECT_EQ(all_paths(selected(kTree, leaving_out("a\n")).tree),
            Paths({"/srv/a", "/srv/a/b", "/srv/a/b/c", "/srv/a/b/c/deep", "/srv/a/d"}));
  const Scan scan = selected(kTree, leaving_out("b/c\nd/\n"));
  EXPECT_EQ(all_paths(scan.tree), Paths({"/srv/a", "/srv/a/a", "/srv/a/b", "/srv/a/b/a"}));
  EXPECT_EQ(scan.excluded.size(), 2U);
  const Scan root =
      selected(R"([{"name":"/"},[{"name":"a"},{"name":"x"}],{"name":"b"}])", leaving_out("/a/x\n"));
  EXPECT_EQ(all_paths(root.tree), Paths({"/", "/a", "/b"}));
}

TEST(NcduSelection, SkipsTheContentsOfAnExcludedDirectory) {
  constexpr std::string_view kTree =
      R"([{"name":"/t"},[{"name":"gone","read_error":true},{"name":".."}],{"name":"kept"}])";
  const Scan scan = selected(kTree, leaving_out("gone/\n"));
  EXPECT_TRUE(scan.complete());
  EXPECT_EQ(all_paths(scan.tree), Paths({"/t", "/t/kept"}));
  EXPECT_THROW(static_cast<void>(selected(kTree, {})), base::Error);
  constexpr std::string_view kCutOff = R"([{"name":"/t"},[{"name":"gone"},{"name":)";
  EXPECT_THROW(static_cast<void>(selected(kCutOff, leaving_out("gone\n"))), base::Error);
}

TEST(NcduSelection, HidesErrorsOfExcludedEntries) {
  constexpr std::string_view kTree = R"([{"name":"/t"},{"name":"bad","read_error":true}])";
  EXPECT_FALSE(selected(kTree, {}).complete());
  EXPECT_TRUE(selected(kTree, leaving_out("bad\n")).complete());
}

TEST(NcduSelection, CountsOnlyWhatRulesMatch) {
  constexpr std::string_view kTree = R"([{"name":"/srv"},{"name":"a"},
[{"name":"b"},{"name":"a"},[{"name":"c"},{"name":"deep"},{"name":"d","mode":16877}]],{"name":"c"}])";
  const auto counted = [&](std::string_view rules) {
    Selection selection;
    selection.only.add_text(rules);
    const Scan scan = selected(kTree, selection);
    EXPECT_EQ(Totals(scan.tree).whole().entries() + scan.filtered_out, 8U);
    Paths paths;
    scan.tree.for_each_node([&](NodeId node) {
      if ((scan.tree.flags(node) & kUncounted) == 0) paths.push_back(scan.tree.path(node));
    });
    EXPECT_EQ(import_of(export_of(scan)).scan.filtered_out, scan.filtered_out);
    return paths;
  };
  EXPECT_EQ(counted("a\n"), Paths({"/srv/a", "/srv/b/a"}));
  EXPECT_EQ(counted("/a\n"), Paths({"/srv/a"}));
  EXPECT_EQ(counted("c/\n"), Paths({"/srv/b/c", "/srv/b/c/deep", "/srv/b/c/d"}));
  EXPECT_EQ(counted("srv\n"), Paths());
  EXPECT_EQ(counted("b/c/d\n"), Paths({"/srv/b/c/d"}));
}

TEST(NcduSelection, PreservesFilteredOutEntries) {
  Selection selection;
  selection.kinds = {Kind::file};
  selection.min_size = 512;
  const Scan scan = selected(R"([{"name":"/t","dsize":4096},{"name":"small"},
[{"name":"in","dsize":4096},{"name":"large","dsize":1024}]])",
                             selection);
  EXPECT_EQ(scan.filtered_out, 3U);
  EXPECT_EQ(Totals(scan.tree).whole().entries(), 1U);
  EXPECT_EQ(Totals(scan.tree).whole().disk_bytes, 1024U);
  const std::string text = export_of(scan);
  EXPECT_EQ(text.find("4096"), std::string::npos) << "ncdu would count it: " << text;
  const Scan back = import_of(text).scan;
  EXPECT_EQ(export_of(back), text);
  EXPECT_EQ(back.filtered_out, 3U);
  EXPECT_EQ(Totals(back.tree).whole().entries(), 1U);
  EXPECT_EQ(int{back.tree.flags(find_node(back.tree, "/t"))}, kFilteredOut | kHasOmittedChildren);
  EXPECT_EQ(int{back.tree.flags(find_node(back.tree, "/t/in"))}, int{kFilteredOut});
}

TEST(NcduSelection, MayDependOnWhenTheScanWasMade) {
  int asked = 0;
  const std::string text = with_header(R"([{"name":"/t"},{"name":"new","mtime":1712345678},
{"name":"old","mtime":1712345677}])");
  const NcduImport found = read_ncdu(text_source(text), [&asked](std::int64_t taken) {
    ++asked;
    Selection selection;
    selection.newer_than = taken;
    return selection;
  });
  EXPECT_EQ(asked, 1);
  EXPECT_EQ(all_paths(found.scan.tree), Paths({"/t", "/t/new"}));
}

}  // namespace
}  // namespace fathom::fs
