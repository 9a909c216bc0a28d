// Tests of search: it finds the same entries as a linear search of all paths, and counts no byte
// twice.

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "api_made_tree.h"

namespace fathom::web {
namespace {

struct Found {
  std::set<std::string> paths;
  std::uint64_t bytes = 0;
};

// Every path below another whose last name contains a text, by a linear search.
Found by_hand(const Snapshot& snapshot, const std::string& text, const std::string& below,
              const std::string& kind = "") {
  const fs::Tree& tree = snapshot.tree();
  const auto matches = [&](fs::NodeId node) {
    const char* kinds[] = {"directory", "file", "symlink", "other"};
    if (!kind.empty() && kind != kinds[static_cast<std::size_t>(tree.kind(node))]) return false;
    if ((tree.flags(node) & fs::kUncounted) != 0) return false;
    std::string name = tree.path(node);
    name = name.substr(name.rfind('/') + 1);
    const auto lower = [](std::string bytes) {
      for (char& byte : bytes) {
        if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte + 32);
      }
      return bytes;
    };
    return lower(name).find(lower(text)) != std::string::npos;
  };
  Found found;
  tree.for_each_node([&](fs::NodeId node) {
    if (!tree.path(node).starts_with(below + '/') || !matches(node)) return;
    found.paths.insert(tree.path(node));
    for (fs::NodeId at = node; tree.parent(at) != fs::kNoDir;) {
      at = tree.node(tree.parent(at));
      if (tree.path(at).starts_with(below + '/') && matches(at)) return;
    }
    const Place place = *snapshot.find(tree.path(node));
    if (place.is_directory()) {
      found.bytes += snapshot.totals().below(place.directory).disk_bytes;
    } else if ((tree.flags(node) & fs::kExtraLink) == 0) {
      found.bytes += tree.blocks(node) * 512;
    }
  });
  return found;
}

std::vector<std::string> paths_in(const rapidjson::Value& json) {
  std::vector<std::string> paths;
  for (const auto& result : json["results"].GetArray()) paths.push_back(bytes_in(result, "path"));
  return paths;
}

TEST(Search, FindsTheSameEntriesAsALinearSearch) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  for (const char* text : {"n", "1", "SCRIPT", "7", "\xff", "\n", "upper.txt", "n1", "nowhere"}) {
    for (const char* kind : {"", "directory", "file", "symlink", "other"}) {
      const Found expected = by_hand(snapshot, text, "/t", kind);
      const std::string more = *kind == '\0' ? "" : std::string("&kind=") + kind;
      const auto json = ask(snapshot, "search", "limit=1000&q=" + percent_encoded(text) + more);
      EXPECT_EQ(json["matches"].GetUint64(), expected.paths.size()) << text << kind;
      EXPECT_EQ(json["bytes"].GetUint64(), expected.bytes) << text << kind;
      const auto paths = paths_in(json);
      EXPECT_EQ(std::set<std::string>(paths.begin(), paths.end()), expected.paths);
      EXPECT_EQ(bytes_in(json, "query"), text);
    }
  }
}

TEST(Search, ExaminesOnlyEntriesBelowItsPath) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  const auto directories = ask(snapshot, "search", "q=*&kind=directory&limit=20");
  for (const std::string& below : paths_in(directories)) {
    const Found expected = by_hand(snapshot, "1", below);
    const auto json = ask(snapshot, "search", "limit=1000&q=1&path=" + percent_encoded(below));
    EXPECT_EQ(json["matches"].GetUint64(), expected.paths.size());
    EXPECT_EQ(json["bytes"].GetUint64(), expected.bytes);
    EXPECT_EQ(bytes_in(json, "path"), below);
  }
  EXPECT_EQ(ask(snapshot, "search", "q=t")["matches"].GetUint64(),
            by_hand(snapshot, "t", "/t").paths.size());  // the root itself is not below itself
}

TEST(Search, ShowsEachMatchOnceWhateverThePageSize) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  for (const std::size_t limit : {1000U, 37U, 1U}) {
    std::vector<std::tuple<std::uint64_t, std::string, std::string>> got;
    std::size_t matches = 1;
    for (std::size_t offset = 0; offset < matches; offset += limit) {
      const auto json =
          ask(snapshot, "search",
              "q=n1&limit=" + std::to_string(limit) + "&offset=" + std::to_string(offset));
      matches = json["matches"].GetUint64();
      EXPECT_EQ(json["offset"].GetUint64(), offset);
      for (const auto& result : json["results"].GetArray()) {
        got.emplace_back(~result["disk_bytes"].GetUint64(), bytes_in(result, "name"),
                         bytes_in(result, "path"));
      }
    }
    EXPECT_GT(matches, 50U);
    EXPECT_EQ(got.size(), matches);
    EXPECT_TRUE(std::is_sorted(got.begin(), got.end()));
    EXPECT_EQ(std::adjacent_find(got.begin(), got.end()), got.end());
  }
}

TEST(Search, OrdersEquallyLargeMatchesByNameAndThenByPath) {
  MadeTree made;
  const auto top = made.root("/t");
  for (const char* in : {"b", "a b", "a"}) {
    const auto directory = made.directory(top, in);
    made.file(made.directory(directory, "deeper"), "x1", {.blocks = 1});
    made.file(directory, "x2", {.blocks = 1});
    made.file(directory, "x1", {.blocks = 1});
  }
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(paths_in(ask(snapshot, "search", "q=x")),
            (std::vector<std::string>{"/t/a b/x1", "/t/a/x1", "/t/b/x1", "/t/a b/deeper/x1",
                                      "/t/a/deeper/x1", "/t/b/deeper/x1", "/t/a b/x2", "/t/a/x2",
                                      "/t/b/x2"}));
}

TEST(Search, OrdersRootsAmongOthersByTheirLastName) {
  MadeTree made;
  const auto a = made.root("/a");
  const auto z = made.root("/z");
  std::vector<std::string> expected;
  for (int i = 100; i < 400; ++i) {
    const std::string name = "x" + std::to_string(i);
    const std::string in = i % 3 == 0 ? "/a/" : i % 3 == 1 ? "/z/" : "/m/";
    expected.push_back(in + name);
    if (i % 3 == 2) {
      made.file_root(in + name, {.blocks = 1});
    } else {
      made.file(i % 3 == 0 ? a : z, name, {.blocks = 1});
    }
  }
  for (const unsigned seed : {0U, 1U, 2U}) {
    const Snapshot snapshot(made.scan(seed), 0, 1, false);
    EXPECT_EQ(paths_in(ask(snapshot, "search", "q=x&limit=1000")), expected);
  }
}

TEST(Search, DoesNotDependOnNodeNumbers) {
  const MadeTree made = many_kinds_of_entries();
  const Snapshot one(made.scan(), 0, 1, false);
  const Snapshot other(made.scan(5), 0, 1, false);
  for (const char* query :
       {"q=n", "q=1&limit=7&offset=20", "q=*&measure=exclusive", "q=n&kind=file"}) {
    EXPECT_EQ(answer({"search", query, &one}).body, answer({"search", query, &other}).body)
        << query;
  }
}

TEST(Search, FindsRootsByTheLastNameOfTheirPath) {
  MadeTree made;
  made.file(made.root("/data/core", {.blocks = 1}), "core", {.blocks = 2});
  made.root("/data/other/");
  made.root("/");
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto json = ask(snapshot, "search", "q=core");
  EXPECT_EQ(paths_in(json), (std::vector<std::string>{"/data/core", "/data/core/core"}));
  EXPECT_EQ(json["bytes"].GetUint64(), 3U * 512);
  EXPECT_EQ(paths_in(ask(snapshot, "search", "q=other")), std::vector<std::string>{"/data/other/"});
  EXPECT_EQ(ask(snapshot, "search", "q=data")["matches"].GetUint64(), 0U);
  EXPECT_EQ(ask(snapshot, "search", "q=*&kind=directory")["matches"].GetUint64(), 3U);
}

TEST(Search, FindsARepeatedEntryWhereItIsCounted) {
  MadeTree made;
  const auto top = made.root("/srv");
  made.file(made.directory(top, "a", {.inode = 7}), "core", {.blocks = 8, .inode = 8});
  made.file(made.root("/srv/a", {.inode = 7}), "core", {.blocks = 8, .inode = 8});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto json = ask(snapshot, "search", "q=core");
  EXPECT_EQ(json["matches"].GetUint64(), 1U);
  EXPECT_EQ(json["bytes"].GetUint64(), 4096U);
}

TEST(Search, DoesNotFindFilteredOutEntries) {
  MadeTree made;
  const auto unwanted = made.directory(made.root("/t"), "xx");
  made.mark(unwanted, fs::kFilteredOut);
  made.file(unwanted, "x");
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(paths_in(ask(snapshot, "search", "q=x")), std::vector<std::string>{"/t/xx/x"});
}

TEST(Search, HasFewerResultsOnAPageIfTheirPathsAreLong) {
  MadeTree made;
  const auto directory = far_below(made, made.root("/t"), 400);
  for (int i = 0; i < 100; ++i) made.file(directory, "x" + std::to_string(i));
  const Snapshot snapshot(made.scan(), 0, 1, false);
  expect_each_file_once(snapshot, 100, "results", [&](const std::string& part) {
    return answer({"search", "q=x&" + part, &snapshot});
  });
}

TEST(Search, HasAResultOnAPageHoweverLongItsPathIs) {
  MadeTree made;
  const auto directory = far_below(made, made.root("/t"), 20'000);
  made.file(directory, "x1");
  made.file(directory, "x2");
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(ask(snapshot, "search", "q=x")["results"].Size(), 1U);
  EXPECT_EQ(ask(snapshot, "search", "q=x&offset=1")["results"].Size(), 1U);
}

TEST(Search, EndsEarlyWhenNobodyWaitsForIt) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  const rt::CancelSource source;
  EXPECT_EQ(answer({"search", "q=a", &snapshot, nullptr, source.token()}).status, 200);
  source.cancel();
  EXPECT_EQ(answer({"search", "q=a", &snapshot, nullptr, source.token()}).status, 503);
}

TEST(Search, IsRefusedForInvalidRequests) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false);
  const std::string longest(255, 'x');
  std::string wide;
  for (int i = 0; i < 255; ++i) wide += "%C3%A9";
  EXPECT_EQ(refused(&snapshot, "search", "q=" + longest), "200");
  EXPECT_EQ(refused(&snapshot, "search", "q=" + wide), "200");
  for (const std::string& query :
       {std::string(), std::string("q="), "q=" + longest + "x", "q=" + wide + "x",
        std::string("q=a%00"), std::string("q=a&kind=dir"), std::string("q=a&limit=0"),
        std::string("q=a&sort=size"), std::string("q=a&q=b"), std::string("Q=a")}) {
    EXPECT_EQ(refused(&snapshot, "search", query), "400 bad_request") << query;
  }
  EXPECT_EQ(refused(&snapshot, "search", "q=a&path=/t/nothing"), "404 not_found");
}

}  // namespace
}  // namespace fathom::web
