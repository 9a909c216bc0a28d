// same_content: equal and different blocks.

#include "dups/same_content.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "colliding.h"

namespace fathom::fs {
namespace {

using Labels = std::vector<std::uint32_t>;

const std::string kUnread = "?";

Labels labels_of(std::vector<std::string> contents) {
  std::vector<std::span<std::byte>> blocks;
  for (std::string& content : contents) {
    blocks.push_back(content == kUnread ? std::span<std::byte>()
                                        : std::as_writable_bytes(std::span(content)));
  }
  return same_content(blocks);
}

TEST(SameContent, ReturnsTheFirstEqualBlock) {
  EXPECT_EQ(labels_of({"abc", "abd", "abc", "xbc", "abd", "abc"}), (Labels{0, 1, 0, 3, 1, 0}));
  EXPECT_EQ(labels_of({"a"}), (Labels{0}));
  EXPECT_EQ(labels_of({}), Labels{});
  EXPECT_EQ(labels_of({"", ""}), (Labels{0, 0}));  // of empty files
}

TEST(SameContent, SkipsUnreadBlocks) {
  EXPECT_EQ(labels_of({kUnread, "abc", kUnread, "abc"}), (Labels{kNotRead, 1, kNotRead, 1}));
}

TEST(SameContent, DetectsOneDifferentByteAnywhere) {
  for (const std::size_t length : {1U, 15U, 64U, 4096U, 65'537U}) {
    const std::string content(length, 'x');
    for (const std::size_t at : {std::size_t{0}, length / 2, length - 1}) {
      std::string other = content;
      other[at] = 'y';
      ASSERT_EQ(labels_of({content, other, content}), (Labels{0, 1, 0})) << length << ' ' << at;
    }
  }
}

// Many blocks are distinguished by a hash, which may collide. In test_duplicates_narrow it has two
// bits, so that most blocks collide.
TEST(SameContent, ComparesBlocksWithTheSameHash) {
  std::vector<std::string> contents;
  Labels expected;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const std::uint32_t number = i * i % 331;
    contents.push_back("content " + std::to_string(1000 + number));
    std::uint32_t first = 0;
    while (contents[first] != contents.back()) ++first;
    expected.push_back(first);
  }
  EXPECT_EQ(labels_of(contents), expected);
}

TEST(ContentHash, DiffersForContentsThatWereMadeToCollide) {
  if (hash_is_narrow()) GTEST_SKIP() << "it has two bits here";
  const std::string a = colliding_content(1);
  const std::string b = colliding_content(2);
  ASSERT_EQ(XXH3_64bits(a.data(), a.size()), XXH3_64bits(b.data(), b.size()));
  EXPECT_EQ(begin_hash_of(std::as_bytes(std::span(a))), begin_hash_of(std::as_bytes(std::span(b))));
  EXPECT_NE(content_hash(std::as_bytes(std::span(a))), content_hash(std::as_bytes(std::span(b))));
}

}  // namespace
}  // namespace fathom::fs
