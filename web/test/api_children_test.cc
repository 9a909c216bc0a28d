// Tests of children: the fields of an entry, and that pages in every order contain each child once.

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "api_made_tree.h"

namespace fathom::web {
namespace {

std::shared_ptr<Owners> made_up_owners() {
  return std::make_shared<Owners>(
      fs::OwnerNames{.user =
                         [](std::uint32_t id) {
                           const std::vector<std::string> names = {"zoe", "adam", "eve", "b\xff"};
                           return id < names.size() ? std::optional(names[id]) : std::nullopt;
                         },
                     .group =
                         [](std::uint32_t id) {
                           return id == 0 ? std::optional<std::string>("staff") : std::nullopt;
                         }});
}

std::vector<std::string> names_by(const Snapshot& snapshot, const std::string& query) {
  return names_in(ask(snapshot, "children", query));
}

TEST(Children, OfASmallDirectoryHaveExactlyThisText) {
  MadeTree made;
  const auto top = made.root("/t", {.size = 100, .blocks = 8, .mtime = 5, .uid = 1, .gid = 9});
  const auto sub = made.directory(top, "sub", {.size = 10, .blocks = 16, .mtime = -3});
  made.file(sub, "f", {.size = 7, .blocks = 8});
  made.mark(sub, fs::kIncomplete);
  made.file(top, "two\xff", {.size = 9, .blocks = 8, .inode = 5, .uid = 3, .links = 2});
  made.file(top, "three", {.size = 9, .blocks = 8, .inode = 5, .uid = 3, .links = 2});
  const Snapshot snapshot(made.scan(), 0, 4, false, made_up_owners());
  EXPECT_EQ(
      answer({"children", "", &snapshot}).body,
      R"({"generation":4,"path":"/t","entry":{"name":"/t","kind":"directory","disk_bytes":20480,)"
      R"("apparent_bytes":126,"exclusive_bytes":20480,"entries":5,"files":3,"dirs":2,"modified":5,)"
      R"("uid":1,"owner":"adam","gid":9,"group":null,"mode":16877,"links":1,)"
      R"("flags":["incomplete"],)"
      R"("children":3},"total":3,"offset":0,"children":[)"
      R"({"name":"sub","kind":"directory","disk_bytes":12288,"apparent_bytes":17,)"
      R"("exclusive_bytes":12288,"entries":2,"files":1,"dirs":1,"modified":-3,"uid":0,)"
      R"("owner":"zoe",)"
      R"("gid":0,"group":"staff","mode":16877,"links":1,"flags":["incomplete"],"children":1},)"
      R"({"name":"three","kind":"file","disk_bytes":4096,"apparent_bytes":9,"exclusive_bytes":0,)"
      R"("entries":1,"files":1,"dirs":0,"modified":0,"uid":3,"owner":"b)"
      "\xef\xbf\xbd"
      R"(","owner_b64":"Yv8=","gid":0,"group":"staff","mode":33188,"links":2,"flags":[],)"
      R"("children":0},)"
      R"({"name":"two)"
      "\xef\xbf\xbd"
      R"(","name_b64":"dHdv/w==","kind":"file","disk_bytes":0,"apparent_bytes":0,)"
      R"("exclusive_bytes":0,"entries":1,"files":1,"dirs":0,"modified":0,"uid":3,"owner":"b)"
      "\xef\xbf\xbd"
      R"(","owner_b64":"Yv8=","gid":0,"group":"staff","mode":33188,"links":2,)"
      R"("flags":["extra_link"],)"
      R"("children":0}]})");
}

TEST(Children, AddUpToTheirDirectory) {
  const Snapshot snapshot(many_kinds_of_entries().scan(), 0, 1, false, made_up_owners());
  const fs::Tree& tree = snapshot.tree();
  tree.for_each_directory([&](fs::DirId id) {
    const std::string query = "limit=1000&path=" + percent_encoded(tree.path(tree.node(id)));
    const auto json = ask(snapshot, "children", query);
    const auto& entry = json["entry"];
    std::map<std::string, std::uint64_t> sums;
    for (const auto& child : json["children"].GetArray()) {
      for (const char* field : {"disk_bytes", "apparent_bytes", "entries", "files", "dirs"}) {
        sums[field] += child[field].GetUint64();
      }
    }
    const fs::Entry own = tree.entry(tree.node(id));
    EXPECT_EQ(entry["disk_bytes"].GetUint64(), sums["disk_bytes"] + own.disk_bytes());
    EXPECT_EQ(entry["apparent_bytes"].GetUint64(), sums["apparent_bytes"] + own.size);
    EXPECT_EQ(entry["entries"].GetUint64(), sums["entries"] + 1);
    EXPECT_EQ(entry["files"].GetUint64(), sums["files"]);
    EXPECT_EQ(entry["dirs"].GetUint64(), sums["dirs"] + 1);
    EXPECT_EQ(entry["children"].GetUint64(), json["children"].Size());
    EXPECT_EQ(json["total"].GetUint64(), json["children"].Size());
    EXPECT_LE(entry["exclusive_bytes"].GetUint64(), entry["disk_bytes"].GetUint64());
  });
}

// A large directory with few sizes, times and owners, so that names often decide the order.
MadeTree crowd() {
  MadeTree made;
  const auto top = made.root("/t");
  for (unsigned i = 0; i < 2500; ++i) {
    const fs::Entry entry{.size = i % 5,
                          .blocks = i % 3,
                          .mtime = i % 11 == 0 ? fs::kUnknownTime : i % 4,
                          .uid = i % 7 == 6 ? fs::kUnknownOwner : i % 7};
    const std::string name = (i % 2 == 0 ? "long common beginning " : "") + std::to_string(i);
    if (i % 10 == 0) {
      const auto in = made.directory(top, name, entry);
      for (unsigned j = 0; j < i % 3; ++j) made.file(in, std::to_string(j), {.blocks = 1});
    } else {
      made.file(top, name, entry);
    }
  }
  return made;
}

// The sort key of a child, computed directly from the documentation.
using SortPlace = std::tuple<std::int64_t, std::string, std::uint64_t>;
SortPlace place_of(const rapidjson::Value& child, const std::string& sort) {
  if (sort == "name") return {0, bytes_in(child, "name"), 0};
  if (sort == "entries") return {child["entries"].GetInt64(), "", 0};
  if (sort == "modified") {
    return {child["modified"].IsNull() ? INT64_MIN : child["modified"].GetInt64(), "", 0};
  }
  if (sort == "owner") {
    if (!child["owner"].IsNull()) return {0, bytes_in(child, "owner"), 0};
    return {1, "", child["uid"].IsNull() ? UINT64_MAX : child["uid"].GetUint64()};
  }
  return {child[sort.c_str()].GetInt64(), "", 0};
}

TEST(Children, AppearOnceInEachOrderWhateverThePageSize) {
  const Snapshot snapshot(crowd().scan(), 0, 1, false, made_up_owners());
  const std::vector<std::pair<std::string, std::string>> sorts = {
      {"", "disk_bytes"},
      {"sort=size&measure=apparent", "apparent_bytes"},
      {"measure=exclusive", "exclusive_bytes"},
      {"sort=name", "name"},
      {"sort=entries", "entries"},
      {"sort=modified", "modified"},
      {"sort=owner", "owner"}};
  for (const auto& [query, sort] : sorts) {
    for (const char* order : {"", "&order=asc", "&order=desc"}) {
      const bool ascending = std::string(order) == "&order=asc" ||
                             (*order == '\0' && (sort == "name" || sort == "owner"));
      for (const std::size_t limit : {1000U, 97U}) {
        std::vector<std::pair<SortPlace, std::string>> got;
        for (std::size_t offset = 0; offset < 2500; offset += limit) {
          const auto json = ask(snapshot, "children",
                                query + order + "&limit=" + std::to_string(limit) +
                                    "&offset=" + std::to_string(offset));
          EXPECT_EQ(json["total"].GetUint64(), 2500U);
          EXPECT_EQ(json["offset"].GetUint64(), offset);
          ASSERT_EQ(json["children"].Size(), std::min<std::size_t>(limit, 2500 - offset));
          for (const auto& child : json["children"].GetArray()) {
            got.emplace_back(place_of(child, sort), bytes_in(child, "name"));
          }
        }
        auto expected = got;
        std::sort(expected.begin(), expected.end(), [&](const auto& a, const auto& b) {
          if (a.first != b.first) return ascending ? a.first < b.first : a.first > b.first;
          return a.second < b.second;
        });
        EXPECT_EQ(got, expected) << query << order;
        std::set<std::string> names;
        for (const auto& [place, name] : got) names.insert(name);
        EXPECT_EQ(names.size(), 2500U) << query << order;
      }
    }
  }
}

TEST(Children, AroundANameAreThePageThatContainsIt) {
  const Snapshot snapshot(crowd().scan(), 0, 1, false, made_up_owners());
  for (const std::string sort : {"size", "name", "entries", "modified", "owner"}) {
    for (const char* const order : {"asc", "desc"}) {
      const std::string query = "limit=97&sort=" + sort + "&order=" + order;
      for (std::size_t offset = 0; offset < 2500; offset += 970) {
        const auto page = ask(snapshot, "children", query + "&offset=" + std::to_string(offset));
        for (const rapidjson::SizeType at : {0U, page["children"].Size() - 1}) {
          const std::string name = bytes_in(page["children"][at], "name");
          const auto around =
              ask(snapshot, "children", query + "&offset=5&around=" + percent_encoded(name));
          EXPECT_TRUE(around == page) << query << ' ' << name;
        }
      }
    }
  }
}

TEST(Children, AroundANameThatIsNotUtf8) {
  MadeTree made;
  const auto top = made.root("/t");
  made.file(top, "a\xff", {.blocks = 1});
  made.file(top, "b", {.blocks = 2});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(ask(snapshot, "children", "limit=1&around=a%FF")["offset"].GetUint64(), 1U);
  EXPECT_EQ(ask(snapshot, "children", "limit=1&around=b")["offset"].GetUint64(), 0U);
  EXPECT_EQ(refused(&snapshot, "children", "around=c"), "404 not_found");
  EXPECT_EQ(refused(&snapshot, "children", "around="), "404 not_found");
  EXPECT_EQ(refused(&snapshot, "children", "path=/t/b&around=b"), "404 not_found");
}

// 300 entries whose names begin with their numbers and have as many bytes as exports may have.
MadeTree with_long_names() {
  MadeTree made;
  const auto top = made.root("/t");
  for (int i = 0; i < 300; ++i) made.file(top, std::to_string(100 + i) + std::string(30'000, 'n'));
  return made;
}

TEST(Children, AreFewerOnAPageIfTheirNamesAreLong) {
  const Snapshot snapshot(with_long_names().scan(), 0, 1, false);
  const auto pages = pages_of(300, "children", [&](const std::string& part) {
    return answer({"children", "sort=name&" + part, &snapshot});
  });
  EXPECT_GT(pages.size(), 1U);
  int next = 100;
  for (const auto& page : pages) {
    for (const std::string& name : names_in(page)) EXPECT_EQ(std::stoi(name), next++);
  }
}

TEST(Children, AroundANameContainItHoweverLongTheOthersAre) {
  const Snapshot snapshot(with_long_names().scan(), 0, 1, false);
  for (const int number : {110, 390}) {
    const std::string name = std::to_string(number) + std::string(30'000, 'n');
    const Answer said = answer({"children", "sort=name&limit=1000&around=" + name, &snapshot});
    EXPECT_LT(said.body.size(), 2 * kEnoughJson);
    const auto json = parsed(said.body);
    EXPECT_EQ(json["offset"].GetUint(), number == 110 ? 0U : 290U);
    const auto names = names_in(json);
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end());
  }
}

TEST(Children, AreEmptyBeyondTheLast) {
  const Snapshot snapshot(crowd().scan(), 0, 1, false);
  for (const char* offset : {"2500", "2501", "4294967295"}) {
    const auto json = ask(snapshot, "children", std::string("limit=1000&offset=") + offset);
    EXPECT_EQ(json["children"].Size(), 0U);
    EXPECT_EQ(json["total"].GetUint64(), 2500U);
  }
  EXPECT_EQ(ask(snapshot, "children", "offset=2499")["children"].Size(), 1U);
  EXPECT_EQ(ask(snapshot, "children", "")["children"].Size(), 100U);
}

TEST(Children, DoNotDependOnNodeNumbers) {
  const MadeTree made = many_kinds_of_entries();
  const Snapshot one(made.scan(), 0, 1, false);
  const Snapshot other(made.scan(99), 0, 1, false);
  one.tree().for_each_directory([&](fs::DirId id) {
    const std::string path = percent_encoded(one.tree().path(one.tree().node(id)));
    for (const char* more : {"", "&sort=owner", "&sort=modified", "&limit=3&offset=2"}) {
      const std::string query = "path=" + path + more;
      EXPECT_EQ(answer({"children", query, &one}).body, answer({"children", query, &other}).body);
    }
  });
}

TEST(Children, OfANonDirectoryAreEmpty) {
  MadeTree made;
  made.file(made.root("/t"), "f", {.size = 3, .blocks = 1});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto json = ask(snapshot, "children", "path=/t/f");
  EXPECT_STREQ(json["entry"]["name"].GetString(), "f");
  EXPECT_EQ(json["entry"]["disk_bytes"].GetUint64(), 512U);
  EXPECT_EQ(json["total"].GetUint64(), 0U);
  EXPECT_EQ(json["children"].Size(), 0U);
}

TEST(Children, AboveSeveralRootsAreTheRoots) {
  MadeTree made;
  made.file(made.root("/b", {.blocks = 1}), "f", {.blocks = 3});
  made.root("/a", {.blocks = 2});
  made.file_root("/c", {.blocks = 5});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto json = ask(snapshot, "children", "");
  EXPECT_EQ(names_in(json), (std::vector<std::string>{"/c", "/b", "/a"}));
  EXPECT_STREQ(json["path"].GetString(), "");
  EXPECT_EQ(text_of(json["entry"]),
            R"({"name":"","kind":"directory","disk_bytes":5632,"apparent_bytes":0,)"
            R"("exclusive_bytes":null,"entries":4,"files":2,"dirs":2,"modified":null,"uid":null,)"
            R"("owner":null,"gid":null,"group":null,"mode":null,"links":null,"flags":[],)"
            R"("children":3})");
  for (const char* sort : {"name", "owner"}) {
    EXPECT_EQ(names_by(snapshot, std::string("sort=") + sort),
              (std::vector<std::string>{"/a", "/b", "/c"}));
  }
}

TEST(Children, AboveAMissingRootAreALowerBound) {
  MadeTree made;
  made.root("/a");
  made.missing_root("/gone");
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto json = ask(snapshot, "children", "");
  EXPECT_EQ(json["total"].GetUint64(), 1U);
  EXPECT_EQ(text_of(json["entry"]["flags"]), R"(["incomplete"])");
  EXPECT_EQ(text_of(json["children"][0]["flags"]), "[]");
}

TEST(Children, CountedElsewhereHaveNoBytes) {
  MadeTree made;
  const auto top = made.root("/srv");
  made.file(made.directory(top, "a", {.blocks = 8, .inode = 7}), "f", {.blocks = 8, .inode = 8});
  made.file(made.root("/srv/a", {.blocks = 8, .inode = 7}), "f", {.blocks = 8, .inode = 8});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;
  const auto roots = ask(snapshot, "children", "");
  for (const auto& root : roots["children"].GetArray()) {
    bytes += root["disk_bytes"].GetUint64();
    entries += root["entries"].GetUint64();
  }
  EXPECT_EQ(bytes, 8192U);
  EXPECT_EQ(entries, 3U);
  EXPECT_EQ(roots["entry"]["disk_bytes"].GetUint64(), bytes);
  EXPECT_EQ(roots["entry"]["entries"].GetUint64(), entries);
  const std::string all =
      text_of(ask(snapshot, "children", "path=/srv")) + text_of(roots["children"]);
  EXPECT_NE(all.find(R"("flags":["repeated"])"), std::string::npos) << all;
}

TEST(Children, OfAFileCountedElsewhereHaveNoBytes) {
  MadeTree made;
  made.file_root("/srv/f", {.size = 1, .blocks = 8, .inode = 8});
  made.file(made.root("/srv"), "f", {.size = 1, .blocks = 8, .inode = 8});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto json = ask(snapshot, "children", "sort=name&order=desc");
  const auto& file = json["children"][0];
  EXPECT_EQ(text_of(file["flags"]), R"(["repeated"])");
  for (const char* field :
       {"disk_bytes", "apparent_bytes", "exclusive_bytes", "entries", "files", "dirs"}) {
    EXPECT_EQ(file[field].GetUint64(), 0U) << field;
  }
}

TEST(Children, ThatAreRootsWithOnePathKeepTheirGivenOrder) {
  MadeTree made;
  made.root("/t", {.inode = 7});
  made.root("/t", {.inode = 7});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto up = ask(snapshot, "children", "sort=name");
  EXPECT_EQ(text_of(up["children"][0]["flags"]), "[]");
  EXPECT_EQ(text_of(up["children"][1]["flags"]), R"(["repeated"])");
  const auto down = ask(snapshot, "children", "sort=name&order=desc");
  EXPECT_EQ(text_of(down["children"][0]["flags"]), R"(["repeated"])");
}

TEST(Children, OfARunningScanHaveNoExclusiveBytes) {
  MadeTree made;
  const auto top = made.root("/t");
  made.file(top, "linked", {.blocks = 9, .links = 2});
  made.file(top, "small", {.blocks = 1});
  const Snapshot running(made.scan(), 0, 1, true);
  const auto json = ask(running, "children", "measure=exclusive");
  EXPECT_TRUE(json["entry"]["exclusive_bytes"].IsNull());
  EXPECT_TRUE(json["children"][0]["exclusive_bytes"].IsNull());
  EXPECT_EQ(names_in(json), (std::vector<std::string>{"linked", "small"}));
  const Snapshot done(made.scan(), 0, 1, false);
  EXPECT_EQ(names_by(done, "measure=exclusive"), (std::vector<std::string>{"small", "linked"}));
}

TEST(Children, OfASavedScanMarkUnknownFields) {
  MadeTree made;
  made.root("/t", {.mtime = fs::kUnknownTime,
                   .uid = fs::kUnknownOwner,
                   .gid = fs::kUnknownOwner,
                   .links = fs::kManyLinks,
                   .mode = S_IFDIR});
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto json = ask(snapshot, "children", "");
  for (const char* field : {"modified", "uid", "owner", "gid", "group", "mode", "links"}) {
    EXPECT_TRUE(json["entry"][field].IsNull()) << field;
  }
  EXPECT_TRUE(ask(snapshot, "tree", "")["root"]["mode"].IsNull());
}

TEST(Children, OfFlaggedDirectoriesShowTheirFlags) {
  MadeTree made;
  const auto top = made.root("/t");
  made.mark(made.directory(top, "unwanted"), fs::kFilteredOut);
  made.mark(made.directory(top, "more"), fs::kHasOmittedChildren);
  const Snapshot snapshot(made.scan(), 0, 1, false);
  const auto json = ask(snapshot, "children", "sort=name");
  EXPECT_EQ(text_of(json["children"][0]["flags"]), R"(["holds_more"])");
  EXPECT_EQ(text_of(json["children"][1]["flags"]), R"(["unwanted"])");
  EXPECT_EQ(json["children"][1]["entries"].GetUint64(), 0U);
}

TEST(Children, WithHostileNamesKeepTheirBytes) {
  MadeTree made;
  const auto top = made.root("/t");
  std::vector<std::string> names = {"<img src=x onerror=alert(1)>",
                                    "\"quoted\\",
                                    "new\nline\x1b[31m\x7f",
                                    "\xff\xfe\x80",
                                    "u\xe2\x80\xa8\xe2\x80\xa9",
                                    "\xed\xa0\x80 surrogate",
                                    "\xc0\xaf overlong",
                                    "\xf4\x90\x80\x80 too far",
                                    "plain"};
  for (const std::string& name : names) made.file(top, name);
  const Snapshot snapshot(made.scan(), 0, 1, false);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names_by(snapshot, "sort=name"), names);
  for (const std::string& name : names) {
    const auto json = ask(snapshot, "children", "path=%2ft%2f" + percent_encoded(name));
    EXPECT_EQ(bytes_in(json, "path"), "/t/" + name);
    EXPECT_EQ(bytes_in(json["entry"], "name"), name);
  }
}

TEST(Children, OfADeepTreeDoNotOverflowTheStack) {
  MadeTree made;
  auto in = made.root("/t");
  std::string path = "/t";
  for (int i = 0; i < 20000; ++i) {
    in = made.directory(in, "d", {.blocks = 1});
    path += "/d";
  }
  const Snapshot snapshot(made.scan(), 0, 1, false);
  EXPECT_EQ(ask(snapshot, "children", "path=" + path)["entry"]["disk_bytes"].GetUint64(), 512U);
  EXPECT_EQ(ask(snapshot, "children", "")["entry"]["entries"].GetUint64(), 20001U);
  EXPECT_EQ(ask(snapshot, "search", "q=d&limit=1")["matches"].GetUint64(), 20000U);
  EXPECT_EQ(ask(snapshot, "search", "q=d&limit=1")["bytes"].GetUint64(), 20000U * 512);
}

TEST(Children, AreRefusedForInvalidRequests) {
  const Snapshot snapshot(crowd().scan(), 0, 1, false);
  for (const char* query : {"limit=0", "limit=1001", "limit=x", "offset=-1", "offset=4294967296",
                            "sort=bytes", "sort=", "order=up", "measure=Disk", "depth=1", "q=x",
                            "path=%", "path=a%00", "path=/t&path=/t"}) {
    EXPECT_EQ(refused(&snapshot, "children", query), "400 bad_request") << query;
  }
  EXPECT_EQ(refused(&snapshot, "children", "path=/nowhere"), "404 not_found");
  EXPECT_EQ(refused(&snapshot, "children", "path=%FF"), "404 not_found");
}

TEST(Answer, BeforeTheFirstSnapshotIsAnError) {
  for (const char* name : {"children", "tree", "reports/ages"}) {
    EXPECT_EQ(refused(nullptr, name, "path=/t"), "503 busy");
    EXPECT_EQ(refused(nullptr, name, ""), "503 busy");
    EXPECT_EQ(refused(nullptr, name, "limit=0"), "400 bad_request");
  }
  EXPECT_EQ(refused(nullptr, "search", "q=x"), "503 busy");
}

TEST(Answer, ToAnUnknownNameIsNotFound) {
  MadeTree made;
  made.root("/t");
  const Snapshot snapshot(made.scan(), 0, 1, false);
  for (const char* name : {"", "child", "children/", "Children", "reports", "reports/", "reports/x",
                           "reports/explain", "reports/ages/", "status", "../children"}) {
    EXPECT_EQ(refused(&snapshot, name, ""), "404 not_found") << name;
    EXPECT_EQ(refused(nullptr, name, ""), "404 not_found") << name;
  }
}

TEST(ErrorBody, IsJsonWhateverTheMessageContains) {
  const auto json = parsed(error_body("not_found", "a\xff\"<\n"));
  EXPECT_STREQ(json["error"]["code"].GetString(), "not_found");
  EXPECT_STREQ(json["error"]["message"].GetString(), "a\xef\xbf\xbd\"<\n");
}

}  // namespace
}  // namespace fathom::web
