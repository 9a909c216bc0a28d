// Tests of plan/sums: what acting on a set of entries would free.

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include <string>

#include "api_made_tree.h"

namespace fathom::web {
namespace {

Answer post(const Snapshot* snapshot, std::string_view name, std::string_view body) {
  Question question{.path = name, .snapshot = snapshot};
  question.method = Method::post;
  question.body = body;
  return answer(question);
}

rapidjson::Document sums_of(const Snapshot& snapshot, const std::string& paths) {
  return parsed(post(&snapshot, "plan/sums", "{\"paths\":[" + paths + "]}").body);
}

// Two names of an inode in /t/a, and one in /t/b; and a file of its own in each.
MadeTree linked() {
  MadeTree made;
  const auto top = made.root("/t", {.blocks = 1});
  const auto a = made.directory(top, "a", {.blocks = 2});
  const auto b = made.directory(top, "b", {.blocks = 4});
  const fs::Entry shared{.blocks = 100, .inode = 7, .links = 3};
  made.file(a, "one", shared);
  made.file(a, "two", shared);
  made.file(a, "own", {.blocks = 8});
  made.file(b, "three", shared);
  made.file(b, "own\xff", {.blocks = 16});
  return made;
}

TEST(PlanSums, OfTwoDirectoriesHaveExactlyThisText) {
  const Snapshot snapshot(linked().scan(), 0, 3, false);
  EXPECT_EQ(
      post(&snapshot, "plan/sums", R"({"paths":["/t/b","/t/a","/t/x"]})").body,
      R"({"generation":3,"items":[)"
      R"({"path":"/t/a","kind":"directory","entries":4,"used_bytes":56320,"freed_bytes":5120},)"
      R"({"path":"/t/b","kind":"directory","entries":3,"used_bytes":10240,"freed_bytes":10240}],)"
      R"("entries":7,"used_bytes":66560,"freed_bytes":66560,"unknown":["/t/x"]})");
}

TEST(PlanSums, CountAnInodeOnlyIfAllItsNamesAreInTheSet) {
  const Snapshot snapshot(linked().scan(), 0, 3, false);
  EXPECT_EQ(sums_of(snapshot, R"("/t/a/one","/t/a/two")")["freed_bytes"].GetUint64(), 0U);
  EXPECT_EQ(sums_of(snapshot, R"("/t/a/one","/t/a/two","/t/b/three")")["freed_bytes"].GetUint64(),
            51200U);
}

TEST(PlanSums, FoldNestedPathsIntoTheOutermost) {
  MadeTree made = linked();
  const Snapshot snapshot(made.scan(), 0, 3, false);
  const auto json = sums_of(snapshot, R"("/t/a/own","/t/a","/t/a/","/t/a","/t/b/three")");
  ASSERT_EQ(json["items"].Size(), 2U);
  EXPECT_STREQ(json["items"][0]["path"].GetString(), "/t/a");
  EXPECT_STREQ(json["items"][1]["path"].GetString(), "/t/b/three");
  EXPECT_EQ(json["entries"].GetUint64(), 5U);
}

TEST(PlanSums, DoNotFoldNamesThatOnlyBeginAlike) {
  MadeTree made;
  const auto top = made.root("/");
  made.file(made.directory(top, "a"), "x", {.blocks = 1});
  made.directory(top, "a.b");
  made.directory(top, "ab");
  const Snapshot snapshot(made.scan(), 0, 3, false);
  EXPECT_EQ(sums_of(snapshot, R"("/ab","/a/x","/a","/a.b")")["items"].Size(), 3U);
  EXPECT_EQ(sums_of(snapshot, R"("/ab","/")")["items"].Size(), 1U);
}

TEST(PlanSums, AcceptNamesThatAreNotUtf8) {
  const Snapshot snapshot(linked().scan(), 0, 3, false);
  const auto json = sums_of(snapshot, R"({"path":"/t/b/own?","path_b64":"L3QvYi9vd27/"},)"
                                      R"({"path_b64":"L3QvL/8="})");
  ASSERT_EQ(json["items"].Size(), 1U);
  EXPECT_EQ(bytes_in(json["items"][0], "path"), "/t/b/own\xff");
  EXPECT_EQ(json["used_bytes"].GetUint64(), 16U * 512);
  EXPECT_STREQ(json["unknown_b64"][0].GetString(), "L3QvL/8=");
}

TEST(PlanSums, DuringAScanDoNotKnowWhatIsFreed) {
  const Snapshot snapshot(linked().scan(), 0, 3, true);
  const auto json = sums_of(snapshot, R"("/t/b")");
  EXPECT_TRUE(json["freed_bytes"].IsNull());
  EXPECT_TRUE(json["items"][0]["freed_bytes"].IsNull());
  EXPECT_EQ(json["used_bytes"].GetUint64(), 20U * 512);
}

TEST(PlanSums, OfThePlaceAboveSeveralRootsAreUnknown) {
  MadeTree made;
  made.root("/t");
  made.root("/u");
  const Snapshot snapshot(made.scan(), 0, 3, false);
  const auto json = sums_of(snapshot, R"("","/u",".","/t/../u")");
  EXPECT_EQ(json["unknown"].Size(), 3U);
  EXPECT_EQ(json["items"].Size(), 1U);
}

// Each name is looked up in an index: comparing it with all the others would take minutes.
TEST(PlanSums, OfManyEntriesOfALargeDirectoryAreFoundByAnIndex) {
  MadeTree made;
  const auto top = made.root("/t");
  std::string paths;
  for (int i = 0; i < 200'000; ++i) made.file(top, "file number " + std::to_string(i));
  for (int i = 0; i < 10'000; ++i) {
    paths += (i == 0 ? "" : ",") + ("\"/t/file number " + std::to_string(i * 20)) + '"';
  }
  const Snapshot snapshot(made.scan(), 0, 3, false);
  EXPECT_EQ(sums_of(snapshot, paths)["entries"].GetUint64(), 10'000U);
}

TEST(PlanSums, AreRefusedForInvalidBodies) {
  const Snapshot snapshot(linked().scan(), 0, 3, false);
  for (const char* const body :
       {"", "{}", "[]", R"({"paths":7})", R"({"paths":[],"do":"delete"})"}) {
    const Answer said = post(&snapshot, "plan/sums", body);
    EXPECT_EQ(said.status, 400) << body;
    EXPECT_STREQ(parsed(said.body)["error"]["code"].GetString(), "bad_request");
  }
  EXPECT_EQ(post(nullptr, "plan/sums", R"({"paths":[]})").status, 503);
}

}  // namespace
}  // namespace fathom::web
