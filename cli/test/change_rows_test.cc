// A tree of changes shows the largest ones, in order.

#include "view/change_rows.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace fathom::cli {
namespace {

constexpr std::size_t kTop = ChangeNode::kNoParent;

// "0 1/3 2", each row with the nodes of its chain, indented by one dot per level.
std::string shown(const std::vector<ChangeNode>& nodes, ChangeLimits limits = {}) {
  std::string text;
  for (const ChangeRow& row : change_rows(nodes, limits).rows) {
    if (!text.empty()) text += ' ';
    text += std::string(row.depth, '.');
    for (std::size_t i = 0; i < row.chain.size(); ++i) {
      text += (i == 0 ? "" : "/") + std::to_string(row.chain[i]);
    }
  }
  return text;
}

TEST(ChangeRows, AreOrderedByTheAbsoluteChange) {
  EXPECT_EQ(shown({{kTop, 5}, {0, 10}, {0, -20}, {0, 15}}), "0 .2 .3 .1");
  EXPECT_EQ(shown({{kTop, 0}, {0, 7}, {0, -7}, {0, 7}}), "0 .1 .2 .3");
}

TEST(ChangeRows, PutEachDirectoryBelowItsParent) {
  EXPECT_EQ(shown({{kTop, 30}, {0, 10}, {0, 20}, {1, 4}, {1, 6}, {2, 12}, {2, 8}}),
            "0 .2 ..5 ..6 .1 ..4 ..3");
}

TEST(ChangeRows, FoldADirectoryWithTheOnlyOneInIt) {
  const std::vector<ChangeNode> nodes = {{kTop, 1000}, {0, 1000}, {1, 995}, {2, 400}, {2, 595}};
  EXPECT_EQ(shown(nodes), "0 .1/2 ..4 ..3");
  EXPECT_EQ(shown(nodes, {.folds = false}), "0 .1 ..2 ...4 ...3");
}

TEST(ChangeRows, DoNotFoldIfSomethingElseChanged) {
  EXPECT_EQ(shown({{kTop, 1000}, {0, 1000}, {1, 900}}), "0 .1 ..2");
  EXPECT_EQ(shown({{kTop, 5}, {0, 5}, {1, -5}}), "0 .1 ..2");
  EXPECT_EQ(shown({{kTop, 5}, {0, 5}, {1, 50}}), "0 .1 ..2");
}

TEST(ChangeRows, AreAsManyAsFit) {
  const std::vector<ChangeNode> nodes = {{kTop, 30}, {0, 10}, {0, 20}, {2, 19}, {2, 1}, {1, 9}};
  const ChangeRows rows = change_rows(nodes, {.rows = 3});
  ASSERT_EQ(rows.rows.size(), 3U);
  EXPECT_EQ(shown(nodes, {.rows = 3}), "0 .2 .1");
  EXPECT_EQ(rows.others, 0U);  // those in 1 and 2 are part of their changes
  EXPECT_EQ(change_rows(nodes, {.rows = 2}).others, 2U);  // 1, and what is in it
  EXPECT_EQ(shown(nodes, {.depth = 0}), "0");
  EXPECT_EQ(shown(nodes, {.depth = 1}), "0 .2 .1");
}

// Its sum is small, because what it gained and lost is nearly the same.
TEST(ChangeRows, ShowADirectoryInWhichLargeChangesCancelOut) {
  EXPECT_EQ(shown({{kTop, 101}, {0, 1}, {0, 100}, {1, 501}, {1, -500}}, {.rows = 4}),
            "0 .1 ..3 ..4");
}

TEST(ChangeRows, KnowWhichIsTheLastOfItsParent) {
  const ChangeRows rows = change_rows(
      std::vector<ChangeNode>{{kTop, 30}, {0, 10}, {0, 20}, {kTop, 5}, {2, 7}, {2, 8}}, {});
  std::string last;
  for (const ChangeRow& row : rows.rows) last += row.last ? 'l' : '.';
  EXPECT_EQ(last,
            ".."
            ".l"
            "ll");
}

TEST(ChangeRows, CompareTheExtremes) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(shown({{kTop, 0}, {0, kLeast + 1}, {0, kLeast}}), "0 .2 .1");
}

TEST(ChangeRows, OfNothingAreNone) {
  EXPECT_EQ(shown({}), "");
}

}  // namespace
}  // namespace fathom::cli
