// Tests of the mouse: what is at a place of the screen, and what a click does there.

#include "model/click.h"

#include <gtest/gtest.h>

#include <string>

#include "model/update.h"
#include "sample.h"
#include "screen/layout.h"

namespace fathom::tui {
namespace {

void click_at(State& state, unsigned x, unsigned y) {
  click(state, target_at(state, x, y));
}

TEST(Click, SelectsARowAndThenOpensIt) {
  State state = sample_state();
  click_at(state, 30, 4);
  EXPECT_EQ(state.cursor().at, 1U);
  EXPECT_EQ(state.place, state.facts->top());
  click_at(state, 30, 4);
  EXPECT_EQ(state.facts->path(state.place), "/home/ada/code/shop");
}

TEST(Click, ShowsAViewByItsTitle) {
  State state = sample_state();
  click_at(state, 11, 1);
  EXPECT_EQ(state.view, View::largest);
  take_size(state, 60, 10);
  click_at(state, 1, 1);
  EXPECT_EQ(state.view, View::tree);
}

TEST(Click, DoesNothingElsewhere) {
  for (const unsigned y : {0U, 2U, 20U, 21U, 23U, 500U}) {
    State state = sample_state();
    click_at(state, 30, y);
    EXPECT_EQ(state.cursor().at, 0U) << y;
    EXPECT_EQ(state.layer, Layer::none) << y;
  }
}

TEST(Click, SelectsABoxOfTheMapAndThenOpensIt) {
  State state = sample_state();
  take_size(state, 200, 60);
  type(state, "Tjj");
  click_at(state, 160, 10);  // the box of the largest entry
  EXPECT_EQ(state.listing.name(state.cursor().at), "vm");
  EXPECT_EQ(state.place, state.facts->top());
  click_at(state, 160, 10);  // the box of the largest entry
  EXPECT_EQ(state.facts->path(state.place), "/home/ada/code/vm");
}

TEST(Click, SaysThatTheFilterHidesTheEntryOfABox) {
  State state = sample_state();
  take_size(state, 200, 60);
  type(state, "T/shop<Enter>");
  click_at(state, 160, 10);  // the box of the largest entry
  EXPECT_EQ(state.place, state.facts->top());
  EXPECT_NE(state.message.find("Esc"), std::string::npos);
}

TEST(Click, IsNoAnswerToAQuestion) {
  State state = sample_state();
  state.settings.can_apply = true;
  type(state, "dPA");
  for (unsigned y = 0; y < 24; ++y) click_at(state, 20, y);
  EXPECT_EQ(state.layer, Layer::apply);
}

TEST(Click, SelectsInThePlanBesideTheList) {
  State state = sample_state();
  take_size(state, 132, 43);
  type(state, "djdjd");
  click_at(state, 100, 4);
  EXPECT_EQ(state.layer, Layer::plan);
  EXPECT_EQ(state.plan_cursor.at, 1U);
  click_at(state, 100, 4);
  EXPECT_EQ(state.layer, Layer::none);
  EXPECT_EQ(state.listing.name(state.cursor().at), "shop");
}

TEST(Click, AfterAWarningAboutALastCopyAnotherOneIsWarnedAboutToo) {
  State state = sample_state();
  type(state, "8<Enter>dG<Enter>dgjd");
  EXPECT_NE(state.message.find("the last copy"), std::string::npos);
  click_at(state, 30, 8);
  type(state, "d");
  EXPECT_NE(state.message.find("the last copy"), std::string::npos);
  EXPECT_EQ(state.plan.size(), 3U);
}

TEST(Click, TheWheelMoves) {
  State state = sample_state();
  static_cast<void>(press(state, {Key::Kind::wheel_down, ""}));
  EXPECT_EQ(state.cursor().at, 3U);
  static_cast<void>(press(state, {Key::Kind::wheel_up, ""}));
  EXPECT_EQ(state.cursor().at, 0U);
}

}  // namespace
}  // namespace fathom::tui
