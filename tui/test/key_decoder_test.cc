// Tests of KeyDecoder.

#include "grid/key_decoder.h"

#include <gtest/gtest.h>

#include <random>

namespace fathom::tui {
namespace {

using Kind = Key::Kind;

std::vector<Key> decoded(std::string_view bytes) {
  KeyDecoder decoder;
  return decoder.feed(bytes);
}

Key text_key(std::string_view bytes) {
  return {Kind::text, std::string(bytes)};
}

TEST(KeyDecoder, KnowsTheSequencesOfCommonTerminals) {
  for (const char* up : {"\x1b[A", "\x1bOA", "\x1b[1;5A"}) {
    EXPECT_EQ(decoded(up), (std::vector<Key>{{Kind::up, ""}})) << up;
  }
  for (const char* home : {"\x1b[H", "\x1bOH", "\x1b[1~", "\x1b[7~"}) {
    EXPECT_EQ(decoded(home), (std::vector<Key>{{Kind::home, ""}})) << home;
  }
  EXPECT_EQ(decoded("\x1b[5~\x1b[6~"),
            (std::vector<Key>{{Kind::page_up, ""}, {Kind::page_down, ""}}));
  EXPECT_EQ(decoded("\r\t\x7f"),
            (std::vector<Key>{{Kind::enter, ""}, {Kind::tab, ""}, {Kind::backspace, ""}}));
  EXPECT_EQ(decoded("\x12"), (std::vector<Key>{{Kind::control, "r"}}));
}

TEST(KeyDecoder, IgnoresKeysWithoutMeaning) {
  EXPECT_EQ(decoded("\x1b[15~\x1b[[A\x1b[20~x"), (std::vector<Key>{text_key("x")}));
}

TEST(KeyDecoder, TellsWherePastedTextBeginsAndEnds) {
  EXPECT_EQ(decoded("\x1b[200~x\x1b[201~y"),
            (std::vector<Key>{
                {Kind::paste_begin, ""}, text_key("x"), {Kind::paste_end, ""}, text_key("y")}));
}

TEST(KeyDecoder, ReadsCharactersAndBytesThatAreNone) {
  EXPECT_EQ(decoded("aö大"), (std::vector<Key>{text_key("a"), text_key("ö"), text_key("大")}));
  EXPECT_EQ(decoded("\xffx"), (std::vector<Key>{text_key("\xff"), text_key("x")}));
}

TEST(KeyDecoder, TakesAnEscapeByItselfOnlyWhenNothingFollows) {
  KeyDecoder decoder;
  EXPECT_TRUE(decoder.feed("\x1b").empty());
  EXPECT_TRUE(decoder.waits());
  EXPECT_EQ(decoder.flush(), (std::vector<Key>{{Kind::escape, ""}}));
  EXPECT_FALSE(decoder.waits());
  EXPECT_EQ(decoded("\x1bj"), (std::vector<Key>{{Kind::escape, ""}, text_key("j")}));
}

TEST(KeyDecoder, SequencesMayArriveInPieces) {
  KeyDecoder decoder;
  EXPECT_TRUE(decoder.feed("\x1b[").empty());
  EXPECT_EQ(decoder.feed("B"), (std::vector<Key>{{Kind::down, ""}}));
}

TEST(KeyDecoder, AnyBytesAreDecodedCompletely) {
  std::minstd_rand random(1);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 40, ' ');
    for (char& byte : bytes) {
      byte = random() % 3 == 0 ? '\x1b' : static_cast<char>(random() % 256);
    }
    KeyDecoder decoder;
    (void)decoder.feed(bytes);
    for (int i = 0; i < 50 && decoder.waits(); ++i) (void)decoder.flush();
    EXPECT_FALSE(decoder.waits());
  }
}

TEST(KeyDecoder, KnowsTheMouseAsXtermReportsIt) {
  const std::vector<Key> keys =
      decoded("\x1b[<0;12;5M\x1b[<0;12;5m\x1b[<64;1;1M\x1b[<69;2;3M\x1b[<2;1;1M");
  ASSERT_EQ(keys.size(), 3U);
  EXPECT_EQ(keys[0].kind, Key::Kind::click);
  EXPECT_EQ(keys[0].x, 11);
  EXPECT_EQ(keys[0].y, 4);
  EXPECT_EQ(keys[1].kind, Key::Kind::wheel_up);
  EXPECT_EQ(keys[2].kind, Key::Kind::wheel_down);  // with Shift
}

TEST(KeyDecoder, IgnoresABrokenReportOfTheMouse) {
  KeyDecoder decoder;
  for (const char* report : {"\x1b[<M", "\x1b[<0M", "\x1b[<0;1M", "\x1b[<0;1;1;1M", "\x1b[<0;0;5M",
                             "\x1b[<0;?;5M", "\x1b[<0;99999999999999999999;5m"}) {
    EXPECT_TRUE(decoder.feed(report).empty()) << report;
    EXPECT_FALSE(decoder.waits());
  }
}

}  // namespace
}  // namespace fathom::tui
