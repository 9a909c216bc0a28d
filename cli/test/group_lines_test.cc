// Tests of GroupLines: the order and the roles of the files of a duplicate group.

#include "view/group_lines.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fathom::cli {
namespace {

fs::DuplicateFile file(fs::NodeId node, std::uint32_t storage, std::vector<fs::NodeId> links = {}) {
  return {.node = node, .storage = storage, .identity = {}, .links = std::move(links)};
}

// "keep 1, copy 2"
std::string said(const fs::DuplicateGroup& group, std::optional<std::size_t> kept) {
  std::string text;
  for (const GroupLine& line : group_lines(group, kept)) {
    text += (text.empty() ? "" : ", ") + std::string(mark_of(line.role)) + ' ' +
            std::to_string(line.node);
  }
  return text;
}

TEST(GroupLines, BeginWithTheKeptFile) {
  const fs::DuplicateGroup group{
      .size = 1, .wasted_bytes = 0, .files = {file(1, 0), file(2, 1), file(3, 2)}};
  EXPECT_EQ(said(group, 0), "keep 1, copy 2, copy 3");
  EXPECT_EQ(said(group, 1), "keep 2, copy 1, copy 3");
}

TEST(GroupLines, ListLinksAfterTheirFile) {
  const fs::DuplicateGroup group{
      .size = 1, .wasted_bytes = 0, .files = {file(1, 0, {4, 5}), file(2, 1, {3})}};
  EXPECT_EQ(said(group, 0), "keep 1, link 4, link 5, copy 2, link 3");
}

TEST(GroupLines, KeepNothingOfAnUnchangedGroup) {
  const fs::DuplicateGroup group{
      .size = 1, .wasted_bytes = 0, .files = {file(1, 0, {4}), file(2, 1), file(3, 0)}};
  EXPECT_EQ(said(group, std::nullopt), "same 1, link 4, clone 3, same 2");
}

TEST(GroupLines, ListClonesAfterTheFileWhoseBlocksTheyShare) {
  const fs::DuplicateGroup group{
      .size = 1,
      .wasted_bytes = 0,
      .files = {file(1, 7), file(2, 3), file(3, 7, {6}), file(4, 3), file(5, 1)}};
  EXPECT_EQ(said(group, 0), "keep 1, clone 3, link 6, copy 2, clone 4, copy 5");
  EXPECT_EQ(said(group, 3), "keep 4, clone 2, copy 1, clone 3, link 6, copy 5");
}

}  // namespace
}  // namespace fathom::cli
