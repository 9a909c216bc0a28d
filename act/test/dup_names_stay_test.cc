// In a directory from which no name can be removed, an act says what it leaves there; and where
// names can only be changed, what was moved returns.

#include <gtest/gtest.h>

#include "dup_acts.h"
#include "dup_faulty_names.h"

namespace fathom::act {
namespace {

class ActsWhereNamesStay : public Acts {
 protected:
  ActResult apply_there(DupAction action) {
    write("kept", "same");
    write("sub/copy", "same");
    const DupPlan planned = plan(action, {{"kept", "sub/copy"}});
    const FaultyNames now(Names::stay);
    return apply_one(planned);
  }
};

TEST_F(ActsWhereNamesStay, AHardLinkThatIsLeftIsNamed) {
  const ActResult result = apply_there(DupAction::hardlink);
  const std::vector<std::string> left = temp_names_in(folder());
  ASSERT_EQ(left.size(), 1U);
  const std::string name = left.front().substr(left.front().rfind('/') + 1);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_EQ(result.why,
            "the link to the kept file cannot take the name 'copy', which stays as it was: "
            "Operation not permitted; a second name of the kept file, '" +
                name + "' beside it, cannot be removed: Operation not permitted");
  EXPECT_TRUE(is_same_inode(at("kept"), at(left.front())));
  EXPECT_FALSE(is_same_inode(at("kept"), at("sub/copy")));
}

TEST_F(ActsWhereNamesStay, OtherActsLeaveNothing) {
  for (const DupAction action : {DupAction::remove, DupAction::quarantine}) {
    const ActResult result = apply_there(action);
    EXPECT_EQ(result.outcome, Outcome::failed) << result;
    EXPECT_EQ(files_of(folder()).size(), 2U) << result;
    std::filesystem::remove(tree_.path("journal"));
  }
}

class ActsWhereNamesOnlyMove : public Acts {
 protected:
  // A file is in the quarantine.
  void move_away() {
    write("kept", "same");
    write("copy", "same");
    std::filesystem::create_directory(tree_.path("away"));
    const ActResult moved = apply_one(plan(DupAction::quarantine, {{"kept", "copy"}}));
    EXPECT_EQ(moved.outcome, Outcome::done) << moved;
  }

  Applied undo(UndoOptions options = {}) const {
    options.dry_run = false;
    options.journal = tree_.path("journal");
    return undo_quarantine(options);
  }

  const FaultyNames only_move_{Names::move_only};
};

TEST_F(ActsWhereNamesOnlyMove, AFileReturnsFromTheQuarantine) {
  move_away();
  EXPECT_EQ(undo().done, 1U);
  EXPECT_EQ(read_whole(at("copy")), "same");
}

TEST_F(ActsWhereNamesOnlyMove, AFileThatReturnsReplacesNoOther) {
  move_away();
  write("copy", "new");
  EXPECT_EQ(undo().refused, 1U);
  EXPECT_EQ(read_whole(at("copy")), "new");
}

TEST_F(ActsWhereNamesOnlyMove, AFileThatReturnsReplacesNoneThatAppearsMeanwhile) {
  move_away();
  UndoOptions meddled;
  meddled.before_step = [this](std::string_view step) {
    if (step == "link back") write("copy", "new");
  };
  EXPECT_EQ(undo(meddled).refused, 1U);
  EXPECT_EQ(read_whole(at("copy")), "new");
}

}  // namespace
}  // namespace fathom::act
