// Tests of the answers about snapshots of a store.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/stored_snapshots.h"
#include "api_made_tree.h"
#include "fathom/rt/executor.h"
#include "fathom/store/store.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::web {
namespace {

constexpr std::int64_t kDay = 86'400'000'000'000;  // nanoseconds

// A store in a temporary directory, to which tests add what they want to ask about.
class StoredTest : public ::testing::Test {
 protected:
  std::string keep(const fs::Scan& scan, std::int64_t ended_ns, const std::string& tag = "") {
    rt::Executor executor({.threads = 1});
    store::SnapshotOptions options;
    options.meta.tag = tag;
    options.meta.host = "here";
    options.meta.roots = scan.roots;
    options.meta.started_ns = options.meta.ended_ns = ended_ns;
    options.meta.users = {{7, "ann"}};
    return store::Store::open_or_create(path_)
        .add([&](int folder) { return store::write_snapshot(scan, options, executor, folder); })
        .name;
  }
  // Two snapshots, between which a file grows.
  void keep_two() {
    for (const std::uint64_t blocks : {8, 24}) {
      MadeTree made;
      const auto top = made.root("/t", {.size = 4096, .blocks = 8});
      const auto in = made.directory(top, "in", {.size = 4096, .blocks = 8});
      made.file(in, "grows.log", {.size = blocks * 512, .blocks = blocks, .uid = 7});
      made.file(top, "same", {.size = 5, .blocks = 8, .mtime = 9});
      names_.push_back(keep(made.scan(), static_cast<std::int64_t>(blocks) * kDay));
    }
  }

  Answer answer_to(std::string_view name, const std::string& query,
                   const rt::CancelToken& cancel = {}) {
    return answer({.path = name, .query = query, .cancel = cancel, .stored = &stored_});
  }
  rapidjson::Document asked(std::string_view name, const std::string& query = "") {
    const Answer said = answer_to(name, query);
    EXPECT_EQ(said.status, 200) << said.body;
    EXPECT_FALSE(said.keep) << "the store may change";
    EXPECT_NE(said.body.back(), '\n');
    return parsed(said.body);
  }
  std::string refusal_of(std::string_view name, const std::string& query = "") {
    const Answer said = answer_to(name, query);
    const auto json = parsed(said.body);
    if (!json.HasMember("error")) return std::to_string(said.status);
    return std::to_string(said.status) + ' ' + json["error"]["message"].GetString();
  }

  testing::TempTree tree_;
  const std::string path_ = tree_.path("store");
  StoredSnapshots stored_{path_};
  std::vector<std::string> names_;  // of the snapshots
};

constexpr std::string_view kAll[] = {"snapshots", "diff", "growth", "children"};

// ---- The list

TEST_F(StoredTest, TheListHasTheLatestFirst) {
  keep_two();
  const auto json = asked("snapshots");
  EXPECT_STREQ(json["schema"].GetString(), "fathom.log/1");
  EXPECT_EQ(json["store"].GetString(), path_);
  EXPECT_EQ(json["total"].GetUint64(), 2U);
  EXPECT_EQ(json["snapshots"][0]["name"].GetString(), names_[1]);
  EXPECT_EQ(json["snapshots"][0]["change"]["disk_bytes"].GetInt64(), 16 * 512);
  EXPECT_TRUE(json["snapshots"][1]["change"].IsNull());
}

TEST_F(StoredTest, TheListHasPages) {
  keep_two();
  const auto json = asked("snapshots", "offset=1&limit=1");
  ASSERT_EQ(json["snapshots"].Size(), 1U);
  EXPECT_EQ(json["snapshots"][0]["name"].GetString(), names_[0]);
  EXPECT_EQ(json["offset"].GetUint64(), 1U);
  EXPECT_EQ(asked("snapshots", "offset=4294967295")["snapshots"].Size(), 0U);
}

TEST_F(StoredTest, TheListFollowsTheStore) {
  EXPECT_EQ(asked("snapshots")["total"].GetUint64(), 0U);
  keep_two();
  EXPECT_EQ(asked("snapshots")["total"].GetUint64(), 2U);
  store::Store::open(path_).remove(names_[0]);
  EXPECT_EQ(asked("snapshots")["total"].GetUint64(), 1U);
}

// ---- Differences and growth

TEST_F(StoredTest, ADifferenceIsByDefaultOfTheLastTwo) {
  keep_two();
  const auto json = asked("diff");
  EXPECT_STREQ(json["schema"].GetString(), "fathom.diff/1");
  EXPECT_EQ(json["balance"]["total"].GetInt64(), 16 * 512);
  for (const std::string& query :
       std::vector<std::string>{"from=" + names_[0], "to=" + names_[1], std::string("to=@latest"),
                                "from=@~1&path=/t/"}) {
    const auto same = asked("diff", query);
    EXPECT_EQ(same["from"]["id"], json["from"]["id"]) << query;
    EXPECT_EQ(same["to"]["id"], json["to"]["id"]) << query;
  }
}

TEST_F(StoredTest, ADifferenceIsOfSnapshotsOfTheSamePaths) {
  keep_two();
  MadeTree other;
  other.root("/other");
  keep(other.scan(), 30 * kDay);
  EXPECT_EQ(refusal_of("diff").substr(0, 71),
            "404 there is no snapshot of the same host, paths and selection before 1");
  EXPECT_EQ(asked("diff", "path=/t")["balance"]["total"].GetInt64(), 16 * 512);
  EXPECT_EQ(asked("diff", "from=" + names_[0])["after"].GetUint64(), 48U * 512);
}

TEST_F(StoredTest, ADifferenceHasGroupsAndLimits) {
  keep_two();
  const auto json = asked("diff", "by=owner,ext&depth=0&top=1&measure=apparent");
  EXPECT_EQ(json["dirs"].Size(), 1U);
  EXPECT_STREQ(json["measure"].GetString(), "apparent_bytes");
  EXPECT_STREQ(json["owners"][0]["name"].GetString(), "ann");
  EXPECT_STREQ(json["extensions"][0]["extension"].GetString(), "log");
  EXPECT_FALSE(json.HasMember("groups"));
}

TEST_F(StoredTest, GrowthIsByDefaultOfTheLatestPaths) {
  keep_two();
  const auto json = asked("growth");
  EXPECT_STREQ(json["schema"].GetString(), "fathom.growth/1");
  EXPECT_STREQ(json["path"].GetString(), "/t");
  EXPECT_EQ(json["dirs"].Size(), 2U);
  EXPECT_EQ(asked("growth", "path=/t/in&depth=0")["dirs"][0]["change"].GetInt64(), 16 * 512);
  EXPECT_EQ(asked("growth", "since=" + std::to_string(20 * 86'400))["snapshots"].Size(), 1U);
}

TEST_F(StoredTest, GrowthNamesTheRootsThatNoSnapshotCouldRead) {
  MadeTree made;
  made.root("/t");
  fs::Scan scan = made.scan();
  scan.roots.emplace_back("/shut");
  scan.errors.push_back({.path = "/shut", .operation = "open", .code = EACCES});
  keep(scan, kDay);
  const auto json = asked("growth");
  EXPECT_EQ(json["dirs"].Size(), 1U);
  ASSERT_EQ(json["unread_roots"].Size(), 1U);
  EXPECT_STREQ(json["unread_roots"][0]["path"].GetString(), "/shut");
  EXPECT_EQ(asked("growth", "path=/t")["unread_roots"].Size(), 0U);
}

TEST_F(StoredTest, GrowthOfTooManyDirectoriesIsRefused) {
  MadeTree made;
  const auto top = made.root("/t");
  for (int i = 0; i < 10'001; ++i) made.directory(top, std::to_string(i));
  keep(made.scan(), kDay);
  EXPECT_EQ(refusal_of("growth"), "400 there are more than 10000 directories down to depth 1");
  EXPECT_EQ(asked("growth", "depth=0")["dirs"].Size(), 1U);
}

TEST_F(StoredTest, ADifferenceLeavesOutVeryLongPaths) {
  for (const int files : {0, 1000}) {
    MadeTree made;
    auto in = made.root("/t");
    for (int i = 0; i < 300; ++i) in = made.directory(in, std::string(255, 'n'));
    for (int i = 0; i < files; ++i) made.file(in, std::to_string(i));
    keep(made.scan(), (1 + files) * kDay);
  }
  const auto json = asked("diff");
  EXPECT_EQ(json["created"].Size(), 0U);
  EXPECT_EQ(json["counts"]["created"].GetUint64(), 1000U);
  EXPECT_EQ(json["counts"]["too_long_entries"].GetUint64(), 1000U);
}

TEST_F(StoredTest, AComparisonEndsWhenItIsCancelled) {
  keep_two();
  rt::CancelSource source;
  source.cancel();
  for (const char* name : {"diff", "growth"}) {
    EXPECT_EQ(answer_to(name, "", source.token()).status, 500) << name;
  }
}

// ---- Differences from a snapshot to the scan

// A directory as it is now, in which a file has grown since the snapshots of keep_two().
MadeTree scanned_tree() {
  MadeTree made;
  const auto top = made.root("/t", {.size = 4096, .blocks = 8});
  const auto in = made.directory(top, "in", {.size = 4096, .blocks = 8});
  made.file(in, "grows.log", {.size = 512 * 56, .blocks = 56, .uid = 7});
  made.file(top, "same", {.size = 5, .blocks = 8, .mtime = 9});
  return made;
}

TEST_F(StoredTest, ADifferenceFromTheLatestSnapshotToTheScanHasItsId) {
  keep_two();
  const Snapshot scan(scanned_tree().scan(), 100, 1, false);
  const auto ask_with = [&](const std::string& query) {
    const Answer said =
        answer({.path = "diff", .query = query, .snapshot = &scan, .stored = &stored_});
    EXPECT_EQ(said.status, 200) << said.body;
    return parsed(said.body);
  };
  const auto json = ask_with("to=now");
  EXPECT_EQ(json["from"]["id"], asked("diff")["to"]["id"]);
  EXPECT_TRUE(json["to"]["id"].IsNull()) << "nobody can ask for it";
  EXPECT_EQ(json["to"]["time"].GetInt64(), 100);
  EXPECT_STREQ(json["changed"][0]["path"].GetString(), "/t/in/grows.log");
  EXPECT_EQ(json["changed"][0]["change"].GetInt64(), 32 * 512);
  const auto longer = ask_with("path=/t/in&to=now&from=" + names_[0]);
  EXPECT_EQ(longer["balance"]["total"].GetInt64(), 48 * 512);
  EXPECT_EQ(longer["from"]["id"], asked("diff")["from"]["id"]);
}

TEST_F(StoredTest, ADifferenceToTheScanSaysThatItsSelectionIsAnotherOne) {
  keep_two();
  const Snapshot scan(scanned_tree().scan(), 100, 1, false);
  StoredSnapshots stored(path_, {.selection = {"--exclude=*.o"}});
  const Answer said =
      answer({.path = "diff", .query = "to=now", .snapshot = &scan, .stored = &stored});
  EXPECT_NE(said.body.find("different options"), std::string::npos) << said.body;
}

TEST_F(StoredTest, ADifferenceIsOfTheScanThatIsShown) {
  keep_two();
  MadeTree later = scanned_tree();
  later.file_root("/other");
  const Snapshot first(scanned_tree().scan(), 100, 1, false);
  const Snapshot second(later.scan(), 200, 2, false);
  const StoredSnapshots::Opened opened = stored_.scanned(first, {});
  EXPECT_EQ(stored_.scanned(first, {}), opened) << "it is made once";
  for (const Snapshot* scan : {&first, &second}) {
    const Answer said =
        answer({.path = "diff", .query = "to=now", .snapshot = scan, .stored = &stored_});
    EXPECT_EQ(parsed(said.body)["to"]["time"].GetInt64(), scan->taken());
  }
  EXPECT_EQ(stored_.scanned(second, {})->meta().roots, (std::vector<std::string>{"/t", "/other"}));
}

TEST_F(StoredTest, ADifferenceToAScanWaitsForItsEnd) {
  keep_two();
  const Snapshot running(scanned_tree().scan(), 100, 1, true);
  for (const Snapshot* scan : {static_cast<const Snapshot*>(nullptr), &running}) {
    const Answer said =
        answer({.path = "diff", .query = "to=now", .snapshot = scan, .stored = &stored_});
    EXPECT_EQ(said.status, 503) << said.body;
  }
}

// ---- Directories

TEST_F(StoredTest, ADirectoryHasTheFieldsOfAScan) {
  MadeTree made = many_kinds_of_entries();
  keep(made.scan(), kDay);
  const Snapshot scanned(
      made.scan(), 0, 1, true,
      std::make_shared<Owners>(fs::OwnerNames{
          .user = [](std::uint32_t id) { return id == 7 ? Owners::Name("ann") : Owners::Name(); },
          .group = [](std::uint32_t) { return Owners::Name(); }}));
  for (const char* query : {"", "&sort=name", "&sort=name&order=desc", "&sort=entries",
                            "&sort=modified", "&sort=owner", "&measure=apparent", "&offset=3"}) {
    const std::string wanted = "path=/t&limit=20" + std::string(query);
    const auto there = ask(scanned, "children", wanted);
    const auto here = asked("children", wanted + "&snapshot=@latest");
    EXPECT_EQ(text_of(here["entry"]), text_of(there["entry"])) << query;
    EXPECT_EQ(text_of(here["children"]), text_of(there["children"])) << query;
    EXPECT_EQ(here["total"], there["total"]);
    EXPECT_EQ(here["path"], there["path"]);
    EXPECT_EQ(here["generation"].GetUint64(), 0U);
  }
}

TEST_F(StoredTest, ADirectoryNeedsNoScan) {
  keep_two();
  const auto json = asked("children", "snapshot=" + names_[0]);
  EXPECT_EQ(json["snapshot"]["name"].GetString(), names_[0]);
  EXPECT_EQ(names_in(json), (std::vector<std::string>{"in", "same"}));
}

TEST_F(StoredTest, ADirectoryHasFewerEntriesOnAPageIfTheirNamesAreLong) {
  MadeTree made;
  const auto top = made.root("/t");
  for (int i = 0; i < 300; ++i) made.file(top, std::to_string(100 + i) + std::string(30'000, 'n'));
  keep(made.scan(), kDay);
  const auto pages = pages_of(300, "children", [&](const std::string& part) {
    return answer_to("children", "snapshot=@latest&sort=name&" + part);
  });
  ASSERT_GT(pages.size(), 1U);
  EXPECT_EQ(names_in(pages[1])[0].substr(0, 3), std::to_string(100 + names_in(pages[0]).size()));
}

// ---- Errors

TEST_F(StoredTest, WithoutAStoreThereAreNoSnapshots) {
  StoredSnapshots none("");
  StoredSnapshots missing(tree_.path("missing"));
  for (StoredSnapshots* stored : {&none, &missing, static_cast<StoredSnapshots*>(nullptr)}) {
    const Answer list = answer({.path = "snapshots", .stored = stored});
    EXPECT_EQ(list.status, 200);
    EXPECT_EQ(parsed(list.body)["total"].GetUint64(), 0U);
    for (const char* name : {"diff", "growth", "children"}) {
      const std::string query = *name == 'c' ? "snapshot=x" : "";
      EXPECT_EQ(answer({.path = name, .query = query, .stored = stored}).status, 404) << name;
    }
  }
}

TEST_F(StoredTest, UnknownNamesAndPathsAreNotFound) {
  keep_two();
  for (const char* query : {"snapshot=nope", "snapshot=", "snapshot=now", "snapshot=..",
                            "snapshot=@~2", "snapshot=@latest&path=/nowhere",
                            "snapshot=@latest&path=/t/in/x", "snapshot=@latest&path=t"}) {
    EXPECT_EQ(refusal_of("children", query).substr(0, 4), "404 ") << query;
  }
  for (const char* query : {"from=nope", "to=nope", "path=/nowhere", "path=/t/same", "from=@~2"}) {
    EXPECT_EQ(refusal_of("diff", query).substr(0, 4), "404 ") << query;
  }
  for (const char* query : {"path=/nowhere", "path=/t/x", "since=99999999999", "since=1h"}) {
    EXPECT_EQ(refusal_of("growth", query).substr(0, 4), "404 ") << query;
  }
}

TEST_F(StoredTest, InvalidParametersAreRefused) {
  keep_two();
  for (const char* query : {"limit=0", "offset=-1", "sort=name", "x=1"}) {
    EXPECT_EQ(refusal_of("snapshots", query).substr(0, 4), "400 ") << query;
  }
  for (const char* query : {"from=now", "by=", "by=dir,", "by=size", "top=0", "top=10001",
                            "depth=-1", "measure=exclusive", "limit=1"}) {
    EXPECT_EQ(refusal_of("diff", query).substr(0, 4), "400 ") << query;
  }
  for (const char* query : {"since=", "since=0d", "since=3m", "since=1.5", "depth=33", "top=1"}) {
    EXPECT_EQ(refusal_of("growth", query).substr(0, 4), "400 ") << query;
  }
  for (const char* query : {"limit=0", "sort=x", "depth=1"}) {
    EXPECT_EQ(refusal_of("children", "snapshot=@latest&" + std::string(query)).substr(0, 4),
              "400 ");
  }
}

TEST_F(StoredTest, DamageIsAnErrorThatNamesTheFile) {
  keep_two();
  const std::string file = path_ + '/' + names_[1] + "/dirs.parquet";
  ASSERT_EQ(::truncate(file.c_str(), 40), 0);
  for (const std::string_view name : kAll) {
    if (name == "snapshots") continue;
    const std::string said = refusal_of(name, name == "children" ? "snapshot=@latest" : "");
    EXPECT_EQ(said.substr(0, 4), "500 ") << name;
    EXPECT_NE(said.find(file), std::string::npos) << said;
  }
}

TEST_F(StoredTest, AnotherDirectoryIsNoStore) {
  tree_.file("store/x", 1);
  for (const std::string_view name : kAll) {
    const std::string said = refusal_of(name, name == "children" ? "snapshot=@latest" : "");
    EXPECT_EQ(said.substr(0, 4), "500 ") << name;
    EXPECT_NE(said.find("is not a store of snapshots"), std::string::npos) << said;
  }
}

// ---- Open snapshots

TEST_F(StoredTest, FewSnapshotsStayOpen) {
  for (std::size_t i = 0; i <= StoredSnapshots::kMostOpen; ++i) {
    MadeTree made;
    made.root("/t");
    names_.push_back(keep(made.scan(), static_cast<std::int64_t>(i + 1) * kDay));
  }
  const StoredSnapshots::Opened first = stored_.open(names_[0]);
  EXPECT_EQ(stored_.open(names_[0]), first);
  for (std::size_t i = 1; i < names_.size(); ++i) static_cast<void>(stored_.open(names_[i]));
  EXPECT_NE(stored_.open(names_[0]), first) << "it was opened again";
  EXPECT_EQ(first->meta().roots, (std::vector<std::string>{"/t"})) << "what is in use stays open";
}

TEST_F(StoredTest, TextsAreMadeOnceAndFewAreKept) {
  int made = 0;
  const auto text = [&](const std::string& key, std::size_t size = 1) {
    return stored_.text(key, [&] { return ++made, std::string(size, key.front()); });
  };
  EXPECT_EQ(text("a"), "a");
  EXPECT_EQ(text("a"), "a");
  EXPECT_EQ(made, 1);
  for (std::size_t i = 0; i < StoredSnapshots::kMostTexts; ++i) {
    static_cast<void>(text("b" + std::to_string(i)));
  }
  made = 0;
  static_cast<void>(text("a"));
  EXPECT_EQ(made, 1) << "it was dropped";
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(text("long", StoredSnapshots::kLargestText + 1));
  }
  EXPECT_EQ(made, 3) << "it is too long to be kept";
}

TEST_F(StoredTest, ADifferenceThatIsKeptIsStillRefusedForARemovedSnapshot) {
  keep_two();
  const std::string query = "from=" + names_[0] + "&to=" + names_[1];
  const std::string said = answer_to("diff", query).body;
  EXPECT_EQ(answer_to("diff", query).body, said);
  EXPECT_NE(answer_to("diff", query + "&depth=0").body, said);
  EXPECT_NE(answer_to("diff", query + "&measure=apparent").body, said);
  EXPECT_NE(answer_to("diff", query + "&by=ext").body, said);
  EXPECT_NE(answer_to("diff", query + "&path=/t/in").body, said);
  store::Store::open(path_).remove(names_[0]);
  EXPECT_EQ(answer_to("diff", query).status, 404);
}

TEST_F(StoredTest, ARemovedSnapshotIsNotFound) {
  keep_two();
  store::Store::open(path_).remove(names_[0]);
  EXPECT_THROW(static_cast<void>(stored_.open(names_[0])), store::NotFound);
}

TEST_F(StoredTest, ThreadsMayAskAtTheSameTime) {
  keep_two();
  const std::string expected = answer_to("diff", "").body;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 5; ++j) {
        EXPECT_EQ(answer_to("diff", "").body, expected);
        EXPECT_EQ(answer_to("children", "snapshot=" + names_[j % 2]).status, 200);
        EXPECT_EQ(answer_to("growth", "").status, 200);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace fathom::web
