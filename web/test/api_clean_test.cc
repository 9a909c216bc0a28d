// Tests of clean: what the rules chose, by class, as pages, and below a directory.

#include "api/clean_answer.h"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api_made_tree.h"
#include "fathom/act/plan.h"
#include "fathom/act/surroundings.h"
#include "fathom/base/clock.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/source.h"
#include "fathom/testing/temp_tree.h"

namespace fathom::web {
namespace {

using testing::TempTree;

constexpr std::int64_t kHundredDays = std::int64_t{100} * 24 * 60 * 60;

// Three build directories: of one, nothing says that it may be deleted safely.
class CleanTest : public ::testing::Test {
 protected:
  CleanTest() {
    build("p", 5000);
    build("deep/q\xff", 90'000);
    tree_.file("node/package.json", 2);
    tree_.file("node/node_modules/.package-lock.json", 9000);
    fs::ScanOptions options;
    options.roots = {tree_.path()};
    state_.snapshot = std::make_shared<const Snapshot>(fs::scan(options), 0, 4, false);
    state_.generation = 4;
  }

  // As cargo makes it.
  void build(const std::string& project, std::size_t bytes) {
    tree_.write(project + "/Cargo.toml", "[package]\n");
    tree_.file(project + "/target/.rustc_info.json", 10);
    tree_.write(project + "/target/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55");
    tree_.file(project + "/target/debug/a.o", bytes);
  }

  void search() {
    auto found = std::make_shared<CleanFound>(CleanFound{act::RuleSet::built_in(), {}});
    found->candidates = act::find_candidates(
        state_.snapshot->scan(), found->rules,
        {.around = act::own_surroundings(), .now = base::wall_now() + kHundredDays});
    state_.found = std::move(found);
    state_.phase = CleanState::Phase::done;
  }

  Answer get(const std::string& query = "") {
    Question question{.path = "clean", .query = query};
    question.clean = &state_;
    return answer(question);
  }
  // "class path" of each row.
  std::vector<std::string> rows(const std::string& query = "") {
    std::vector<std::string> found;
    const auto json = parsed(get(query).body);
    for (const auto& row : json["rows"].GetArray()) {
      found.push_back(std::string(row["class"].GetString()) + ' ' +
                      bytes_in(row, "path").substr(tree_.path().size() + 1));
    }
    return found;
  }

  TempTree tree_;
  CleanState state_;
};

TEST_F(CleanTest, BeforeTheSearchIsEmpty) {
  EXPECT_EQ(get().body,
            R"({"generation":4,"state":"none","message":"","path":"","classes":[],"total":0,)"
            R"("offset":0,"rows":[]})");
  state_.phase = CleanState::Phase::running;
  EXPECT_STREQ(parsed(get("path=/nowhere").body)["state"].GetString(), "running");
}

TEST_F(CleanTest, ListsTheSafestFirstAndThenWhatFreesMost) {
  search();
  EXPECT_EQ(rows(), (std::vector<std::string>{"safe deep/q\xff/target", "safe p/target",
                                              "probably node/node_modules"}));
}

TEST_F(CleanTest, SaysWhyAndHowEachIsRebuilt) {
  search();
  const auto json = parsed(get().body);
  const auto& row = json["rows"][0];
  EXPECT_STREQ(json["state"].GetString(), "done");
  EXPECT_STREQ(row["rule"].GetString(), "cargo-target");
  EXPECT_STREQ(row["kind"].GetString(), "directory");
  EXPECT_STREQ(row["why"].GetString(), "build directories of Cargo");
  EXPECT_STREQ(row["rebuild"].GetString(), "cargo build");
  EXPECT_TRUE(row["command"].IsNull());
  EXPECT_EQ(row["evidence"].Size(), 2U);
  EXPECT_EQ(row["demotions"].Size(), 0U);
  EXPECT_EQ(row["entries"].GetUint64(), 5U);
  EXPECT_EQ(row["used_bytes"].GetUint64(), row["freed_bytes"].GetUint64());
  EXPECT_GT(row["newest"].GetInt64(), 0);
  EXPECT_EQ(json["rows"][2]["demotions"].Size(), 1U);
}

TEST_F(CleanTest, AddsUpEachClass) {
  search();
  const auto json = parsed(get("limit=1").body);
  ASSERT_EQ(json["classes"].Size(), 2U);
  EXPECT_STREQ(json["classes"][0]["class"].GetString(), "safe");
  EXPECT_EQ(json["classes"][0]["items"].GetUint64(), 2U);
  EXPECT_STREQ(json["classes"][1]["class"].GetString(), "probably");
  EXPECT_EQ(json["total"].GetUint64(), 3U);
  EXPECT_EQ(json["rows"].Size(), 1U);
}

TEST_F(CleanTest, IsAboutADirectoryAClassOrAPage) {
  search();
  EXPECT_EQ(rows("path=" + percent_encoded(tree_.path("deep"))),
            std::vector<std::string>{"safe deep/q\xff/target"});
  EXPECT_EQ(rows("path=" + percent_encoded(tree_.path("p/target/debug"))),
            std::vector<std::string>{});
  EXPECT_EQ(rows("class=probably"), std::vector<std::string>{"probably node/node_modules"});
  EXPECT_EQ(rows("offset=1&limit=1"), std::vector<std::string>{"safe p/target"});
  EXPECT_EQ(rows("offset=9"), std::vector<std::string>{});
}

TEST_F(CleanTest, HasFewerRowsOnAPageIfTheirPathsAreLong) {
  MadeTree made;
  const auto directory = far_below(made, made.root("/t"), 400);
  for (int i = 0; i < 100; ++i) made.file(directory, std::to_string(i));
  state_.snapshot = std::make_shared<const Snapshot>(made.scan(), 0, 4, false);
  auto found = std::make_shared<CleanFound>(CleanFound{act::RuleSet::built_in(), {}});
  const act::Rule* const rule = found->rules.rules().front().get();
  state_.snapshot->tree().for_each_node([&](fs::NodeId node) {
    if (state_.snapshot->tree().kind(node) != fs::Kind::file) return;
    act::Candidate& one = found->candidates.items.emplace_back();
    one.node = node;
    one.rule = rule;
  });
  state_.found = std::move(found);
  state_.phase = CleanState::Phase::done;
  expect_each_file_once(*state_.snapshot, 100, "rows",
                        [&](const std::string& part) { return get(part); });
}

TEST_F(CleanTest, IsRefusedForInvalidRequests) {
  search();
  for (const char* const query : {"class=all", "limit=0", "sort=name", "path=/x&path=/y"}) {
    EXPECT_EQ(get(query).status, 400) << query;
  }
  EXPECT_EQ(get("path=/nowhere").status, 404);
}

TEST_F(CleanTest, GivesItsReasonsToAPlan) {
  search();
  Acts acts({}, false);
  Question question{.path = "plan/draft", .snapshot = state_.snapshot.get()};
  const std::string body = "{\"paths\":[\"" + tree_.path("p/target") + "\",\"" +
                           tree_.path("node/package.json") + "\"]}";
  question.method = Method::post;
  question.body = body;
  question.acts = &acts;
  question.clean = &state_;
  const act::Plan plan = act::read_plan(fs::text_source(answer(question).body));
  ASSERT_EQ(plan.items.size(), 2U);
  EXPECT_EQ(plan.items[0].reason, act::Reason()) << "chosen by hand";
  EXPECT_EQ(plan.items[1].reason.rule, "cargo-target");
  EXPECT_EQ(plan.items[1].reason.evidence.size(), 2U);
  EXPECT_NE(plan.items[1].evidence_digest, "");
}

}  // namespace
}  // namespace fathom::web
