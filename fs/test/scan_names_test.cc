// Names: the kernel allows all bytes except two, and so does the scan.

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <string>
#include <vector>

#include "every_way.h"
#include "fathom/base/error.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::fs {
namespace {

using testing::TempTree;

std::vector<std::string> hostile_names() {
  std::vector<std::string> names;
  for (int byte = 1; byte < 256; ++byte) {
    if (byte != '/') names.push_back(std::string("x") + static_cast<char>(byte));
  }
  names.insert(names.end(), {"\n",
                             " ",
                             "  leading and trailing  ",
                             "-rf",
                             "--",
                             "...",
                             ".hidden",
                             "\x1b[31mred\x1b[0m",
                             "\x1b]0;title\x07",
                             "tab\there",
                             "line\nbreak",
                             "carriage\rreturn",
                             "\x7f",
                             "\"quotes\" and 'quotes'",
                             "back\\slash",
                             "$(id) `id` ;*?[a]",
                             "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
                             "\xe2\x80\xae"
                             "gpj.exe",
                             "e\xcc\x81",
                             "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e",
                             "\xf0\x9f\x98\x80",
                             "\xff",
                             "\xc0\xaf",
                             "\xed\xa0\x80",
                             "\xed\xb0\x80",
                             "\xf4\x90\x80\x80",
                             std::string(255, 'n'),
                             std::string(255, '\xff')});
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Makes those names that the filesystem accepts (some require UTF-8).
std::vector<std::string> make_files(TempTree& tree, const std::string& in) {
  std::vector<std::string> made;
  for (const std::string& name : hostile_names()) {
    try {
      tree.file(in + "/" + name, 10);
      made.push_back(name);
    } catch (const base::Error&) {
    }
  }
  return made;
}

TEST(Names, OfAnyBytesAreFoundInEveryWay) {
  TempTree tree;
  for (const std::string& directory : make_files(tree, "files")) {
    tree.dir("dirs/" + directory);
    tree.file("dirs/" + directory + "/" + directory, 3);
    tree.symlink(directory, "links/" + directory);
  }
  const std::vector<std::string> expected = find_paths(tree.path());
  ASSERT_GT(expected.size(), 4U * 60);  // at least ASCII
  const testing::OracleTotals totals = testing::count({tree.path()});
  scan_every_way({tree.path()}, [&](const Scan& scan) {
    EXPECT_TRUE(all_paths(scan.tree) == expected);
    expect_equals_oracle(scan, totals);
  });
}

TEST(Names, OfAnyBytesArePreservedInJson) {
  TempTree tree;
  const std::vector<std::string> names = make_files(tree, "files");
  ASSERT_GT(names.size(), 60U);
  scan_every_way({tree.path("files")}, [&](const Scan& found) {
    const rapidjson::Document json =
        parse(json_of(found, {{.kind = ReportKind::largest_files, .count = 10'000}}));
    std::vector<std::string> back;
    for (const auto& file : json["reports"]["largest_files"].GetArray()) {
      back.push_back(path_of(file).substr(tree.path("files").size() + 1));
    }
    std::sort(back.begin(), back.end());
    EXPECT_TRUE(back == names);
  });
}

TEST(Names, OfRootsMayBeOfAnyBytes) {
  TempTree tree;
  const std::string name = "root \n\x1b[31m-\"\\";
  tree.file(name + "/file", 10);
  scan_every_way({tree.path(name)}, [&](const Scan& scan) {
    EXPECT_EQ(all_paths(scan.tree),
              (std::vector<std::string>{tree.path(name), tree.path(name) + "/file"}));
    EXPECT_EQ(path_of(parse(json_of(scan, {}))["roots"][0]), tree.path(name));
  });
}

}  // namespace
}  // namespace fathom::fs
