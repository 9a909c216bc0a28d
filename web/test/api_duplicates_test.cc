// Tests of duplicates_answer: the exact text of small groups, and paging of many groups.

#include "api/duplicates_answer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "api_made_tree.h"

namespace fathom::web {
namespace {

// Groups of `few` files in the order of insertion, and one group of `many` files; all so many
// levels below the root.
DuplicateState found_in(std::size_t groups, std::size_t many, int levels = 0, std::size_t few = 2) {
  MadeTree made;
  const auto top = far_below(made, made.root("/t"), levels);
  for (std::size_t i = 0; i < few * groups + many; ++i) {
    made.file(top, (i == 1 ? "\xff" : "") + std::to_string(i), {.size = 10, .blocks = 8});
  }
  auto snapshot = std::make_shared<const Snapshot>(made.scan(), 0, 1, false);
  std::vector<fs::NodeId> nodes;
  snapshot->tree().for_each_node([&](fs::NodeId node) {
    if (snapshot->tree().kind(node) == fs::Kind::file) nodes.push_back(node);
  });
  auto found = std::make_shared<fs::Duplicates>();
  std::size_t next = 0;
  const auto add = [&](std::size_t files) {
    fs::DuplicateGroup group{.size = 10, .wasted_bytes = 4096 * (files - 1), .files = {}};
    group.files.resize(files);
    for (fs::DuplicateFile& file : group.files) file.node = nodes[next++];
    found->files += files;
    found->wasted_bytes += group.wasted_bytes;
    found->groups.push_back(std::move(group));
  };
  for (std::size_t i = 0; i < groups; ++i) add(few);
  if (many > 0) add(many);
  return {.generation = 5,
          .state = DuplicatesState::complete,
          .progress = {.bytes = 20, .bytes_total = 30},
          .snapshot = snapshot,
          .found = found};
}

Answer answer_about(const DuplicateState& state, const std::string& query) {
  return answer({"duplicates", query, nullptr, &state});
}

TEST(DuplicatesAnswer, OfOneGroupHasExactlyThisText) {
  const DuplicateState state = found_in(1, 0);
  EXPECT_EQ(
      answer_about(state, "").body,
      R"({"generation":5,"state":"complete","message":"",)"
      R"("progress":{"bytes_read":20,"bytes_to_read":30},)"
      R"("path":"/t","totals":{"groups":1,"files":2,"wasted_bytes":4096},"total":1,"offset":0,)"
      R"("groups":[{"size":10,"wasted_bytes":4096,"names":2,"files":[)"
      R"({"path":"/t/0","other_names":0},{"path":"/t/)"
      "\xef\xbf\xbd"
      R"(1","path_b64":"L3Qv/zE=","other_names":0}]}]})");
}

TEST(DuplicatesAnswer, NamesAtMostAHundredFilesOfAGroup) {
  const auto json = parsed(answer_about(found_in(0, 101), "").body);
  EXPECT_EQ(json["groups"][0]["names"].GetUint64(), 101U);
  EXPECT_EQ(json["groups"][0]["files"].Size(), 100U);
}

TEST(DuplicatesAnswer, HasFewerGroupsOnAPageIfThePathsAreLongButAllTheirFiles) {
  const DuplicateState state = found_in(40, 0, 400, 4);
  expect_each_file_once(*state.snapshot, 40, "groups",
                        [&](const std::string& part) { return answer_about(state, part); });
}

TEST(DuplicatesAnswer, LeavesOutNoFilesOfTheNextGroupToFillAPage) {
  const DuplicateState state = found_in(1, 100, 400);
  const auto json = parsed(answer_about(state, "").body);
  ASSERT_EQ(json["groups"].Size(), 1U);
  EXPECT_EQ(json["groups"][0]["files"].Size(), 2U);
  EXPECT_GT(parsed(answer_about(state, "offset=1").body)["groups"][0]["files"].Size(), 40U);
}

TEST(DuplicatesAnswer, NamesFewerFilesOfAGroupIfTheirPathsAreLong) {
  const auto files_below = [](int levels) {
    const auto json = parsed(answer_about(found_in(0, 100, levels), "").body);
    EXPECT_EQ(json["groups"][0]["names"].GetUint64(), 100U);
    return json["groups"][0]["files"].Size();
  };
  EXPECT_LT(files_below(400), 50U);
  EXPECT_EQ(files_below(20'000), 1U);
}

TEST(DuplicatesAnswer, ShowsEachGroupOnceAcrossPages) {
  const DuplicateState state = found_in(250, 0);
  std::size_t groups = 0;
  for (std::size_t offset = 0; offset < 300; offset += 100) {
    const auto json = parsed(answer_about(state, "offset=" + std::to_string(offset)).body);
    EXPECT_EQ(json["total"].GetUint64(), 250U);
    for (const auto& group : json["groups"].GetArray()) {
      EXPECT_EQ(bytes_in(group["files"][1], "path"),
                (groups == 0 ? "/t/\xff" : "/t/") + std::to_string(2 * groups + 1));
      ++groups;
    }
  }
  EXPECT_EQ(groups, 250U);
  EXPECT_EQ(parsed(answer_about(state, "offset=4294967295").body)["groups"].Size(), 0U);
}

TEST(DuplicatesAnswer, ShowsNoGroupsUntilItIsComplete) {
  for (const auto state : {DuplicatesState::none, DuplicatesState::running,
                           DuplicatesState::interrupted, DuplicatesState::failed}) {
    DuplicateState unfinished = found_in(1, 0);
    unfinished.state = state;
    const auto json = parsed(answer_about(unfinished, "").body);
    EXPECT_EQ(json["groups"].Size(), 0U);
    EXPECT_EQ(json["total"].GetUint64(), 0U);
    EXPECT_EQ(json["totals"]["groups"].GetUint64(), 0U);
  }
  EXPECT_STREQ(parsed(answer_about({}, "").body)["state"].GetString(), "none");
}

TEST(DuplicatesAnswer, OfAPathAreTheGroupsWithAFileThere) {
  const DuplicateState state = found_in(3, 0);
  const auto json = parsed(answer_about(state, "path=/t/3").body);
  EXPECT_STREQ(json["path"].GetString(), "/t/3");
  EXPECT_EQ(json["total"].GetUint64(), 1U);
  EXPECT_EQ(json["totals"]["groups"].GetUint64(), 1U);
  EXPECT_EQ(json["totals"]["files"].GetUint64(), 2U);
  EXPECT_EQ(json["totals"]["wasted_bytes"].GetUint64(), 4096U);
  EXPECT_EQ(bytes_in(json["groups"][0]["files"][0], "path"), "/t/2");
  EXPECT_EQ(parsed(answer_about(state, "path=/t").body)["total"].GetUint64(), 3U);
  EXPECT_EQ(answer_about(state, "path=/nowhere").status, 404);
}

TEST(DuplicatesAnswer, IsRefusedForInvalidRequests) {
  for (const char* query : {"limit=0", "limit=1001", "offset=-1", "path=/t&path=/t", "limit"}) {
    EXPECT_EQ(answer_about({}, query).status, 400) << query;
  }
}

}  // namespace
}  // namespace fathom::web
