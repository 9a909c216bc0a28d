// Tests of about_act: what the terminal of `fathom serve --allow-apply` says about what the page
// does.

#include "run/act_notice.h"

#include <gtest/gtest.h>

namespace fathom::cli {
namespace {

using Step = web::ActNotice::Step;

std::string said(const web::ActNotice& notice) {
  return about_act(notice, base::Units::iec);
}

TEST(ActNotice, OfARunThatBeginsSaysHowToMoveBack) {
  EXPECT_EQ(said({.step = Step::begun, .items = 2, .to_trash = true, .journal = "/j"}),
            "the page moves 2 items to the trash. If this program is ended meanwhile, move back "
            "with: fathom undo /j --execute");
}

TEST(ActNotice, OfARunSaysHowToMoveBack) {
  EXPECT_EQ(said({.step = Step::applied,
                  .code = "AAAA-2222",
                  .items = 2,
                  .journal = "/a b.journal",
                  .can_undo = true}),
            "the page moved 2 items to the quarantine. To move back: fathom undo '/a b.journal' "
            "--execute; or type this code in the page: AAAA-2222");
}

TEST(ActNotice, OfARunThatFailedSaysHowToMoveBackWhatMayHaveBeenMoved) {
  EXPECT_EQ(said({.step = Step::applied,
                  .code = "AAAA-2222",
                  .failed = 1,
                  .to_trash = true,
                  .journal = "/j",
                  .can_undo = true}),
            "the page moved 0 items to the trash; 1 item failed, but may have been moved. To move "
            "back: fathom undo /j --execute; or type this code in the page: AAAA-2222");
}

TEST(ActNotice, OfARunThatEndsWithTheServerNamesOnlyTheCommand) {
  EXPECT_EQ(said({.step = Step::applied, .items = 1, .journal = "/j", .can_undo = true}),
            "the page moved 1 item to the quarantine. To move back: fathom undo /j --execute");
}

TEST(ActNotice, OfARunThatMovedNothingOffersNothing) {
  EXPECT_EQ(said({.step = Step::applied, .journal = "/j"}),
            "the page moved 0 items to the quarantine");
}

TEST(ActNotice, OfAnUndoThatIsNotCompleteSaysHowToTryAgain) {
  EXPECT_EQ(said({.step = Step::undone, .items = 3, .journal = "/j"}),
            "the page moved 3 items back");
  EXPECT_EQ(said({.step = Step::undone,
                  .code = "AAAA-2222",
                  .items = 1,
                  .journal = "/j",
                  .can_undo = true}),
            "the page moved 1 item back, and could not move back the rest. To try again: fathom "
            "undo /j --execute; or type this code in the page: AAAA-2222");
}

}  // namespace
}  // namespace fathom::cli
