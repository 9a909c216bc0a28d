// Tests of RequestBody: what it takes from a body, and what it refuses.

#include "api/request_body.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fathom::web {
namespace {

using Paths = std::vector<std::string>;

// The paths of a body, or the error.
Paths paths_in(std::string_view text) {
  RequestBody body(text, {"paths", "do"});
  Paths paths = body.paths("paths");
  return body.error() ? Paths{"error: " + *body.error()} : paths;
}

TEST(RequestBody, HasPathsAsStringsAndAsObjects) {
  EXPECT_EQ(paths_in(R"({"paths":["/a","/b\n\u00e9",{"path":"/c"},{"path":"/?","path_b64":"L/8="},)"
                     R"({"path_b64":"L2Q="}]})"),
            (Paths{"/a", "/b\n\xc3\xa9", "/c", "/\xff", "/d"}));
  EXPECT_EQ(paths_in(R"( {"do" : "trash" , "paths" : [ ] } )"), Paths{});
  EXPECT_EQ(paths_in(R"({"paths":["a\u0000b"]})"), Paths{std::string("a\0b", 3)});
}

TEST(RequestBody, HasTextsAndNumbers) {
  RequestBody body(
      R"({"code":"AB","items":18446744073709551615,"journal":"x?","journal_b64":"eP8="})",
      {"code", "items", "journal", "journal_b64", "do"});
  EXPECT_EQ(body.text("code"), "AB");
  EXPECT_EQ(body.integer("items"), 18446744073709551615U);
  EXPECT_EQ(body.bytes("journal"), "x\xff");
  EXPECT_EQ(body.text("do", "quarantine"), "quarantine");
  EXPECT_EQ(body.error(), std::nullopt);
}

TEST(RequestBody, SaysWhatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "the body is not valid JSON, at byte 0: The document is empty"},
      {"[]", "the body is not a JSON object"},
      {"7", "the body is not a JSON object"},
      {"null", "the body is not a JSON object"},
      {"{}", "the field 'paths' is missing"},
      {R"({"paths":["/a"])",
       "the body is not valid JSON, at byte 15: Missing a comma or '}' after an object member"},
      {R"({"paths":["/a"]} x)",
       "the body is not valid JSON, at byte 17: The document root must not be followed by other "
       "values"},
      {R"({"paths":"/a"})", "the field 'paths' is not a list of paths"},
      {R"({"paths":[1]})", "the field 'paths' has a wrong value"},
      {R"({"paths":[["/a"]]})", "the field 'paths' has a wrong value"},
      {R"({"paths":[null]})", "the field 'paths' has a wrong value"},
      {R"({"paths":{"path":"/a"}})", "the field 'paths' has a wrong value"},
      {R"({"paths":[{}]})", "a path is empty"},
      {R"({"paths":[{"path":1}]})", "the field 'paths' has a wrong value"},
      {R"({"paths":[{"path":"/a","path":"/b"}]})", "a path has only 'path' and 'path_b64'"},
      {R"({"paths":[{"path":"/a","kind":"file"}]})", "a path has only 'path' and 'path_b64'"},
      {R"({"paths":[{"path_b64":"?"}]})", "a 'path_b64' is not base64"},
      {R"({"paths":[],"paths":[]})", "the field 'paths' occurs twice"},
      {R"({"paths":[],"items":1})", "unknown field: items"},
      {R"({"paths":[],"do":true})", "the field 'do' has a wrong value"},
      {R"({"paths":[],"do":-1})", "the field 'do' has a wrong value"},
      {"{\"paths\":[\"\xff\"]}",
       "the body is not valid JSON, at byte 11: Invalid encoding in string"},
      {R"({"paths":["\ud800"]})",
       "the body is not valid JSON, at byte 11: The surrogate pair in string is invalid"},
  };
  for (const auto& [text, error] : wrong)
    EXPECT_EQ(paths_in(text), Paths{"error: " + error}) << text;
  EXPECT_EQ(paths_in(std::string_view("{\"paths\":[]}\0", 13)),
            Paths{"error: the body has a zero byte"});
}

TEST(RequestBody, HasAtMostTenThousandPaths) {
  std::string text = R"({"paths":["/")";
  for (int i = 1; i < 10'000; ++i) text += R"(,"/")";
  EXPECT_EQ(paths_in(text + "]}").size(), 10'000U);
  EXPECT_EQ(paths_in(text + R"(,"/"]})"), Paths{"error: more than 10000 paths"});
}

TEST(RequestBody, NestedTooDeepIsRefusedWithoutRecursion) {
  EXPECT_EQ(paths_in(R"({"paths":)" + std::string(1'000'000, '[')),
            Paths{"error: the field 'paths' has a wrong value"});
}

}  // namespace
}  // namespace fathom::web
