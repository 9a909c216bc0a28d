// Tests of Pieces.

#include "fathom/text/pieces.h"

#include <gtest/gtest.h>

#include <string>

namespace fathom::text {
namespace {

// The pieces with their widths: "a1 大2".
std::string pieces_of(std::string_view text) {
  std::string found;
  for (Pieces rest(text); const auto piece = rest.next();) {
    found += (found.empty() ? "" : " ") + std::string(piece->bytes) + std::to_string(piece->width);
  }
  return found;
}

TEST(Pieces, AreCharactersWithTheirColumns) {
  EXPECT_EQ(pieces_of(""), "");
  EXPECT_EQ(pieces_of("ab"), "a1 b1");
  EXPECT_EQ(pieces_of("a大b"), "a1 大2 b1");
}

TEST(Pieces, KeepCombiningMarksWithTheirCharacter) {
  EXPECT_EQ(pieces_of("xe\u0301y"), "x1 e\u03011 y1");
}

TEST(Pieces, OfBytesThatAreNotUtf8AreBytes) {
  EXPECT_EQ(pieces_of("\xff\xfe"),
            "\xff"
            "1 \xfe"
            "1");
}

}  // namespace
}  // namespace fathom::text
